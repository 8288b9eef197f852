// A table with a label, as it is edited in the page.

interface Table {
  name: string;       // of its file
  columns: string[];
  rows: string[][];
  label: string;
}

/** The character between the cells: the one that the first line has most of. */
function separatorOf(text: string): string {
  const line = text.slice(0, text.search(/\r|\n|$/));
  const counts = [",", ";", "\t"].map(mark => line.split(mark).length);
  return [",", ";", "\t"][counts.indexOf(Math.max(...counts))] ?? ",";
}

/** The rows of a CSV text, whose cells may be quoted. At most `most` rows. */
function parseCsv(text: string, separator: string, most = Infinity): string[][] {
  const rows: string[][] = [];
  let row: string[] = [], cell = "", quoted = false, begun = false;
  const endRow = () => {
    if (begun || row.length > 0) rows.push([...row, cell]);
    row = [];
    cell = "";
    begun = false;
  };
  for (let i = text.startsWith("\uFEFF") ? 1 : 0; i < text.length && rows.length < most; ++i) {
    const mark = text[i] ?? "";
    if (quoted) {
      if (mark !== "\"") cell += mark;
      else if (text[i + 1] === "\"") { cell += "\""; ++i; }
      else quoted = false;
    } else if (mark === "\"" && cell === "") {
      quoted = begun = true;
    } else if (mark === separator) {
      row.push(cell);
      cell = "";
      begun = true;
    } else if (mark === "\n" || mark === "\r") {
      endRow();
    } else {
      cell += mark;
      begun = true;
    }
  }
  if (rows.length < most) endRow();
  return rows;
}

function csvOf(table: Table): string {
  const quoted = (cell: string) => /[",\n\r]/.test(cell) ? `"${cell.replaceAll("\"", "\"\"")}"` : cell;
  return [table.columns, ...table.rows].map(row => row.map(quoted).join(",") + "\n").join("");
}

/** The column that is most likely the label: one with a usual name, or else the last one with words. */
function guessedLabel(columns: string[], rows: string[][]): string {
  const usual = ["class", "label", "species", "target", "income", "category", "y"];
  const named = usual.map(name => columns.find(column => column.toLowerCase() === name))
    .find(column => column !== undefined);
  if (named !== undefined) return named;
  const worded = columns.filter((_, j) => {
    const values = new Set(rows.slice(0, 1000).map(row => row[j] ?? ""));
    return values.size > 1 && values.size <= 50 && [...values].some(value => !Number.isFinite(Number(value)));
  });
  return worded[worded.length - 1] ?? columns[columns.length - 1] ?? "";
}
