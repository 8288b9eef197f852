"""What can be measured of how a page looks."""

# Texts of a picture that cover each other or leave it, and cards that cover each other.
COLLISIONS = """() => {
  const found = [];
  const shown = box => box.width > 0 && box.height > 0;
  const overlap = (a, b) => Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left),
                                     Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
  const compare = (list, most, scale = 1) => {
    for (let i = 0; i < list.length; ++i)
      for (let j = i + 1; j < list.length; ++j)
        if (overlap(list[i].box, list[j].box) > most * scale)
          found.push(`"${list[i].name}" covers "${list[j].name}"`);
  };
  for (const picture of document.querySelectorAll("figure > svg")) {
    const whole = picture.getBoundingClientRect();
    if (!shown(whole)) continue;
    const texts = [];
    for (const text of picture.querySelectorAll("text:not([transform])")) {
      const clip = text.closest("svg").getBoundingClientRect();
      const box = text.getBoundingClientRect();
      if (shown(box)) texts.push({box, name: text.textContent});
      if (box.left < whole.left - 1 || box.right > whole.right + 1 || box.bottom > whole.bottom + 1)
        found.push(`"${text.textContent}" leaves its picture`);
    }
    compare(texts, 3, whole.width / Number(picture.getAttribute("width")));
  }
  const cards = [...document.querySelectorAll("figure, section.card, h2")].filter(
      card => !card.parentElement.closest("figure, section.card"));
  compare(cards.map(card => ({box: card.getBoundingClientRect(), name: card.textContent.slice(0, 40)}))
              .filter(card => shown(card.box)), 1);
  return found;
}"""

# The lowest contrast of a text with what is behind it, by WCAG's definition.
CONTRAST = """() => {
  const channels = colour => colour.match(/[\\d.]+/g).map(Number);
  const luminance = colour => {
    const [r, g, b] = channels(colour).slice(0, 3).map(v => v / 255).map(
        v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {  // layers that let others shine through are mixed with them
    if (!element) return "rgb(255, 255, 255)";
    const [r, g, b, alpha = 1] = channels(getComputedStyle(element).backgroundColor);
    if (alpha === 1) return `rgb(${r}, ${g}, ${b})`;
    const below = channels(behind(element.parentElement));
    return `rgb(${[r, g, b].map((v, k) => alpha * v + (1 - alpha) * below[k])})`;
  };
  let lowest = [99, ""];
  const look = (front, back, name) => {
    const [a, b] = [luminance(front), luminance(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < lowest[0]) lowest = [ratio, name];
  };
  for (const element of document.querySelectorAll("h1, h2, h3, p, td, th, pre, summary, label, button"))
    if (element.getClientRects().length && element.textContent.trim())
      look(getComputedStyle(element).color, behind(element), element.textContent.slice(0, 60));
  for (const picture of document.querySelectorAll("figure > svg")) {
    const paper = getComputedStyle(picture.querySelector(".paper")).fill;
    for (const text of picture.querySelectorAll("text.ink, text.faint"))
      look(getComputedStyle(text).fill, paper, text.textContent);
  }
  return lowest;
}"""


def collisions(page):
    """Sentences; empty where nothing covers anything else."""
    found = page.evaluate(COLLISIONS)
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return found + ([f"the page is {width} pixels wider than the screen"] if width > 0 else [])


def lowest_contrast(page):
    return page.evaluate(CONTRAST)
