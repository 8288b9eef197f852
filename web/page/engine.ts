// The program itself, as WebAssembly: it is called with the words of a command, and keeps its files
// in memory.

type Session = SufficeSession;
type Figures = SufficeFigures;

/** What a person can mend: the program's own message. */
class Refusal extends Error {}

/** The text of a file that was packed with gzip and written as base64 into an element. */
async function unpacked(packed: Element): Promise<Uint8Array> {
  const text = atob((packed.textContent ?? "").trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return gunzipped(bytes);
}

async function gunzipped(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Engine {
  private constructor(private readonly suffice: Suffice) {}

  /** With all files that the page carries. */
  static async start(): Promise<Engine> {
    const module = document.getElementById("suffice-engine");
    if (!module) throw new Error("the page has no engine");
    const engine = new Engine(await createSuffice({ wasmBinary: await unpacked(module) }));
    for (const file of document.querySelectorAll("script[data-file]"))
      engine.write(file.getAttribute("data-file") ?? "", await unpacked(file));
    return engine;
  }

  /** Standard output. */
  run(...words: string[]): string {
    const answer = this.suffice.run(words);
    if (answer.code !== 0) throw new Refusal(message(answer.error));
    return answer.output;
  }
  json(...words: string[]): any {
    return JSON.parse(this.run(...words, "--json"));
  }
  /** Rows that are scored once, for figures at any priors and costs. */
  open(...words: string[]): Session {
    const opened = this.suffice.open(words);
    if (!opened.session) throw new Refusal(message(opened.error));
    return opened.session;
  }
  write(name: string, content: string | Uint8Array): void { this.suffice.write(name, content); }
  read(name: string): Uint8Array { return this.suffice.read(name); }
  text(name: string): string { return this.suffice.readText(name); }
  exists(name: string): boolean { return this.suffice.exists(name); }
  remove(name: string): void { this.suffice.remove(name); }
}

/** The sentences of an error, without the program's name. */
function message(error: string): string {
  const lines = error.trim().split("\n");
  const first = lines.findIndex(line => line.startsWith("suffice: "));
  return lines.slice(Math.max(first, 0)).join(" ").replace(/^suffice: /, "").trim() ||
    "the command failed without a message";
}

/** Words as a shell reads them. */
function shellLine(words: string[]): string {
  return words.map(word => /^[\w./=,:@%+-]+$/.test(word) ? word
                                                        : `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}
