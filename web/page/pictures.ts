// Pictures that the program draws. Each has below it the command that makes it again.

/** What pictures are of. */
interface Subject {
  model: string;               // file
  rows: string[];              // file and its flags; empty: none
  decision: string[];          // flags
  shown: (words: string[]) => string[];  // the command as a person would type it, with their files
}

const ofEvaluation = new Set(["confusion", "bayes-error", "det", "roc", "reliability", "ratios"]);

class Pictures {
  private readonly stale = new Set<HTMLElement>();
  private readonly seen = new Set<HTMLElement>();
  private readonly observer: IntersectionObserver;
  private running = false;
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
  get idle(): boolean { return ![...this.stale].some(figure => this.seen.has(figure)); }

  /** All are drawn again, those in sight first, one at a time so that controls stay quick. */
  refresh(subject: Subject, figures: Iterable<HTMLElement>): void {
    this.subject = subject;
    for (const figure of figures) this.stale.add(figure);
    this.run();
  }

  private run(): void {
    if (this.running) return;
    this.running = true;
    const step = () => {
      const next = [...this.stale].find(figure => this.seen.has(figure));
      if (!next || !this.subject) { this.running = false; return; }
      this.stale.delete(next);
      this.draw(next, this.subject);
      setTimeout(step, 0);
    };
    setTimeout(step, 0);
  }

  private draw(figure: HTMLElement, subject: Subject): void {
    const what = figure.dataset["what"] ?? "";
    const words = ["plot", subject.model, ...subject.rows, "--what", what, ...subject.decision,
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
    this.drawn(figure);
  }
}

/** The picture as an element. Its own style sheet is left out: the page has the same rules. */
function svgOf(text: string): Element {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  root.querySelector("style")?.remove();
  return document.importNode(root, true);
}
