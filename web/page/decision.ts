// Priors and costs: sliders, and the words of the command that they stand for.

/** Probabilities in ten-thousandths, which sum to 1 exactly. */
function roundedPriors(priors: number[]): string[] {
  const parts = priors.map(p => Math.max(Math.round(1e4 * p), 0));
  const largest = parts.indexOf(Math.max(...parts));
  parts[largest] = (parts[largest] ?? 0) + 1e4 - parts.reduce((sum, part) => sum + part, 0);
  return parts.map(part => String(part / 1e4));
}

/** Names that can stand in a list of --prior and --cost. */
function isPlainName(name: string): boolean {
  return name.trim() === name && name !== "" && !/[,=>]/.test(name);
}

class DecisionControls {
  readonly root = element("fieldset", {}, element("legend", {}, "Priors and costs"));
  private priors: number[] = [];
  private touched = false;
  private readonly costs = new Map<string, number>();  // "true,decided", by position
  private readonly shares: (() => void)[] = [];
  private readonly costList = element("div", { class: "chips" });
  private readonly costSliders: (() => void)[] = [];

  /** `start`: priors, and the words of the command that they come from; costs by position. */
  constructor(private readonly labels: string[], private readonly start: number[],
              private readonly startWords: string[], private readonly startCosts: [number, number, number][],
              private readonly changed: () => void) {
    this.priors = [...start];
    this.setCosts();
    if (!labels.every(label => label.trim() === label && label !== "" && !label.includes(",")))
      this.root.append(element("p", { class: "faint" },
        "Priors cannot be given for these classes: a name with a comma or blanks at its ends has no " +
        "place in --prior."));
    else this.addPriors();
    this.addCosts();
    this.root.append(element("div", { class: "chips" },
      button("As at the start", () => this.reset()),
      button("All classes alike", () => this.set(labels.map(() => 1 / labels.length)))));
  }

  /** The flags of the command; a file of costs is written where names cannot stand in a list. */
  words(engine: Engine): string[] {
    const words = this.touched
      ? ["--prior", this.labels.map((label, c) => `${label}=${roundedPriors(this.priors)[c]}`).join(",")]
      : [...this.startWords];
    const given = this.unusual().map(([pair, cost]) => {
      const [truth, decided] = pair.split(",").map(Number) as [number, number];
      return { truth: this.labels[truth] ?? "", decided: this.labels[decided] ?? "", cost };
    });
    if (given.length === 0) return words;
    if (this.labels.every(isPlainName))
      return [...words, "--cost", given.map(c => `${c.truth}>${c.decided}=${c.cost}`).join(",")];
    engine.write("costs.csv", csvOf({ name: "costs.csv", label: "", columns: ["true", "decided", "cost"],
                                      rows: given.map(c => [c.truth, c.decided, String(c.cost)]) }));
    return [...words, "--cost", "costs.csv"];
  }

  /** Priors that come from elsewhere on the page. */
  take(priors: number[]): void { this.set([...priors]); }

  private reset(): void {
    this.priors = [...this.start];
    this.touched = false;
    this.setCosts();
    this.show();
    this.changed();
  }
  private set(priors: number[]): void {
    this.priors = priors;
    this.touched = true;
    this.show();
    this.changed();
  }
  private setCosts(): void {
    this.costs.clear();
    for (const [truth, decided, cost] of this.startCosts) this.costs.set(`${truth},${decided}`, cost);
  }
  /** Costs that must be said: a mistake costs 1 otherwise, and a right decision nothing. */
  private unusual(): [pair: string, cost: number][] {
    return [...this.costs].filter(([pair, cost]) => {
      const [truth, decided] = pair.split(",");
      return cost !== (truth === decided ? 0 : 1);
    });
  }
  private show(): void {
    for (const show of this.shares) show();
    for (const show of this.costSliders) show();
    this.showCosts();
  }

