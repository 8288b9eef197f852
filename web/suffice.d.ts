// The program `suffice` in a page: what build/web/suffice.js makes of build/web/suffice.wasm.

/** How a command ended. 0: done; 1: wrong data, or a file that cannot be read; 2: a wrong command. */
interface SufficeEnd {
  code: number;
  /** Notes, warnings and errors, as on standard error. */
  error: string;
}

interface SufficeResult extends SufficeEnd {
  /** What the command printed. */
  output: string;
}

/** A table that was scored once. */
interface SufficeSession {
  readonly labels: string[];
  /** Rows with a label that the model knows, by weight. */
  readonly rows: number;
  /**
   * The object that `suffice evaluate … --json` prints when `words` (--prior, --cost, --reject) follow
   * those of the session. For more than two classes, figures of detection and calibration are there
   * only with `all`.
   */
  figures(words?: string[], all?: boolean): SufficeEnd & { figures?: SufficeFigures };
  close(): void;
}

/** Numbers that are not finite are the words "inf", "-inf" and "nan". */
type SufficeNumber = number | "inf" | "-inf" | "nan";

interface SufficeFigures {
  rows: SufficeNumber;
  error_rate: SufficeNumber;
  log_loss: SufficeNumber;
  confusion: { labels: string[]; matrix: number[][] };
  prior: number[];
  cost?: SufficeNumber;
  operating_point?: {
    label: string;
    prior: number;
    /** The log-odds of the effective prior: the place on the curve of Bayes errors. */
    log_odds: SufficeNumber;
    miss: number;
    false_alarm: number;
  }[];
  [name: string]: unknown;
}

/** One program with files of its own, in memory. Calls return when the work is done. */
interface Suffice {
  /** Runs a command: run(["fit", "data.csv", "--label", "species", "-o", "model.suffice"]). */
  run(words: string[]): SufficeResult;

  write(name: string, content: string | Uint8Array): void;
  /** Throws where there is no such file. */
  read(name: string): Uint8Array;
  readText(name: string): string;
  exists(name: string): boolean;
  list(): { name: string; size: number }[];
  remove(name: string): void;
  /** Bytes of the module's memory. */
  memory(): number;

  /** Opens a session with the words that follow `evaluate`: open(["model.suffice", "data.csv"]). */
  open(words: string[]): SufficeEnd & { session?: SufficeSession };
}

/** Makes a program from the bytes of suffice.wasm. */
declare function createSuffice(options: { wasmBinary: Uint8Array | ArrayBuffer }): Promise<Suffice>;
