// The probability of the first of two classes as it is known from a few labels: a Beta prior, the likelihood
// of the labels, and the posterior, which is a Beta distribution again.

/** log p^a (1 − p)^b, where 0 · log 0 is 0. */
function logPowers(a: number, b: number, p: number): number {
  return (a === 0 ? 0 : a * Math.log(p)) + (b === 0 ? 0 : b * Math.log1p(-p));
}

/** p^a (1 − p)^b as a density: divided by its integral, by the midpoint rule on the grid that is drawn. */
function asDensity(a: number, b: number, grid: number[]): number[] {
  const logs = grid.map(p => logPowers(a, b, p)), most = Math.max(...logs);
  const powers = logs.map(log => Math.exp(log - most)), sum = powers.reduce((x, y) => x + y, 0) / grid.length;
  return powers.map(power => power / sum);
}

class BetaPanel {
  readonly root = element("section", { class: "card", id: "beta" });
  private labels: string[] = [];
  private drawn: number[] = [];  // classes of the labels, in the order in which they become known
  private known = 1;
  private pseudo = [1, 1];
  private readonly picture = element("div");
  private readonly words = element("div", { "aria-live": "polite" });

  /** `use` is told the pseudo-counts when the posterior mean is to be the prior of decisions. */
  constructor(private readonly use: (priors: number[]) => void) {}

  /** Hidden unless there are two classes. */
  show(labels: string[], rows: string[], wanted: boolean): void {
    this.root.hidden = !wanted || labels.length !== 2;
    if (this.root.hidden) return;
    const isNew = labels.join("\n") !== this.labels.join("\n") || rows.length !== this.drawn.length;
    this.labels = labels;
    const draw = new Draw(31);
    this.drawn = rows.map(label => [labels.indexOf(label), draw.uniform()] as const)
      .sort((a, b) => a[1] - b[1]).map(([label]) => label);
    if (isNew) this.known = 1;
    const outputs = [0, 1, 2].map(() => element("output"));
    const known = slider(0, rows.length, 1, this.known, value => {
      this.known = value;
      this.update(outputs);
    });
    const counts = labels.map((_, c) => slider(0, 20, 0.5, this.pseudo[c] ?? 1, value => {
      this.pseudo[c] = value;
      this.update(outputs);
    }));
    this.root.replaceChildren(element("h3", {}, `How probable is ${labels[0] ?? ""}?`),
      labelled("Labels that are known, n", known, outputs[0] as HTMLOutputElement),
      ...counts.map((each, c) => labelled(`Pseudo-counts of ${labels[c] ?? ""}`, each,
                                          outputs[c + 1] as HTMLOutputElement)),
      this.picture, this.words,
      element("div", { class: "chips" }, button("Decide with the posterior mean", () => this.use(this.mean()))));
    this.update(outputs);
  }

  private counts(): [number, number] {
    const first = this.drawn.slice(0, this.known).filter(label => label === 0).length;
    return [first, this.known - first];
  }
  private mean(): number[] {
    const [n, m] = this.counts(), [a = 0, b = 0] = this.pseudo;
    const all = n + m + a + b;
    return all > 0 ? [(n + a) / all, (m + b) / all] : [0.5, 0.5];
  }

  private update(outputs: HTMLOutputElement[]): void {
    const [n, m] = this.counts(), [a = 0, b = 0] = this.pseudo, all = n + m + a + b;
    [this.known, a, b].forEach((value, k) => { if (outputs[k]) outputs[k].textContent = String(value); });
    const first = this.labels[0] ?? "";
    const row = (name: string, value: string) =>
      element("tr", {}, element("td", {}, name), element("td", { class: "n" }, value));
    const share = (above: number, below: number) => below > 0 ? figure(above / below) : "unknown";
    const mode = a + n >= 1 && b + m >= 1 && all > 2 ? share(n + a - 1, all - 2) : "at an end, or none";
    this.words.replaceChildren(element("table", { id: "beta-estimates" },
      headings(`P(${first})`, ""),
      row(`frequency, ${n} of ${n + m}`, share(n, n + m)),
      row(`posterior mode (MAP) under Beta(${a}, ${b})`, mode),
      row(`posterior mean under Beta(${a}, ${b})`, share(n + a, all))),
      element("p", { class: "faint" }, `The posterior is Beta(${figure(n + a)}, ${figure(m + b)}). The mean is what ` +
        `--prior train:${this.labels.map((label, c) => `${label}=${this.pseudo[c]}`).join(",")} takes.`));
    this.draw(n, m, a, b);
  }

  private draw(n: number, m: number, a: number, b: number): void {
    const grid = Array.from({ length: 400 }, (_, k) => (k + 0.5) / 400);
    const likelihood = asDensity(n, m, grid);
    const curves: [name: string, css: string, heights: number[]][] = [
      ["prior", "prior", a > 0 && b > 0 ? asDensity(a - 1, b - 1, grid) : []],
      ["likelihood, scaled", "likelihood", n + m > 0 ? likelihood : []],
      ["posterior", "posterior", n + a > 0 && m + b > 0 ? asDensity(n + a - 1, m + b - 1, grid) : []]];
    const width = 520, height = 220, left = 10, right = 10, top = 24, bottom = 26;
    const most = Math.min(Math.max(1, ...curves.flatMap(([, , heights]) => heights.slice(4, -4))) * 1.05, 60);
    const x = (p: number) => left + p * (width - left - right);
    const y = (h: number) => height - bottom - Math.min(h / most, 1.05) * (height - top - bottom);
    const svg = (tag: string, attributes: Attributes, text = "") => {
      const result = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) result.setAttribute(name, String(value));
      result.textContent = text;
      return result;
    };
    const parts: Element[] = [svg("line", { x1: left, x2: width - right, y1: y(0), y2: y(0), class: "axis" })];
    for (const p of [0, 0.25, 0.5, 0.75, 1])
      parts.push(svg("text", { x: x(p), y: height - 8, "text-anchor": p === 0 ? "start" : p === 1 ? "end" : "middle" },
                     String(p)));
    curves.forEach(([name, css, heights], k) => {
      parts.push(svg("line", { x1: 10 + 170 * k, x2: 34 + 170 * k, y1: 10, y2: 10, class: css }),
                 svg("text", { x: 40 + 170 * k, y: 14 }, name));
      if (heights.length > 0)
        parts.push(svg("path", { class: css, d: heights.map((h, i) =>
          `${i === 0 ? "M" : "L"}${x(grid[i] ?? 0).toFixed(1)} ${y(h).toFixed(1)}`).join("") }));
    });
    const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "beta",
      "aria-label": `Prior, likelihood and posterior of the probability of ${this.labels[0] ?? ""}` });
    root.append(...parts);
    this.picture.replaceChildren(root);
  }
}