  private addPriors(): void {
    const two = this.labels.length === 2;
    if (this.labels.length <= 12) {
      this.labels.slice(0, two ? 1 : undefined).forEach((_, c) => this.addShare(() => c));
      return;
    }
    const of = choice(this.labels.map((label, c) => [String(c), label]), () => this.show());
    this.root.append(labelled("Class", of));
    this.addShare(() => Number(of.value));
  }

  /** The share of one class; the others keep their proportions. */
  private addShare(of: () => number): void {
    const two = this.labels.length === 2;  // log-odds, so that rare classes have room
    const at = two ? slider(-7, 7, 0.02, 0, value => move(1 / (1 + Math.exp(-value))))
                   : slider(0, 1, 0.001, 0, value => move(value));
    const typed = element("input", { type: "number", min: 0, max: 1, step: "any", class: "share" });
    const move = (wanted: number) => {
      const c = of(), share = Math.min(Math.max(wanted, two ? 1e-3 : 0), two ? 0.999 : 1);
      const rest = 1 - (this.priors[c] ?? 0);
      this.set(this.priors.map((p, k) => k === c ? share
        : rest > 0 ? p * (1 - share) / rest : (1 - share) / (this.priors.length - 1)));
    };
    const show = () => {
      const p = this.priors[of()] ?? 0;
      if (document.activeElement !== at || !this.touched)
        at.value = String(two ? Math.log(Math.max(p, 1e-4) / Math.max(1 - p, 1e-4)) : p);
      typed.value = roundedPriors(this.priors)[of()] ?? "";
      at.setAttribute("aria-valuetext", typed.value);
      typed.setAttribute("aria-label", `Prior of ${this.labels[of()] ?? ""}`);
    };
    typed.addEventListener("change", () => {
      if (typed.value !== "" && Number.isFinite(Number(typed.value))) move(Number(typed.value));
      show();
    });
    const name = this.labels.length <= 12 ? `P(${this.labels[of()] ?? ""})` : "Its prior";
    this.root.append(labelled(name, at, typed));
    this.shares.push(show);
    show();
  }

  private addCosts(): void {
    if (this.labels.length === 2) {
      this.addCost(() => [0, 1]);
      this.addCost(() => [1, 0]);
      return;
    }
    const names: [string, string][] = this.labels.map((label, c) => [String(c), label]);
    const truth = choice(names, () => this.show()), decided = choice(names, () => this.show());
    decided.selectedIndex = 1;
    this.root.append(labelled("Where this class is true", truth), labelled("and this one is decided", decided));
    this.addCost(() => [truth.selectedIndex, decided.selectedIndex]);
    this.root.append(this.costList);
    this.showCosts();
  }

  /** The cost of one mistake, from 0.1 to 100 on a logarithmic scale. */
  private addCost(of: () => [number, number]): void {
    const output = element("output");
    const at = slider(-1, 2, 0.05, 0, value => {
      const [truth, decided] = of();
      if (truth !== decided) this.costs.set(`${truth},${decided}`, Number((10 ** value).toPrecision(2)));
      this.show();
      this.changed();
    });
    const show = () => {
      const [truth, decided] = of();
      const cost = this.costs.get(`${truth},${decided}`) ?? (truth === decided ? 0 : 1);
      at.disabled = truth === decided;
      if (document.activeElement !== at || cost === 1) at.value = String(Math.log10(Math.max(cost, 0.1)));
      output.textContent = String(cost);
      at.setAttribute("aria-valuetext", output.textContent);
    };
    const [truth, decided] = of();
    const name = this.labels.length === 2
      ? `Cost of ${this.labels[decided] ?? ""} where ${this.labels[truth] ?? ""} is true` : "costs";
    this.root.append(labelled(name, at, output));
    this.costSliders.push(show);
    show();
  }

  private showCosts(): void {
    this.costList.replaceChildren(...this.unusual().map(([pair, cost]) => {
      const [truth, decided] = pair.split(",").map(c => this.labels[Number(c)] ?? "");
      return button(`${truth} → ${decided}: ${cost} ×`, () => {
        this.costs.delete(pair);
        this.show();
        this.changed();
      });
    }));
  }
}
