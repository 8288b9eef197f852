// The module is the program: the same words give the same models, figures, pictures and errors.
const assert = require("node:assert");
const { test, before, after } = require("node:test");
const { Pair, newEngine, generator, mixedTable } = require("./programs.js");

let pair;
before(async () => {
  pair = await Pair.make();
  pair.copy("iris.csv");
  pair.copy("penguins.csv");
  pair.write("mixed.csv", mixedTable(600, 3));
  pair.write("two.csv", mixedTable(500, 2));
});
after(() => pair.end());

const mixed = ["--label", "kind", "--weight", "copies", "--family", "visits=poisson"];
const fits = {
  iris: ["iris.csv", "--label", "species"],
  penguins: ["penguins.csv", "--label", "species"],
  mixed: ["mixed.csv", ...mixed],
  two: ["two.csv", ...mixed],
  tied: ["iris.csv", "--label", "species", "--covariance", "tied"],
  "Student's t": ["iris.csv", "--label", "species", "--covariance", "full", "--tails", "5"],
  projected: ["penguins.csv", "--label", "species", "--covariance", "full", "--pca", "3", "--lda", "1"],
  bayes: ["mixed.csv", ...mixed, "--covariance", "full", "--estimate", "bayes"],
  "leave-one-out": ["iris.csv", "--label", "species", "--covariance", "full", "--shrinkage", "loo"],
};
for (const [name, words] of Object.entries(fits))
  test(`fit, show and evaluate: ${name}`, () => {
    pair.done(["fit", ...words, "-o", "model.suffice"]);
    // A calibration ends where a step gains a 1e-13th of the loss, which leaves its numbers some 1e-8.
    const tolerance = words.includes("--weight") ? 1e-8 : 1e-9;
    const model = pair.json(["show", "model.suffice"], tolerance);
    assert.strictEqual(model.kind, "model");
    const weight = words.includes("--weight") ? ["--weight", "copies"] : [];
    const report = pair.json(["evaluate", "model.suffice", words[0], ...weight], tolerance);
    assert.ok(report.rows > 100 && report.error_rate < 0.5);
    pair.json(["evaluate", "model.suffice", words[0], "--prior", "uniform", "--reject", "0.1"],
              tolerance);
  });

test("text for people is the same", () => {
  for (const words of [["--help"], ["fit", "--help"], ["fit", "iris.csv", "--label", "species"],
                       ["show", "model.suffice"], ["evaluate", "model.suffice", "iris.csv"]]) {
    const { ours, native } = pair.done(words);
    assert.strictEqual(ours.output, native.output, words.join(" "));
  }
});

test("select, statistics, merge and subtract", () => {
  // Calibrations are found by iteration, to fewer digits than sums have.
  pair.json(["select", "iris.csv", "--label", "species", "--covariance", "full,tied,diag"], 1e-7);
  pair.done(["stats", "mixed.csv", ...mixed, "-o", "all.stats"]);
  pair.json(["show", "all.stats"]);
  pair.done(["merge", "all.stats", "all.stats", "-o", "twice.stats"]);
  pair.done(["subtract", "twice.stats", "all.stats", "-o", "once.stats"]);
  pair.json(["show", "once.stats"]);
});

test("predict and sample", () => {
  pair.done(["fit", "penguins.csv", "--label", "species", "-o", "penguins.suffice"]);
  pair.json(["predict", "penguins.suffice", "penguins.csv", "--output", "proba,loglik,logpx"]);
  pair.json(["sample", "penguins.suffice", "-n", "50", "--seed", "3"]);
});

test("numbers are read to the last bit", () => {
  const random = generator(11);
  const texts = ["1e-310", "4.9e-324", "1.7976931348623157e308", "0.1", ".5", "5.", "-0", "1e22", "1E+5",
                 "123456789012345678901234567890", "9007199254740993", "2.2250738585072011e-308"];
  for (let i = 0; i < 500; ++i)
    texts.push(((random() - 0.5) * 10 ** Math.floor(600 * random() - 300)).toString());
  for (let i = 0; i < 200; ++i)
    texts.push(Array.from({ length: 25 }, () => Math.floor(10 * random())).join("") + "e" +
               Math.floor(500 * random() - 280));
  const table = "x,y\n" + texts.map((text, i) => `${text},row${i}\n`).join("");
  pair.write("texts.csv", table);
  pair.done(["stats", "texts.csv", "--label", "y", "--covariance", "diag", "-o", "texts.stats"]);
  const { ours } = pair.done(["show", "texts.stats", "--json"]);
  const shown = JSON.parse(ours.output);
  const mean = Object.fromEntries(shown.labels.map((label, i) => [label, shown.blocks[0].mean[i][0]]));
  texts.forEach((text, i) => assert.strictEqual(mean[`row${i}`], Number(text) + 0, text));
});

const number = /-?\d+(\.\d+)?/g;
const line = /"M[-\d. ]+(L[-\d. ]+)+"/g;

/** The distance of a point from a line through points. */
function distance([x, y], points) {
  let least = Infinity;
  for (let i = 1; i < points.length; ++i) {
    const [[ax, ay], [bx, by]] = [points[i - 1], points[i]];
    const [dx, dy] = [bx - ax, by - ay];
    const t = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
    least = Math.min(least, Math.hypot(x - ax - t * dx, y - ay - t * dy));
  }
  return least;
}

