// The page to play with: an example or a table of one's own, a model of it, and what follows.

const playPictures = ["regions", "densities", "confusion", "posteriors", "ellipses", "bayes-error", "reliability",
                      "ratios"];
const pictureNames: Record<string, string> = {
  regions: "Where each class is decided", densities: "What the classes look like",
  posteriors: "How probable the classes are", ellipses: "Where the classes lie",
  correlations: "How the numbers vary together", confusion: "Which classes are confused",
  "bayes-error": "Errors at every prior", reliability: "Can the probabilities be trusted?",
  ratios: "Log-likelihood ratios" };
const mostClasses = 1000, mostHandles = 400;

/** What is shown: a table and a model of it. */
interface Play {
  table: Table;
  text: string;            // the table as CSV
  fit: string[];           // further flags of fit
  example?: Example;
  labels: string[];        // of the model
  weights: number[];
  features: string[];      // columns, if all are numbers of one Gaussian block; otherwise empty
  numbers: number;         // features of Gaussian blocks
  words: string[];         // columns, if all are counts of words; otherwise empty
}

/** The flags of fit of an example, with its parameter where that is one. */
function flagsOf(example: Example, value = 0): string[] {
  const flag = example.parameter?.flag;
  return [...(example.fit ?? []), ...(flag === undefined ? [] : [flag, String(value)])];
}

class PlayBoard {
  private state: Play | undefined;
  private session: Session | undefined;
  private decision: DecisionControls | undefined;
  private readonly alarm = element("p", { class: "alarm", role: "alert", id: "alarm" });
  private readonly about = element("p", { id: "about" });
  private readonly fitted = element("pre", { id: "fit-command" });
  private readonly label = choice([], () => this.relabel());
  private readonly example: HTMLSelectElement;
  private readonly parameter = element("div");
  private readonly decisionPlace = element("div");
  private readonly estimate = new EstimateControls([["auto", "chosen by leave-one-out"]], () => this.refit());
  private readonly panel = new FigurePanel();
  private readonly question: QuestionPanel;
  private readonly document: DocumentPanel;
  private readonly beta = new BetaPanel(priors => this.decision?.take(priors));
  private readonly beside = element("input", { type: "checkbox", id: "beside" });
  private readonly besideLine = labelled("Logistic regression beside it", this.beside);
  private readonly samples = element("section", { class: "card", id: "samples" });
  private readonly figures = element("div", { class: "topics" });
  private readonly pictures: Pictures;
  private readonly editor: PlaneEditor;
  private readonly twinEditor: PlaneEditor;
  private hasTwin = false;
  private planned = false;
  private pending: { table: Table; text: string } | undefined;  // a file whose label may be wrong
  private seed = 0;

  constructor(private readonly engine: Engine, place: HTMLElement) {
    this.example = choice([["", "choose an example"],
      ...examples.map((each, k): [string, string] => [String(k), each.title])], () => {
      if (this.example.value !== "") this.openExample(Number(this.example.value));
    });
    this.question = new QuestionPanel(engine, () => this.guarded(() => this.answer()));
    this.document = new DocumentPanel(engine, () => this.guarded(() => this.answer()));
    this.editor = new PlaneEditor(this.points());
    this.twinEditor = new PlaneEditor(this.points(), this.editor);
    this.pictures = new Pictures(engine, figure => {
      if (figure.dataset["what"] === "regions" && this.editable())
        (figure.dataset["model"] ? this.twinEditor : this.editor).attach(figure);
    });
    this.beside.addEventListener("change", () => {
      if (this.state) this.showFigures(this.state);
      this.guarded(() => this.fitTwin());
      this.decide();
    });
    const file = element("input", { type: "file", accept: ".csv,.tsv,.txt,.gz", id: "file" });
    file.addEventListener("change", () => {
      const chosen = file.files?.[0];
      if (chosen) void this.openFile(chosen);
      file.value = "";
    });
    document.addEventListener("dragover", event => event.preventDefault());
    document.addEventListener("drop", event => {
      event.preventDefault();
      const dropped = event.dataTransfer?.files[0];
      if (dropped) void this.openFile(dropped);
    });
    this.label.id = "label";
    this.example.id = "example";
    place.replaceChildren(
      element("div", { class: "chips" }, labelled("Example", this.example), labelled("or a CSV file", file),
        labelled("Label column", this.label)),
      element("p", { class: "faint" }, "A file can also be dropped anywhere on the page. It stays on this computer."),
      this.about, this.alarm,
      element("div", { class: "controls" },
        element("div", {}, this.parameter, this.decisionPlace, this.estimate.root, this.besideLine, this.fitted),
        element("div", {}, this.panel.root, this.question.root, this.beta.root, this.document.root)),
      this.samples, this.figures);
  }

