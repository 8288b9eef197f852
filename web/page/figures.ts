// Figures under the chosen priors and costs, and the confusion matrix.

class FigurePanel {
  readonly root = element("section", { class: "card", "aria-live": "polite", id: "live-figures" });
  private first: Figures | undefined;

  /** Figures that the next ones are compared with. */
  forget(): void { this.first = undefined; }

  show(figures: Figures, note: string): void {
    this.first ??= figures;
    const table = element("table", {}, headings("", "now", "at the start"));
    const add = (name: string, key: keyof Figures, percent = false) => {
      const now = figures[key], before = this.first?.[key];
      if (now === undefined || now === null) return;
      const shown = (value: unknown) =>
        percent && typeof value === "number" ? figure(100 * value) + " %" : figure(value);
      table.append(element("tr", { "data-figure": String(key) }, element("td", {}, name),
        element("td", { class: "n" }, shown(now)), element("td", { class: "n faint" }, shown(before))));
    };
    add("error rate", "error_rate", true);
    add("log-loss", "log_loss");
    add("mean cost", "cost");
    add("normalised cost", "normalized_cost");
    add("normalised cross-entropy", "normalized_cross_entropy");
    const parts: HTMLElement[] = [table];
    if (figures.operating_point?.length === 1) {
      const point = figures.operating_point[0];
      if (point)
        parts.push(element("p", { class: "faint" },
          `Of ${point.label}, ${figure(100 * point.miss)} % are missed; ` +
          `${figure(100 * point.false_alarm)} % of the other rows are false alarms.`));
    }
    parts.push(this.confusion(figures), element("p", { class: "faint" }, note));
    this.root.replaceChildren(...parts);
  }

  private confusion(figures: Figures): HTMLElement {
    const { labels, matrix } = figures.confusion, most = 12;
    const names = labels.slice(0, most);
    const table = element("table", { class: "confusion" }, headings("true ↓ decided →", ...names));
    names.forEach((name, i) => {
      const row = matrix[i] ?? [], all = row.reduce((sum, count) => sum + count, 0);
      table.append(element("tr", {}, element("th", { scope: "row" }, name), ...names.map((_, j) => {
        const count = row[j] ?? 0;
        const cell = element("td", { class: "n" }, figure(count));
        const share = all > 0 ? count / all : 0;
        cell.style.setProperty("--share", String(share));
        cell.className = i === j ? "n right" : "n wrong";
        return cell;
      })));
    });
    const note = labels.length > most ? [element("p", { class: "faint" },
      `The first ${most} of ${labels.length} classes.`)] : [];
    return element("div", { class: "wide" }, table, ...note);
  }
}