/** Equal up to rounding. Lines are compared by distance, because rounding decides which of their points are dropped. */
function samePicture(ours, native, what) {
  const lines = (svg) =>
    (svg.match(line) || []).map((d) => {
      const flat = d.match(number).map(Number);
      return flat.filter((_, i) => i % 2 === 0).map((x, i) => [x, flat[2 * i + 1]]);
    });
  const [ourLines, nativeLines] = [lines(ours), lines(native)];
  assert.strictEqual(ourLines.length, nativeLines.length, what);
  ourLines.forEach((points, i) => {
    for (const [from, to] of [[points, nativeLines[i]], [nativeLines[i], points]])
      for (const point of from) assert.ok(distance(point, to) < 0.25, `${what}: ${point}`);
  });
  const rest = (svg) => svg.replace(line, "line");
  assert.strictEqual(rest(ours).replace(number, "#"), rest(native).replace(number, "#"), what);
  const [a, b] = [ours, native].map((svg) => rest(svg).match(number).map(Number));
  assert.ok(a.length > 50);
  a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) <= 0.011, `${what}: ${x} instead of ${b[i]}`));
}

test("a picture is the same up to rounding of its coordinates", () => {
  pair.done(["fit", "iris.csv", "--label", "species", "--covariance", "full", "-o", "iris.suffice"]);
  const plane = ["--features", "petal_length,petal_width"];
  for (const [what, ...more] of [["densities"], ["posteriors", "--features", "petal_length"],
                                 ["regions", ...plane], ["ellipses", ...plane], ["correlations"]]) {
    const words = ["plot", "iris.suffice", "iris.csv", "--what", what, ...more, "-o", "picture.svg"];
    pair.done(words);
    samePicture(pair.engine.readText("picture.svg"), pair.nativeFile("picture.svg"), what);
  }
});

test("errors arrive as text, and the module works on", () => {
  pair.write("broken.csv", "a,species\n1,x\n2\n");
  pair.write("one.csv", "a,species\n1,x\n2,x\n");
  for (const [code, ...words] of [
    [2, "fitt"],
    [2, "fit"],
    [2, "fit", "iris.csv", "--label", "species", "--covariance", "ful"],
    [1, "fit", "absent.csv", "--label", "species"],
    [1, "fit", "iris.csv", "--label", "specie"],
    [1, "fit", "broken.csv", "--label", "species"],
    [1, "evaluate", "iris.csv", "iris.csv"],
    [1, "evaluate", "iris.suffice", "penguins.csv"],
    [1, "evaluate", "iris.suffice", "iris.csv", "--prior", "setosa=1"],
    [1, "fit", "iris.csv", "--label", "species", "-o", "absent/model.suffice"],
  ]) {
    const { ours } = pair.run(words);
    assert.strictEqual(ours.code, code, words.join(" "));
    assert.match(ours.error, /^suffice: /);
    assert.strictEqual(ours.output, "");
  }
  pair.json(["show", "iris.suffice"]);
});

test("what a page cannot read is refused", () => {
  const { engine } = pair;
  for (const [name, bytes] of [["a.csv.gz", [0x1f, 0x8b, 8, 0]], ["a.csv.zst", [0x28, 0xb5, 0x2f, 0xfd]],
                               ["a.parquet", [80, 65, 82, 49]]]) {
    engine.write(name, Uint8Array.from(bytes));
    const end = engine.run(["fit", name, "--label", "x"]);
    assert.strictEqual(end.code, 1);
    assert.match(end.error, /a web page reads no /);
  }
  assert.strictEqual(engine.run(["fit", "-", "--label", "x"]).code, 1);
});

test("a call leaves nothing behind", () => {
  const { engine } = pair;
  const files = engine.list();
  const fit = () => engine.run(["fit", "iris.csv", "--label", "species", "-o", "again.suffice"]);
  const first = fit();
  const model = engine.read("again.suffice");
  engine.run(["fit", "penguins.csv", "--label", "species", "-o", "again.suffice"]);
  engine.run(["fit", "absent.csv", "--label", "species", "-o", "again.suffice"]);
  engine.run(["--help"]);
  assert.deepStrictEqual(fit(), first);
  assert.deepStrictEqual(engine.read("again.suffice"), model);
  engine.remove("again.suffice");
  assert.deepStrictEqual(engine.list(), files);
});

test("engines are apart", async () => {
  const other = await newEngine();
  assert.deepStrictEqual(other.list(), []);
  other.write("x.csv", "a");
  assert.ok(!pair.engine.exists("x.csv"));
});

test("files", () => {
  const { engine } = pair;
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  engine.write("größe 🐧.csv", bytes);
  assert.deepStrictEqual(engine.read("größe 🐧.csv"), bytes);
  engine.write("größe 🐧.csv", "é\n");
  assert.strictEqual(engine.readText("größe 🐧.csv"), "é\n");
  assert.deepStrictEqual(engine.list().find(({ name }) => name.startsWith("gr")),
                         { name: "größe 🐧.csv", size: 3 });
  engine.remove("größe 🐧.csv");
  engine.remove("größe 🐧.csv");
  assert.ok(!engine.exists("größe 🐧.csv"));
  assert.throws(() => engine.read("absent"), /absent/);
  assert.throws(() => engine.write("absent/x", "y"), /absent/);
});