  openExample(number: number): void {
    const example = examples[number];
    if (!example) return;
    this.example.value = String(number);
    this.pending = undefined;
    this.estimate.chosen = example.estimate;
    this.beside.checked = example.beside ?? false;
    this.showParameter(example);
    this.load(example.table(example.parameter?.value ?? 0), flagsOf(example, example.parameter?.value), example);
  }

  /** A file that was dropped or picked. */
  async openFile(file: { name: string; arrayBuffer(): Promise<ArrayBuffer> }): Promise<void> {
    try {
      let bytes = new Uint8Array(await file.arrayBuffer()), name = file.name.replaceAll("/", "_").replace(/^-/, "_");
      if (name.endsWith(".gz")) {
        bytes = await gunzipped(bytes) as Uint8Array<ArrayBuffer>;
        name = name.slice(0, -3);
      }
      this.openText(name, bytes);
    } catch (error) {
      this.alarm.textContent = `${file.name} cannot be read: ` +
        `${error instanceof Error ? error.message : String(error)}. The page shows what it showed before.`;
    }
  }

  /** Throws a Refusal where the bytes are no table. */
  private openText(name: string, bytes: Uint8Array): void {
    let text = "";
    try {
      if (bytes.includes(0)) throw new Error();
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      throw new Refusal("it is not a text file in UTF-8; a CSV is needed, whose first line names the columns");
    }
    const [columns = [], ...rows] = parseCsv(text, separatorOf(text));
    if (columns.length < 2 || rows.length === 0)
      throw new Refusal("it is not a table; a first line with the names of at least two columns and lines of values " +
        "are needed, separated by commas, semicolons or tabs");
    this.pending = { table: { name, columns, rows, label: guessedLabel(columns, rows) }, text };
    this.showColumns(this.pending.table);
    this.openPending();
  }

  /** The file that was opened last, once its label is right. */
  private openPending(): void {
    const pending = this.pending;
    if (!pending) return;
    const before = this.estimate.chosen;
    this.estimate.chosen = { ...plainEstimate, covariance: "full", shrinkage: "auto" };
    if (!this.load(pending.table, [], undefined, pending.text)) {
      this.estimate.chosen = before;
      return;
    }
    this.pending = undefined;
    this.example.value = "";
    this.showParameter(undefined);
  }

  private relabel(): void {
    const label = this.label.value;
    if (this.pending) {
      this.pending.table.label = label;
      this.openPending();
      return;
    }
    if (!this.state) return;
    if (!this.load({ ...this.state.table, label }, this.state.fit, undefined, this.state.text))
      this.label.value = this.state.table.label;
  }
  private refit(): void {
    if (this.state) this.load(this.state.table, this.state.fit, this.state.example, this.state.text);
  }

  /** Fits a model of the table. If that fails, all stays as it was and the page says why. */
  private load(table: Table, fit: string[], example?: Example, text = csvOf(table)): boolean {
    return this.guarded(() => {
      const before = this.state, engine = this.engine;
      const words = [table.name, "--label", table.label, ...fit, ...estimateWords(this.estimate.chosen)];
      let shown: any;
      let session: Session;
      try {
        const classes = new Set(table.rows.map(row => row[table.columns.indexOf(table.label)])).size;
        if (classes > mostClasses)
          throw new Refusal(`column '${table.label}' has ${classes} classes, and the page shows at most ` +
            `${mostClasses}; choose another label`);
        engine.write(table.name, text);
        engine.run("fit", ...words, "-o", "next.suffice");
        shown = engine.json("show", "next.suffice");
        if (shown.labels.length < 2) {
          engine.remove("next.suffice");
          throw new Refusal(`column '${table.label}' has one class, and the page needs at least two classes`);
        }
        session = engine.open("next.suffice", table.name, "--label", table.label);
      } catch (error) {
        if (before) engine.write(before.table.name, before.text);
        if (before?.table.name !== table.name) engine.remove(table.name);
        throw error;
      }
      engine.write("model.suffice", engine.read("next.suffice"));
      engine.remove("next.suffice");
      if (before && before.table.name !== table.name) engine.remove(before.table.name);
      this.session?.close();
      this.session = session;
      const blocks = shown.blocks as { family: string; features: string[] }[];
      const counted = blocks.length === 1 && blocks[0]?.family === "multinomial" ? blocks[0].features : [];
      const state: Play = { table, text, fit, labels: shown.labels, weights: shown.weights, words: counted,
        numbers: blocks.reduce((sum, block) => sum + (block.family === "gaussian" ? block.features.length : 0), 0),
        features: blocks.length === 1 && blocks[0]?.family === "gaussian" ? blocks[0].features : [],
        ...(example ? { example } : {}) };
      this.state = state;
      this.fitted.textContent = shellLine(["suffice", "fit", ...words, "-o", "model.suffice"]);
      this.fitTwin();
      this.show(state, before);
    });
  }

