// The live report: priors, costs and estimates can be changed in the page.

interface LivePage {
  kind: "live";
  model: string;          // file in the page
  rows: string[];         // file in the page and its flags; empty: none
  statistics: string;     // file in the page; empty: none
  counts: { rows: number; all: number };
  labels: string[];
  priors: number[];       // at the start
  prior_words: string[];  // --prior, as it was given
  costs: [truth: number, decided: number, cost: number][];
  shown: { model: string; data: string[]; fit: string[] };  // as a person typed them
  why: string;            // no rows or statistics: the reason
}

/** Pictures of the model need no more points than a person can see. */
function pointsOf(engine: Engine, page: LivePage): string[] {
  const [file, ...flags] = page.rows, most = 1000;
  if (file === undefined || page.counts.rows <= most) return page.rows;
  const [columns = [], ...rows] = parseCsv(engine.text(file), ",");
  const every = rows.length / most;
  engine.write("points.csv", csvOf({ name: "points.csv", label: "", columns,
    rows: Array.from({ length: most }, (_, k) => rows[Math.floor(k * every)] ?? []) }));
  return ["points.csv", ...flags];
}

function startLive(engine: Engine, page: LivePage, place: HTMLElement): void {
  if (page.model === "") {
    place.replaceChildren(element("p", { class: "faint" }, page.why));
    return;
  }
  const alarm = element("p", { class: "alarm", role: "alert" }), fitted = element("pre");
  const figures = [...document.querySelectorAll<HTMLElement>("figure[data-what]")];
  const pictures = new Pictures(engine);
  for (const each of figures) pictures.add(each);
  const panel = new FigurePanel();
  let model = page.model, fitWords: string[] = [];
  let session: Session | undefined;

  const guarded = (work: () => void) => {
    try {
      work();
      alarm.textContent = "";
    } catch (error) {
      alarm.textContent = error instanceof Refusal ? error.message
                                                   : "The engine stopped. Please load the page again.";
      if (!(error instanceof Refusal)) throw error;
    }
  };
  const shown = (words: string[]) => words.flatMap(word =>
    word === page.model ? [page.shown.model]
      : word === page.rows[0] || word === "points.csv" ? page.shown.data
        : page.rows.includes(word) && page.rows.indexOf(word) > 0 ? [] : [word]);
  const note = () => `Figures of ${page.counts.rows === page.counts.all ? "all" : "a sample of"} ` +
    `${page.counts.rows} rows${page.counts.rows === page.counts.all ? "" : ` out of ${page.counts.all}`}.` +
    (model === page.model ? "" : " The model was estimated from the statistics of these rows, so the figures " +
      "are better than they will be on others.");

  const points = pointsOf(engine, page);
  const decide = () => guarded(() => {
    const words = decision.words(engine);
    if (session) {
      const answer = session.figures(words);
      if (!answer.figures) throw new Refusal(message(answer.error));
      panel.show(answer.figures, note());
    }
    pictures.refresh({ model, rows: page.rows, points, decision: words, shown }, figures);
  });
  const estimate = () => guarded(() => {
    const chosen = controls.chosen;
    if (chosen.covariance === "") {
      model = page.model;
      fitWords = [];
    } else {
      const words = estimateWords(chosen);
      engine.run("fit", page.statistics, ...words, "-o", "changed.suffice");
      model = "changed.suffice";
      fitWords = ["suffice", "fit", ...page.shown.fit, ...words, "-o", "changed.suffice"];
    }
    fitted.textContent = shellLine(fitWords);
    fitted.hidden = fitWords.length === 0;
    if (page.rows.length > 0) {
      session?.close();
      session = undefined;
      session = engine.open(model, ...page.rows);
    }
    decide();
  });

  const decision = new DecisionControls(page.labels, page.priors, page.prior_words, page.costs, decide);
  const controls = new EstimateControls([["", "the model of this report"]], estimate);
  controls.chosen = { ...plainEstimate, covariance: "", shrinkage: "auto" };
  const parts: HTMLElement[] = [decision.root];
  if (page.statistics !== "") parts.push(controls.root);
  if (page.why !== "") parts.push(element("p", { class: "faint" }, page.why));
  fitted.hidden = true;
  place.replaceChildren(element("h2", {}, "Change it"), element("p", {},
    "Move a prior or a cost, or estimate the model in another way: figures and pictures follow."),
    element("div", { class: "controls" }, element("div", {}, ...parts, fitted, alarm), panel.root));
  panel.root.hidden = page.rows.length === 0;
  guarded(() => {
    if (page.rows.length === 0) return;
    session = engine.open(model, ...page.rows);
    const answer = session.figures(decision.words(engine));
    if (answer.figures) panel.show(answer.figures, note());
  });
}
