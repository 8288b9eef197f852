// The module and the program side by side: the same files, the same words.
const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const root = path.join(__dirname, "..", "..");
const built = process.env.SUFFICE_MODULE || path.join(root, "build", "web");
const createSuffice = require(path.join(built, "suffice.js"));
const wasmBinary = fs.readFileSync(path.join(built, "suffice.wasm"));

const newEngine = () => createSuffice({ wasmBinary });

/** An engine and a folder in which the program runs. */
class Pair {
  static async make() {
    const pair = new Pair();
    pair.engine = await newEngine();
    pair.folder = fs.mkdtempSync(path.join(os.tmpdir(), "suffice-web-"));
    return pair;
  }
  end() {
    fs.rmSync(this.folder, { recursive: true });
  }
  write(name, content) {
    this.engine.write(name, content);
    fs.writeFileSync(path.join(this.folder, name), content);
  }
  copy(name) {
    this.write(name, fs.readFileSync(path.join(root, "examples", "data", name)));
  }
  native(words) {
    const end = spawnSync(process.env.SUFFICE_BINARY, words, { cwd: this.folder, encoding: "utf8" });
    return { code: end.status, output: end.stdout, error: end.stderr };
  }
  nativeFile(name) {
    return fs.readFileSync(path.join(this.folder, name), "utf8");
  }
  /** Runs both, which must end and complain alike. */
  run(words) {
    const ours = this.engine.run(words);
    const native = this.native(words);
    assert.deepStrictEqual([ours.code, ours.error], [native.code, native.error], words.join(" "));
    return { ours, native };
  }
  /** Runs both, which must do it. */
  done(words) {
    const { ours, native } = this.run(words);
    assert.strictEqual(ours.code, 0, ours.error);
    return { ours, native };
  }
  /** What both print as JSON must agree. */
  json(words, tolerance = 1e-9) {
    const { ours, native } = this.done([...words, "--json"]);
    close(JSON.parse(ours.output), JSON.parse(native.output), tolerance, words.join(" "));
    return JSON.parse(native.output);
  }
}

const numbers = (value) =>
  typeof value === "number" ? [value] : Array.isArray(value) ? value.flatMap(numbers) : [];

/** Equal, but numbers may differ by `tolerance`, relative to the largest of their list. */
function close(ours, native, tolerance, place, scale = 0) {
  if (typeof native === "number" && typeof ours === "number") {
    const size = Math.max(Math.abs(native), scale);
    assert.ok(Math.abs(ours - native) <= tolerance * size, `${place}: ${ours} instead of ${native}`);
  } else if (Array.isArray(native)) {
    assert.ok(Array.isArray(ours) && ours.length === native.length, `${place}: another length`);
    const largest = Math.max(scale, ...numbers(native).map(Math.abs));
    native.forEach((value, i) => close(ours[i], value, tolerance, `${place}[${i}]`, largest));
  } else if (native && typeof native === "object") {
    assert.deepStrictEqual(Object.keys(ours), Object.keys(native), place);
    for (const name of Object.keys(native))
      if (name !== "seconds") close(ours[name], native[name], tolerance, `${place}.${name}`);
  } else {
    assert.strictEqual(ours, native, place);
  }
}

/** Uniform numbers between 0 and 1, always the same (Park and Miller). */
function generator(seed) {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/** A table with numbers, names, counts, zeros and ones, weights and missing cells. */
function mixedTable(rows, classes) {
  const random = generator(7);
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const lines = ["height,width,colour,visits,member,copies,kind"];
  for (let i = 0; i < rows; ++i) {
    const c = i % classes;
    const height = 10 * c + 3 * normal();
    lines.push([
      random() < 0.05 ? "" : height,
      0.3 * height + normal() - c,
      random() < 0.05 ? "" : ["red", "green", "blue"][Math.floor(3 * random() ** (1 + c))],
      Math.floor(-2 * (c + 1) * Math.log(random())),
      random() < 0.2 + 0.2 * c ? 1 : 0,
      1 + Math.floor(3 * random()),
      "kind " + c,
    ].join());
  }
  return lines.join("\n") + "\n";
}

module.exports = { Pair, newEngine, close, generator, mixedTable, root };
