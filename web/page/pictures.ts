// Pictures that the program draws. Each has below it the command that makes it again. `data-what` of a
// figure is the picture, and `data-model` another model than that of the page.

/** What pictures are of. */
interface Subject {
  model: string;               // file
  rows: string[];              // file and its flags; empty: none
  points: string[];            // the same, or some of them, for pictures of the model
  decision: string[];          // flags
  shown: (words: string[]) => string[];  // the command as a person would type it, with their files
}

const ofEvaluation = new Set(["confusion", "bayes-error", "det", "roc", "reliability", "ratios"]);

class Pictures {
  private readonly stale = new Set<HTMLElement>();
  private readonly seen = new Set<HTMLElement>();
  private readonly observer: IntersectionObserver;
  private readonly slow = new Set<HTMLElement>();  // took long when they were drawn last
  private running = false;
  private changed = 0;  // when
  private subject: Subject | undefined;

  /** `drawn` is told of every picture that was drawn. */
  constructor(private readonly engine: Engine, private readonly drawn: (figure: HTMLElement) => void = () => {}) {
    this.observer = new IntersectionObserver(entries => {
      for (const entry of entries) {
        const figure = entry.target as HTMLElement;
        entry.isIntersecting ? this.seen.add(figure) : this.seen.delete(figure);
      }
      this.run();
    }, { rootMargin: "200px" });
  }

  add(figure: HTMLElement): void { this.observer.observe(figure); }
  remove(figure: HTMLElement): void {
    this.observer.unobserve(figure);
    this.stale.delete(figure);
    this.seen.delete(figure);
  }

  /** All are drawn again when they are in sight, one at a time; slow ones once the controls rest. */
  refresh(subject: Subject, figures: Iterable<HTMLElement>): void {
    this.subject = subject;
    this.changed = performance.now();
    for (const figure of figures) {
      this.stale.add(figure);
      figure.dataset["state"] = "stale";
    }
    this.run();
  }

  private run(): void {
    if (this.running) return;
    this.running = true;
    const step = () => {
      const waiting = [...this.stale].filter(figure => this.seen.has(figure));
      if (waiting.length === 0 || !this.subject) { this.running = false; return; }
      const rests = performance.now() - this.changed > 250;
      const next = waiting.find(figure => rests || !this.slow.has(figure));
      if (next) {
        this.stale.delete(next);
        const begin = performance.now();
        this.draw(next, this.subject);
        performance.now() - begin > 60 ? this.slow.add(next) : this.slow.delete(next);
      }
      setTimeout(step, next ? 0 : 50);
    };
    setTimeout(step, 0);
  }

  private draw(figure: HTMLElement, subject: Subject): void {
    const what = figure.dataset["what"] ?? "";
    const rows = ofEvaluation.has(what) ? subject.rows : subject.points;
    const words = ["plot", figure.dataset["model"] ?? subject.model, ...rows, "--what", what, ...subject.decision,
                   "-o", `${what}.svg`];
    const parts: HTMLElement[] = [], heading = figure.querySelector("h3");
    if (heading) parts.push(heading);
    try {
      if (ofEvaluation.has(what) && subject.rows.length === 0) throw new Refusal("there are no rows");
      this.engine.run(...words);
      parts.push(svgOf(this.engine.text(`${what}.svg`)) as unknown as HTMLElement);
      this.engine.remove(`${what}.svg`);
      parts.push(element("details", {}, element("summary", {}, "The command that draws it"),
        element("pre", {}, shellLine(["suffice", ...subject.shown(words)]))));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      parts.push(element("p", { class: "faint" }, `Not shown: ${error.message}`));
    }
    figure.replaceChildren(...parts);
    figure.dataset["state"] = "drawn";
    this.drawn(figure);
  }
}

/** The picture as an element. Its own style sheet is left out: the page has the same rules. */
function svgOf(text: string): Element {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  root.querySelector("style")?.remove();
  return document.importNode(root, true);
}
