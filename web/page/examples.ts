// Data to play with, made in the page from a fixed seed.

interface Example {
  title: string;
  text: string;
  table: (parameter: number) => Table;
  estimate: EstimateChoice;
  fit?: string[];           // further flags of fit
  questions?: number[][];
  /** Changes the table; or, with `flag`, that flag of fit. */
  parameter?: { name: string; from: number; to: number; value: number; step?: number; flag?: string };
  beside?: boolean;         // logistic regression stands beside the model
  pseudoCounts?: boolean;   // a prior of the class probabilities is shown
  document?: string;        // words to ask about
  pictures?: string[];      // shown first
  samples?: "pixels" | "words";
}

/** Random numbers of a seed (a linear congruential sequence, mixed), and normal deviates of them. */
class Draw {
  private state: number;
  constructor(seed: number) { this.state = seed >>> 0; }
  uniform(): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 16), 0x7feb352d);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
    return (((mixed ^ (mixed >>> 16)) >>> 0) + 0.5) / 4294967296;
  }
  normal(): number {
    return Math.sqrt(-2 * Math.log(this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }
}

/** Normal deviates with exactly this mean and variance (sum of squares over `divisor`). */
function exactNormal(draw: Draw, count: number, mean: number, variance: number, divisor = count): number[] {
  const z = Array.from({ length: count }, () => draw.normal());
  const centre = z.reduce((a, b) => a + b, 0) / count;
  const spread = Math.sqrt(z.reduce((sum, v) => sum + (v - centre) ** 2, 0) / divisor);
  return z.map(v => mean + Math.sqrt(variance) * (v - centre) / spread);
}

/** Points in the plane with exactly these means and covariances (sums over count − 1). */
function exactPlane(draw: Draw, count: number, mean: [number, number],
                    covariance: [xx: number, xy: number, yy: number]): [number, number][] {
  const u = exactNormal(draw, count, 0, 1, count - 1), raw = exactNormal(draw, count, 0, 1, count - 1);
  const common = u.reduce((sum, v, i) => sum + v * (raw[i] ?? 0), 0) / (count - 1);
  const rest = raw.map((v, i) => v - common * (u[i] ?? 0));
  const spread = Math.sqrt(rest.reduce((sum, v) => sum + v * v, 0) / (count - 1));
  const [xx, xy, yy] = covariance, a = Math.sqrt(xx), b = xy / a, c = Math.sqrt(yy - b * b);
  return u.map((v, i) => [mean[0] + a * v, mean[1] + b * v + c * (rest[i] ?? 0) / spread]);
}

type Cloud = [label: string, count: number, mean: [number, number], covariance: [number, number, number]];

function clouds(name: string, seed: number, ...of: Cloud[]): Table {
  const draw = new Draw(seed), rows: string[][] = [];
  for (const [label, count, mean, covariance] of of)
    for (let i = 0; i < count; ++i) {
      const u = draw.normal(), v = draw.normal(), a = Math.sqrt(covariance[0]), b = covariance[1] / a;
      rows.push([(mean[0] + a * u).toFixed(3),
                 (mean[1] + b * u + Math.sqrt(covariance[2] - b * b) * v).toFixed(3), label]);
    }
  return { name, columns: ["x", "y", "class"], rows, label: "class" };
}

function circle(): Table {
  const draw = new Draw(5), rows: string[][] = [];
  for (let i = 0; i < 70; ++i) rows.push([(0.7 * draw.normal()).toFixed(3), (0.7 * draw.normal()).toFixed(3), "inside"]);
  for (let i = 0; i < 70; ++i) {
    const angle = 2 * Math.PI * draw.uniform(), radius = 3 + 0.35 * draw.normal();
    rows.push([(radius * Math.cos(angle)).toFixed(3), (radius * Math.sin(angle)).toFixed(3), "around"]);
  }
  return { name: "circle.csv", columns: ["x", "y", "class"], rows, label: "class" };
}

function copies(count: number): Table {
  const draw = new Draw(11), rows: string[][] = [];
  for (let i = 0; i < 300; ++i) {
    const x = (draw.normal() + (i % 2 ? 1 : 0)).toFixed(3);
    rows.push([...Array.from({ length: count }, () => x), i % 2 ? "b" : "a"]);
  }
  return { name: "copies.csv", columns: [...Array.from({ length: count }, (_, j) => `x${j + 1}`), "class"],
           rows, label: "class" };
}

function stretched(): Table {
  const draw = new Draw(3), rows: string[][] = [], turn = Math.PI / 7;
  for (let i = 0; i < 160; ++i) {
    const along = 4 * draw.normal(), across = 0.45 * draw.normal() + (i % 2 ? 1 : -1);
    rows.push([(along * Math.cos(turn) - across * Math.sin(turn)).toFixed(3),
               (along * Math.sin(turn) + across * Math.cos(turn)).toFixed(3), i % 2 ? "upper" : "lower"]);
  }
  return { name: "stretched.csv", columns: ["x", "y", "class"], rows, label: "class" };
}

function pixels(): Table {
  const draw = new Draw(17), rows: string[][] = [];
  const shapes: [string, string][] = [["cross", "101010101"], ["plus", "010111010"], ["ring", "111101111"]];
  for (let i = 0; i < 150; ++i) {
    const [name, shape] = shapes[i % 3] ?? ["", ""];
    rows.push([...[...shape].map(on => draw.uniform() < (on === "1" ? 0.85 : 0.12) ? "1" : "0"), name]);
  }
  return { name: "pixels.csv", columns: [..."123456789"].map(k => `pixel ${k}`).concat("shape"), rows, label: "shape" };
}

const vocabulary = ["goal", "team", "score", "season", "coach", "oven", "butter", "salt", "recipe", "minutes", "the", "and"];
function documents(): Table {
  const draw = new Draw(23), rows: string[][] = [];
  const topics: [string, number[]][] = [["sport", [6, 7, 5, 4, 3, 0.1, 0, 0.2, 0.1, 4, 9, 7]],
                                        ["cooking", [0.1, 0.2, 0.1, 0.5, 0.1, 5, 6, 6, 4, 5, 9, 8]]];
  for (let i = 0; i < 120; ++i) {
    const [name, weights] = topics[i % 2] ?? ["", []];
    const all = weights.reduce((a, b) => a + b, 0), counts = vocabulary.map(() => 0);
    for (let k = 8 + Math.floor(12 * draw.uniform()); k > 0; --k) {
      let at = all * draw.uniform(), word = 0;
      while (word < weights.length - 1 && (at -= weights[word] ?? 0) > 0) ++word;
      counts[word] = (counts[word] ?? 0) + 1;
    }
    rows.push([...counts.map(String), name]);
  }
  return { name: "documents.csv", columns: [...vocabulary, "topic"], rows, label: "topic" };
}

function heights(): Table {
  const draw = new Draw(1);
  const rows = [["F", 161.82, 46.89], ["M", 175.33, 52.89]].flatMap(([label, mean, variance]) =>
    exactNormal(draw, 100, Number(mean), Number(variance)).map(height => [String(height), String(label)]));
  return { name: "heights.csv", columns: ["height", "sex"], rows, label: "sex" };
}

function notebook(): Table {
  const draw = new Draw(2);
  const rows = [
    ...exactPlane(draw, 50, [-1.01571548, -1.0718555], [0.94856854, -0.09396467, 0.64854352]).map(p => [...p, "1"]),
    ...exactPlane(draw, 100, [1.11191478, 0.94978859], [0.93956064, 0.22173447, 0.8022431]).map(p => [...p, "2"])];
  return { name: "two_gaussians.csv", columns: ["x", "y", "class"], rows: rows.map(row => row.map(String)), label: "class" };
}

const examples: Example[] = [
  { title: "Heights: how likely is a man of 174 cm?",
    text: "Heights in centimetres, normal per class. At 174 cm the density of men is about 4.5 times that of " +
      "women, whatever the priors. Which class is more probable still depends on them: move P(F) to 0.9.",
    table: heights, estimate: { ...plainEstimate, covariance: "diag" }, questions: [[174]],
    pictures: ["regions", "posteriors", "confusion", "bayes-error"] },
  { title: "Two classes that a line separates",
    text: "With one covariance for both classes (tied) the border is a line; with one per class it bends. Drag points " +
      "and see which of them matter.",
    table: () => clouds("line.csv", 7, ["a", 60, [0, 0], [1, 0.3, 1]], ["b", 60, [2.6, 1.4], [1, 0.3, 1]]),
    estimate: { ...plainEstimate, covariance: "tied" }, beside: true },
  { title: "A class within a circle",
    text: "Both classes have the same mean, so a tied covariance cannot tell them apart, and neither can logistic " +
      "regression of x and y. Variances per class (diag), or squares of x and y, draw a closed border.",
    table: circle, estimate: { ...plainEstimate, covariance: "diag" }, beside: true },
  { title: "Three classes",
    text: "Regions of several classes: each point belongs to the class with the largest prior times density.",
    table: () => clouds("three.csv", 9, ["a", 50, [0, 0], [1, 0.6, 1]], ["b", 50, [3, 0], [1, -0.5, 0.7]],
                        ["c", 50, [1.5, 2.6], [0.6, 0, 0.6]]),
    estimate: plainEstimate, beside: true },
  { title: "The prior of the data",
    text: "One class is rare in these rows, so it is rarely decided. If it is more frequent where the model is used, set " +
      "its prior: the model itself does not change.",
    table: () => clouds("rare.csv", 13, ["common", 190, [0, 0], [1, 0, 1]], ["rare", 12, [1.8, 1], [1, 0, 1]]),
    estimate: { ...plainEstimate, covariance: "tied" }, beside: true },
  { title: "Two Gaussians: the points [1, 1] and [10, 10]",
    text: "At [10, 10] the model is certain of class 2, though no row was ever seen near it: densities there are below " +
      "1e-30. The outlier score shows that it resembles neither class.",
    table: notebook, estimate: plainEstimate, fit: ["--normalize", "unbiased"], questions: [[1, 1], [10, 10]] },
  { title: "One feature, copied",
    text: "Naive Bayes takes each copy for new evidence: log-likelihood ratios are multiplied by the number of " +
      "copies. Decisions stay the same, but the probabilities become far too certain.",
    table: copies, estimate: { ...plainEstimate, covariance: "tied-diag" },
    parameter: { name: "Copies", from: 1, to: 20, value: 5 },
    pictures: ["reliability", "ratios", "bayes-error", "confusion"] },
  { title: "LDA against PCA",
    text: "The direction in which the rows vary most (PCA) does not separate the classes; the discriminant direction " +
      "(LDA) does. Change the projection.",
    table: stretched, estimate: { ...plainEstimate, covariance: "tied", projection: "lda", components: "1" },
    pictures: ["regions", "confusion", "ratios", "reliability"] },
  { title: "From full to tied to diagonal",
    text: "Two sliders lead from a covariance per class to the tied one, and from there to a diagonal: the border turns " +
      "from a curve into a line.",
    table: () => clouds("continuum.csv", 19, ["a", 40, [0, 0], [2, 1.5, 2]], ["b", 40, [2.5, 0.5], [1, -0.7, 1]]),
    estimate: plainEstimate, pictures: ["regions", "ellipses", "correlations", "confusion"] },
  { title: "Black and white pixels (Bernoulli)",
    text: "Nine pixels that are 0 or 1, independent given the shape. Below are pictures drawn from the model.",
    table: pixels, estimate: plainEstimate, fit: ["--family", "*=bernoulli"], samples: "pixels",
    pictures: ["densities", "confusion", "reliability", "ratios"] },
  { title: "Words (multinomial)",
    text: "Counts of words in short documents; no document about sport has the word butter. Without smoothing that " +
      "word is impossible in sport, whatever else a document says. Below are documents drawn from the model.",
    table: documents, estimate: plainEstimate, fit: ["--family", "*=multinomial"], samples: "words",
    parameter: { name: "Smoothing", from: 0, to: 5, step: 0.05, value: 1, flag: "--smoothing" },
    document: "goal team score coach butter", pictures: ["densities", "confusion", "ratios", "reliability"] },
  { title: "An outlying row",
    text: "One row of class a lies far to the right. A normal density per class must cover it, and its covariance " +
      "grows; logistic regression hardly looks at rows far from the border. Where no row was ever seen both are " +
      "certain, but only a density can tell that the place is empty.",
    table: () => {
      const line = clouds("outlying.csv", 7, ["a", 60, [0, 0], [1, 0.3, 1]], ["b", 60, [2.6, 1.4], [1, 0.3, 1]]);
      return { ...line, rows: [...line.rows, ["9", "-5", "a"]] };
    },
    estimate: { ...plainEstimate, covariance: "tied" }, beside: true, questions: [[9, -5], [12, 8]] },
  { title: "A prior of the prior",
    text: "How probable is each class before a row is seen? Frequencies of a few labels are poor estimates: after one " +
      "label its class has the frequency 1. A Beta prior adds pseudo-counts, and the posterior is a Beta distribution " +
      "again.",
    table: () => clouds("labels.csv", 29, ["a", 14, [0, 0], [1, 0, 1]], ["b", 26, [2, 1], [1, 0, 1]]),
    estimate: { ...plainEstimate, covariance: "tied" }, pseudoCounts: true },
];
