// The figures of a session are those of `evaluate` for the same priors and costs.
const assert = require("node:assert");
const { test, before, after } = require("node:test");
const { Pair, close, mixedTable } = require("./programs.js");

let pair;
before(async () => {
  pair = await Pair.make();
  pair.write("train2.csv", mixedTable(400, 2));
  pair.write("test2.csv", mixedTable(300, 2) + "1,2,red,3,1,1,kind 9\n1,2,red,3,1,1,\n");
  pair.write("train4.csv", mixedTable(400, 4));
  pair.write("test4.csv", mixedTable(300, 4));
  pair.write("costs.csv", "true,decided,cost\nkind 0,kind 1,7\n");
  for (const count of ["2", "4"])
    pair.done(["fit", `train${count}.csv`, "--label", "kind", "--ignore", "copies", "-o", `model${count}.suffice`]);
  pair.done(["fit", "train2.csv", "--label", "kind", "--ignore", "copies", "--covariance", "full", "--calibration", "none",
             "-o", "plain.suffice"]);
});
after(() => pair.end());

const slow = ["detection", "calibration", "auc", "equal_error_rate", "ratios_are_binned"];

function compare(session, words, more, all) {
  const native = pair.native(["evaluate", ...words, ...more, "--json"]);
  assert.strictEqual(native.code, 0, native.error);
  const expected = JSON.parse(native.output);
  delete expected.warnings;
  const answer = session.figures(more, all);
  assert.strictEqual(answer.code, 0, answer.error);
  const figures = { ...answer.figures };
  delete figures.operating_point;
  if (!all && session.labels.length > 2) {
    // What is left out is left out whole.
    for (const name of slow) {
      delete expected[name];
      delete figures[name];
    }
  }
  close(figures, expected, 1e-9, more.join(" "));
  return answer.figures;
}

const decisions = {
  2: [[], ["--prior", "uniform"], ["--prior", "kind 0=0.95,kind 1=0.05"],
      ["--cost", "kind 0>kind 1=5"], ["--prior", "kind 0=0.2,kind 1=0.8", "--cost", "costs.csv"],
      ["--prior", "kind 0=1,kind 1=0"], ["--reject", "0.05"], []],
  4: [[], ["--prior", "uniform"], ["--prior", "kind 0=0.7,kind 1=0.1,kind 2=0.1,kind 3=0.1"],
      ["--cost", "kind 0>kind 1=5,kind 2>kind 3=0.5", "--reject", "0.3"], ["--cost", "costs.csv"]],
};
for (const [model, classes] of [["model2", 2], ["plain", 2], ["model4", 4]])
  for (const flags of [[], ["--weight", "copies"]])
    test(`${model} ${flags.join(" ")}`, () => {
      const words = [`${model}.suffice`, `test${classes}.csv`, ...flags];
      const opened = pair.engine.open(words);
      assert.strictEqual(opened.code, 0, opened.error);
      const { session } = opened;
      assert.deepStrictEqual(session.labels, Array.from({ length: classes }, (_, c) => `kind ${c}`));
      for (const more of decisions[classes])
        for (const all of [false, true]) {
          const figures = compare(session, words, more, all);
          assert.strictEqual(session.rows, figures.rows);
        }
      session.close();
    });

test("the operating point lies where the decisions are", () => {
  const { session } = pair.engine.open(["plain.suffice", "test2.csv"]);
  for (const [prior, cost] of [[0.5, 1], [0.9, 1], [0.3, 4]]) {
    const { figures } = session.figures(["--prior", `kind 0=${prior},kind 1=${1 - prior}`,
                                         "--cost", `kind 0>kind 1=${cost}`]);
    const [point] = figures.operating_point;
    const [[hits, misses], [alarms, rest]] = figures.confusion.matrix;
    assert.ok(Math.abs(point.log_odds - Math.log(prior * cost / (1 - prior))) < 1e-12);
    assert.ok(Math.abs(point.miss - misses / (hits + misses)) < 1e-12);
    assert.ok(Math.abs(point.false_alarm - alarms / (alarms + rest)) < 1e-12);
  }
});

test("outliers", () => {
  const words = ["plain.suffice", "test2.csv", "--outlier", "0.05"];
  const { session } = pair.engine.open(words);
  assert.ok(compare(session, words, ["--prior", "uniform"], false).outliers > 0);
  const without = pair.engine.open(words.slice(0, 2)).session.figures(["--outlier", "0.05"]);
  assert.strictEqual(without.code, 1);
  assert.match(without.error, /--outlier/);
});

test("mistakes leave a session as it was", () => {
  const words = ["model2.suffice", "test2.csv"];
  const { session } = pair.engine.open(words);
  for (const [code, more] of [[2, ["--prior", "kind 0"]], [1, ["--prior", "kind 0=0.5,kind 7=0.5"]],
                              [1, ["--cost", "absent.csv"]], [2, ["--no-such-flag"]]]) {
    const answer = session.figures(more);
    const native = pair.native(["evaluate", ...words, ...more]);
    assert.deepStrictEqual([answer.code, answer.error], [native.code, native.error]);
    assert.strictEqual(answer.code, code);
    assert.strictEqual(answer.figures, undefined);
  }
  compare(session, words, ["--prior", "uniform"], false);
  for (const wrong of [["model2.suffice"], ["absent.suffice", "test2.csv"], ["model4.suffice", "costs.csv"]]) {
    const opened = pair.engine.open(wrong);
    assert.notStrictEqual(opened.code, 0);
    assert.match(opened.error, /^suffice: /);
    assert.strictEqual(opened.session, undefined);
  }
});

test("two sessions at a time", () => {
  const two = ["model2.suffice", "test2.csv"], four = ["model4.suffice", "test4.csv"];
  const first = pair.engine.open(two).session, second = pair.engine.open(four).session;
  compare(first, two, ["--prior", "uniform"], false);
  compare(second, four, ["--prior", "uniform"], false);
  first.close();
  first.close();
  assert.throws(() => first.figures(["--prior", "uniform"]), /closed/);
  pair.engine.remove("model4.suffice");  // what a session needs it has read
  compare(second, four, ["--reject", "0.2"], false);
});