  /** Logistic regression of the same form, of the same rows. */
  private fitTwin(): void {
    this.hasTwin = false;
    this.fitted.textContent = (this.fitted.textContent ?? "").split("\n")[0] ?? "";  // that of the model
    const state = this.state;
    if (!state || !this.beside.checked || state.features.length === 0) return;
    const words = [state.table.name, "--label", state.table.label, ...twinWords(this.estimate.chosen)];
    this.engine.run("fit", ...words, "-o", "twin.suffice");
    this.fitted.textContent += "\n" + shellLine(["suffice", "fit", ...words, "-o", "twin.suffice"]);
    this.hasTwin = true;
  }

  private show(state: Play, before: Play | undefined): void {
    const isSame = before && before.table.name === state.table.name && before.table.label === state.table.label &&
      before.labels.join("\n") === state.labels.join("\n");
    this.about.textContent = state.example?.text ??
      `${state.table.name}: ${state.table.rows.length} rows, ${state.labels.length} classes.`;
    if (!isSame || before.table.columns.join("\n") !== state.table.columns.join("\n")) {
      this.showFigures(state);
      this.showQuestion(state);
    }
    this.showColumns(state.table);
    if (!isSame) {
      const all = state.weights.reduce((sum, weight) => sum + weight, 0);
      this.decision = new DecisionControls(state.labels, state.weights.map(weight => weight / all), [], [],
                                           () => this.guarded(() => this.decide()));
      this.decisionPlace.replaceChildren(this.decision.root);
      this.panel.forget();
    }
    this.estimate.root.hidden = state.numbers === 0;
    this.besideLine.hidden = state.features.length === 0;
    this.document.show(state.words.length > 0 ? state.example?.document : undefined);
    const place = state.table.columns.indexOf(state.table.label);
    this.beta.show(state.labels, state.table.rows.map(row => row[place] ?? ""), state.example?.pseudoCounts ?? false);
    this.decide();
    this.showSamples(state);
  }

  private decide(): void {
    const { state, session, decision } = this;
    if (!state || !session || !decision) return;
    const words = decision.words(this.engine), answer = session.figures(words);
    if (!answer.figures) throw new Refusal(message(answer.error));
    this.panel.show(answer.figures, `Figures of the ${session.rows} rows that the model was estimated from: they are ` +
      "better than they will be on others.");
    const rows = [state.table.name, "--label", state.table.label];
    this.pictures.refresh({ model: "model.suffice", rows, points: rows, decision: words, shown: each => each },
                          this.figures.querySelectorAll("figure"));
    this.answer();
  }

  private answer(): void {
    if (!this.state || !this.decision) return;
    const words = this.decision.words(this.engine);
    this.question.update("model.suffice", words, this.hasTwin ? "twin.suffice" : "");
    this.document.update("model.suffice", this.state.words, words);
  }

  private showColumns(table: Table): void {
    this.label.replaceChildren(...table.columns.map(name => element("option", { value: name }, name)));
    this.label.value = table.label;
  }

  private showFigures(state: Play): void {
    const old = [...this.figures.querySelectorAll("figure")];
    old.forEach(figure => this.pictures.remove(figure));
    const first = state.example?.pictures ?? playPictures;
    const kinds = [...first, ...playPictures.filter(what => !first.includes(what))]
      .filter(what => state.numbers >= (what === "ellipses" ? 2 : ["regions", "posteriors"].includes(what) ? 1 : 0));
    this.figures.replaceChildren(...kinds.map(what => {
      const waits = () => element("p", { class: "faint" }, "…");
      const isPair = what === "regions" && this.beside.checked && state.features.length > 0;
      const figures = isPair
        ? [element("figure", { "data-what": what }, element("h3", {}, "This model"), waits()),
           element("figure", { "data-what": what, "data-model": "twin.suffice" },
                   element("h3", {}, "Logistic regression"), waits())]
        : [element("figure", { "data-what": what }, waits())];
      figures.forEach(figure => this.pictures.add(figure));
      return element("section", isPair ? { class: "pair" } : {}, element("h2", {}, pictureNames[what] ?? what),
        ...(isPair ? [element("div", { class: "side" }, ...figures)] : figures));
    }));
  }

