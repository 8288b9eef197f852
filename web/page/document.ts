// A document that a person writes, and what a model of words says of it.

class DocumentPanel {
  readonly root = element("section", { class: "card", id: "document" });
  private readonly text = element("input", { type: "text", "aria-label": "Words" });
  private readonly answer = element("div", { "aria-live": "polite" });

  constructor(private readonly engine: Engine, ask: () => void) {
    this.text.addEventListener("input", ask);
    this.root.append(element("h3", {}, "A document of your own"), labelled("Words", this.text), this.answer);
  }

  /** `words`: to begin with; without them there is no panel. */
  show(words: string | undefined): void {
    this.root.hidden = words === undefined;
    if (words !== undefined && this.text.value === "") this.text.value = words;
  }

  /** For a model of counts of the words `columns`. */
  update(model: string, columns: string[], decision: string[]): void {
    if (this.root.hidden) return;
    const words = this.text.value.trim().split(/\s+/).filter(word => word !== "");
    const counts = columns.map(column => words.filter(word => word === column).length);
    this.engine.write("document.csv", csvOf({ name: "", label: "", columns, rows: [counts.map(String)] }));
    const [names = [], cells = []] = parseCsv(this.engine.run("predict", model, "document.csv", "--output",
      "proba,loglik", ...decision), ",");
    const cell = (name: string) => cells[names.indexOf(name)] ?? "";
    const labels = names.filter(each => each.startsWith("proba:")).map(each => each.slice(6));
    const shares = (this.engine.json("show", model).blocks[0]?.probability ?? []) as number[][];
    const table = element("table", {}, headings("class", "log p(document | class)", "P(class | document)"));
    for (const label of labels)
      table.append(element("tr", { "data-class": label }, element("td", {}, label),
        element("td", { class: "n" }, figure(Number.isFinite(Number(cell(`loglik:${label}`)))
          ? Number(cell(`loglik:${label}`)) : "−∞")),
        element("td", { class: "n" }, figure(Number(cell(`proba:${label}`))))));
    const perWord = element("table", { id: "word-shares" }, headings("word", ...labels.map(label => `P(word | ${label})`)));
    for (const word of new Set(words)) {
      const j = columns.indexOf(word);
      perWord.append(element("tr", {}, element("td", {}, word), ...labels.map((_, c) =>
        element("td", { class: "n" }, j < 0 ? "not counted" : figure(shares[c]?.[j])))));
    }
    this.answer.replaceChildren(table, element("div", { class: "wide" }, perWord));
  }
}
