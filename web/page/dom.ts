// Elements of the page. Words become text nodes, so names in data are never markup.

type Child = Node | string;
type Attributes = Record<string, string | number | boolean>;

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[Tag] {
  const result = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== false) result.setAttribute(name, value === true ? "" : String(value));
  result.append(...children);
  return result;
}

/** A label with its control. */
function labelled(words: string, ...controls: HTMLElement[]): HTMLElement {
  return element("label", { class: "control" }, element("span", {}, words), ...controls);
}

function choice(values: [value: string, words: string][], changed: () => void): HTMLSelectElement {
  const list = element("select");
  for (const [value, words] of values) list.append(element("option", { value }, words));
  list.addEventListener("change", changed);
  return list;
}

function button(words: string, pressed: () => void): HTMLButtonElement {
  const result = element("button", { type: "button" }, words);
  result.addEventListener("click", pressed);
  return result;
}

function slider(from: number, to: number, step: number, value: number,
                moved: (value: number) => void): HTMLInputElement {
  const result = element("input", { type: "range", min: from, max: to, step });
  result.value = String(value);
  result.addEventListener("input", () => moved(Number(result.value)));
  return result;
}

function headings(...words: string[]): HTMLTableRowElement {
  return element("tr", {}, ...words.map(word => element("th", { scope: "col" }, word)));
}

/** Numbers of a table for people: about four digits. */
function figure(value: unknown): string {
  if (typeof value === "string") return value;  // "inf", "nan"
  if (typeof value !== "number") return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-4) return value.toExponential(3);
  return String(Number(value.toPrecision(4)));
}
