// One row that a person makes up, and what the model says of it.

class QuestionPanel {
  readonly root = element("section", { class: "card", id: "question" });
  private columns: string[] = [];
  private values: number[] = [];
  private readonly answer = element("div", { "aria-live": "polite" });

  constructor(private readonly engine: Engine, private readonly ask: () => void) {}

  /** For these columns, whose values lie between the limits; `presets` are rows to begin with. */
  show(columns: string[], limits: [number, number][], presets: number[][]): void {
    this.columns = columns;
    this.values = presets[0] ?? limits.map(([low, high]) => Number(((low + high) / 2).toPrecision(4)));
    this.root.hidden = columns.length === 0;
    const inputs: { slider: HTMLInputElement; number: HTMLInputElement }[] = [];
    const set = (values: number[]) => {
      this.values = values;
      inputs.forEach((input, j) => { input.slider.value = input.number.value = String(values[j]); });
      this.ask();
    };
    const controls = columns.map((column, j) => {
      const [low, high] = limits[j] ?? [0, 1], wide = high - low || 1;
      const number = element("input", { type: "number", step: "any", "aria-label": column });
      const at = slider(low - 0.5 * wide, high + 0.5 * wide, Number((wide / 200).toPrecision(1)), 0, () => {
        this.values[j] = Number(at.value);
        number.value = at.value;
        this.ask();
      });
      number.addEventListener("change", () => {
        if (number.value === "" || !Number.isFinite(Number(number.value))) return;
        this.values[j] = Number(number.value);
        at.value = number.value;
        this.ask();
      });
      at.value = number.value = String(this.values[j]);
      inputs.push({ slider: at, number });
      return labelled(column, at, number);
    });
    this.root.replaceChildren(element("h3", {}, "A row of your own"), ...controls,
      element("div", { class: "chips" }, ...presets.map(preset =>
        button(`[${preset.join(", ")}]`, () => set([...preset])))), this.answer);
  }

  /** `twin`: the file of a model without densities, to stand beside; empty: none. */
  update(model: string, decision: string[], twin = ""): void {
    if (this.columns.length === 0) return;
    this.engine.write("question.csv", csvOf({ name: "", label: "", columns: this.columns,
                                              rows: [this.values.map(String)] }));
    const [names = [], cells = []] = parseCsv(this.engine.run("predict", model, "question.csv", "--output",
      "proba,loglik,outlier", ...decision), ",");
    const cell = (name: string) => cells[names.indexOf(name)] ?? "";
    const [twinNames = [], twinCells = []] = twin === "" ? [] : parseCsv(this.engine.run("predict", twin,
      "question.csv", "--output", "proba", ...decision), ",");
    const table = element("table", {}, headings("class", "log p(x | class)", "p(x | class)", "P(class | x)",
      ...(twin === "" ? [] : ["by logistic regression"])));
    for (const name of names.filter(each => each.startsWith("proba:")).map(each => each.slice(6))) {
      const log = Number(cell(`loglik:${name}`));
      table.append(element("tr", { "data-class": name }, element("td", {}, name),
        ...[log, Math.exp(log), Number(cell(`proba:${name}`)),
            ...(twin === "" ? [] : [Number(twinCells[twinNames.indexOf(`proba:${name}`)])])].map(number =>
          element("td", { class: "n" }, figure(number)))));
    }
    const outlier = Number(cell("outlier"));
    this.answer.replaceChildren(element("p", {}, "Decided: ", element("strong", {}, cell("label"))), table,
      element("p", outlier < 0.001 ? { class: "alarm" } : { class: "faint" },
        `Outlier score ${figure(outlier)}: the probability of a row that is as improbable or more.` +
        (outlier < 0.001 ? " A decision here means little: no class has rows like this one." : "")));
  }
}