  private showQuestion(state: Play): void {
    const columns = state.features.length <= 4 ? state.features : [];
    const limits = columns.map((column): [number, number] => {
      const j = state.table.columns.indexOf(column);
      const values = state.table.rows.map(row => Number(row[j])).filter(Number.isFinite);
      return [values.reduce((a, b) => Math.min(a, b), Infinity), values.reduce((a, b) => Math.max(a, b), -Infinity)];
    });
    this.question.show(columns, limits, state.example?.questions ?? []);
  }

  private showParameter(example: Example | undefined): void {
    this.parameter.replaceChildren();
    const parameter = example?.parameter;
    if (!example || !parameter) return;
    const output = element("output", {}, String(parameter.value));
    const at = slider(parameter.from, parameter.to, parameter.step ?? 1, parameter.value, value => {
      output.textContent = String(value);
      this.load(example.table(value), flagsOf(example, value), example);
    });
    this.parameter.append(element("fieldset", {}, element("legend", {}, "The example"),
                                  labelled(parameter.name, at, output)));
  }

  /** Rows drawn from the model. */
  private showSamples(state: Play): void {
    this.samples.hidden = !state.example?.samples;
    if (!state.example?.samples) return;
    const parts: HTMLElement[] = [element("h3", {}, "Drawn from the model"),
      button("Draw others", () => this.guarded(() => { ++this.seed; this.showSamples(state); }))];
    for (const label of state.labels) {
      const text = this.engine.run("sample", "model.suffice", "-n", "6", "--class", label, "--document-length", "12",
                                   "--seed", String(this.seed));
      const [names = [], ...rows] = parseCsv(text, ",");
      const drawn = rows.map(row => state.example?.samples === "pixels"
        ? element("span", { class: "pixels", role: "img", "aria-label": row.slice(0, 9).join(" ") },
                  ...row.slice(0, 9).map(cell => element("i", cell === "1" ? { class: "on" } : {})))
        : element("p", {}, names.slice(0, -1).flatMap((name, j) =>
            Array.from({ length: Number(row[j]) }, () => name)).join(" ")));
      parts.push(element("h4", {}, label), element("div", { class: "drawn" }, ...drawn));
    }
    this.samples.replaceChildren(...parts);
  }

  private editable(): boolean {
    return this.state !== undefined && this.state.features.length === 2 &&
      this.state.table.columns.length === 3 && this.state.table.rows.length <= mostHandles;
  }

  /** The points of a table with two features. Changes are fitted once the page is idle. */
  private points(): Points {
    const table = () => this.state?.table ?? { name: "", columns: [], rows: [], label: "" };
    const columns = () => {
      const [x = 0, y = 1] = this.state?.features.map(name => table().columns.indexOf(name)) ?? [];
      return [x, y, table().columns.indexOf(table().label)] as [number, number, number];
    };
    const change = (rows: string[][]) => {
      if (!this.state) return;
      this.state = { ...this.state, table: { ...table(), rows } };
      if (this.planned) return;
      this.planned = true;
      setTimeout(() => {
        this.planned = false;
        if (this.state) this.load(this.state.table, this.state.fit, this.state.example);
      }, 0);
    };
    const row = (x: number, y: number, label: string) => {
      const [i, j, k] = columns(), cells = ["", "", ""];
      cells[i] = String(x);
      cells[j] = String(y);
      cells[k] = label;
      return cells;
    };
    return {
      count: () => table().rows.length,
      at: of => { const [i, j] = columns(); return [Number(table().rows[of]?.[i]), Number(table().rows[of]?.[j])]; },
      labelOf: of => table().rows[of]?.[columns()[2]] ?? "",
      labels: () => this.state?.labels ?? [],
      move: (of, x, y) => change(table().rows.map((cells, k) => k === of ? row(x, y, cells[columns()[2]] ?? "") : cells)),
      add: (x, y, label) => change([...table().rows, row(x, y, label)]),
      remove: of => change(table().rows.filter((_, k) => k !== of)) };
  }

  private guarded(work: () => void): boolean {
    try {
      work();
      this.alarm.textContent = "";
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) {
        this.alarm.textContent = "The engine stopped. Please load the page again.";
        throw error;
      }
      const message = error.message.trim();
      this.alarm.textContent =
        `${message.charAt(0).toUpperCase()}${message.slice(1)}. The page shows what it showed before.`;
      return false;
    }
  }
}

function startPlay(engine: Engine, page: PlayPage, place: HTMLElement): void {
  const board = new PlayBoard(engine, place);
  board.openExample(0);
  if (page.data === "") return;
  const bytes = engine.read("table");
  engine.remove("table");
  void board.openFile({ name: page.data, arrayBuffer: () => Promise.resolve(bytes.slice().buffer) });
}
