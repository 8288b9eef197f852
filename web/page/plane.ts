// Points in the picture of decision regions that can be added, moved and removed.

/** What the editor changes; the owner draws again. */
interface Points {
  count(): number;
  at(row: number): [x: number, y: number];
  labelOf(row: number): string;
  labels(): string[];
  move(row: number, x: number, y: number): void;
  add(x: number, y: number, label: string): void;
  remove(row: number): void;
}

interface Axis { from: number; to: number; begin: number; end: number }

const value = (axis: Axis, pixel: number) =>
  axis.from + (pixel - axis.begin) / (axis.end - axis.begin) * (axis.to - axis.from);
const pixel = (axis: Axis, at: number) =>
  axis.begin + (at - axis.from) / (axis.to - axis.from) * (axis.end - axis.begin);
const within = (at: number, a: number, b: number) => Math.min(Math.max(at, Math.min(a, b)), Math.max(a, b));
const rounded = (axis: Axis, at: number) => {
  const digits = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(axis.to - axis.from) || 1)));
  return Number(at.toFixed(Math.min(digits, 20)));
};

class PlaneEditor {
  readonly tools = element("div", { class: "chips" });
  private readonly label = element("select", { "aria-label": "Class of new points" });
  private picture: SVGSVGElement | undefined;
  private handles: SVGCircleElement[] = [];
  private x: Axis = { from: 0, to: 1, begin: 0, end: 1 };
  private y: Axis = { from: 0, to: 1, begin: 0, end: 1 };
  private current = 0;
  private hasFocus = false;
  private dragged = false;
  private pressed = false;

  /** `beside`: the editor of another picture of the same points, which has the tools. */
  constructor(private readonly points: Points, private readonly beside?: PlaneEditor) {
    this.tools.append(
      labelled("New points are", this.label),
      button("Add a point", () => this.add((this.x.from + this.x.to) / 2, (this.y.from + this.y.to) / 2)),
      element("span", { class: "faint" },
        "Click to add, drag to move, double-click to remove. Keys: N and P for the next and previous " +
        "point, arrows move it, Delete removes it."));
    document.addEventListener("pointermove", event => this.drag(event));
    document.addEventListener("pointerup", () => { this.pressed = false; });
  }

  /** Puts handles over the points of a picture that was just drawn. */
  attach(figure: HTMLElement): void {
    const picture = figure.querySelector<SVGSVGElement>(":scope > svg");
    const panel = picture?.querySelector<SVGSVGElement>("svg[data-x][data-y]");
    this.picture = undefined;
    if (!picture || !panel) return;
    const area = panel.viewBox.baseVal;
    const [left, right] = panel.dataset["x"]?.split(" ").map(Number) as [number, number];
    const [low, high] = panel.dataset["y"]?.split(" ").map(Number) as [number, number];
    this.x = { from: left, to: right, begin: area.x, end: area.x + area.width };
    this.y = { from: low, to: high, begin: area.y + area.height, end: area.y };
    this.picture = picture;
    this.showLabels();
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
    group.setAttribute("class", "handles");
    this.handles = [];
    for (let row = 0; row < this.points.count(); ++row) group.append(this.handle(row));
    picture.append(group);
    panel.addEventListener("click", event => {
      if (!this.dragged) this.add(...this.place(event));
      this.dragged = false;
    });
    picture.removeAttribute("role");  // it has parts that can be reached
    this.choose(Math.min(this.current, this.points.count() - 1), this.hasFocus);
    if (!this.beside) figure.append(this.tools);
  }

  private handle(row: number): SVGCircleElement {
    const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    const [x, y] = this.points.at(row);
    circle.setAttribute("cx", String(pixel(this.x, x)));
    circle.setAttribute("cy", String(pixel(this.y, y)));
    circle.setAttribute("r", "7");
    circle.setAttribute("tabindex", "-1");
    circle.setAttribute("role", "button");
    circle.setAttribute("aria-label", `Row ${row + 1}, ${this.points.labelOf(row)}, at ${figure(x)} and ${figure(y)}`);
    circle.addEventListener("pointerdown", event => {
      event.preventDefault();
      this.pressed = true;
      this.dragged = false;
      this.hasFocus = true;
      this.choose(row, true);
    });
    circle.addEventListener("click", event => { event.stopPropagation(); this.dragged = false; });
    circle.addEventListener("dblclick", event => { event.stopPropagation(); this.remove(row); });
    circle.addEventListener("keydown", event => this.key(event, row));
    circle.addEventListener("focus", () => { this.current = row; this.hasFocus = true; });
    circle.addEventListener("blur", () => setTimeout(() => {  // a new picture gives the focus back
      if (circle.isConnected && !this.handles.includes(document.activeElement as unknown as SVGCircleElement))
        this.hasFocus = false;
    }, 0));
    this.handles.push(circle);
    return circle;
  }

  private key(event: KeyboardEvent, row: number): void {
    const step = event.shiftKey ? 0.05 : 0.01;
    const wide = step * (this.x.to - this.x.from), high = step * (this.y.to - this.y.from);
    const [x, y] = this.points.at(row);
    const moves: Record<string, () => void> = {
      ArrowLeft: () => this.move(row, x - wide, y), ArrowRight: () => this.move(row, x + wide, y),
      ArrowDown: () => this.move(row, x, y - high), ArrowUp: () => this.move(row, x, y + high),
      Delete: () => this.remove(row), Backspace: () => this.remove(row),
      n: () => this.choose((row + 1) % this.points.count(), true),
      p: () => this.choose((row + this.points.count() - 1) % this.points.count(), true) };
    const move = moves[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!move || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    move();
  }

  private choose(row: number, focus: boolean): void {
    this.current = Math.max(row, 0);
    this.handles.forEach((handle, k) => handle.setAttribute("tabindex", k === this.current ? "0" : "-1"));
    if (focus) this.handles[this.current]?.focus({ preventScroll: true });
  }

  private drag(event: PointerEvent): void {
    if (!this.pressed || !this.picture) return;
    const [x, y] = this.place(event);
    this.dragged = true;
    this.move(this.current, x, y);
  }

  private place(event: MouseEvent): [number, number] {
    const matrix = this.picture?.getScreenCTM()?.inverse();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix ?? new DOMMatrix());
    return [value(this.x, within(at.x, this.x.begin, this.x.end)),
            value(this.y, within(at.y, this.y.begin, this.y.end))];
  }

  private move(row: number, x: number, y: number): void {
    const to: [number, number] = [rounded(this.x, within(x, this.x.from, this.x.to)),
                                  rounded(this.y, within(y, this.y.from, this.y.to))];
    const handle = this.handles[row];
    handle?.setAttribute("cx", String(pixel(this.x, to[0])));
    handle?.setAttribute("cy", String(pixel(this.y, to[1])));
    this.points.move(row, ...to);
  }

  private add(x: number, y: number): void {
    const names = this.points.labels();
    let label = (this.beside ?? this).label.value;
    for (let k = names.length + 1; label === ""; ++k)
      if (!names.includes(`class ${k}`)) label = `class ${k}`;
    this.current = this.points.count();
    this.hasFocus = true;
    this.points.add(rounded(this.x, x), rounded(this.y, y), label);
  }

  private remove(row: number): void {
    this.current = Math.max(0, row - 1);
    this.points.remove(row);
  }

  private showLabels(): void {
    const before = this.label.value, names = this.points.labels();
    this.label.replaceChildren(...names.map(name => element("option", { value: name }, name)),
                               element("option", { value: "" }, "a new class"));
    this.label.value = names.includes(before) ? before : names[0] ?? "";
  }
}
