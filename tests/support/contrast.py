"""The contrast of every visible text on a page, by the formula of WCAG 2."""

from typing import Any

from playwright.async_api import Page

FIND_FAINT_TEXT = """
(least) => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under) => [0, 1, 2].map((n) => top[n] * top[3] + under[n] * (1 - top[3])).concat(1);
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [hi, lo] = [light(a), light(b)].sort((x, y) => y - x);
    return (hi + 0.05) / (lo + 0.05);
  };
  // What may lie under an element: its own colour, then its parents', down to the first that lets nothing through.
  // The wallpaper and gradients are every colour they are mixed from.
  const COLOUR = /(?:rgba?|color|oklch|oklab|hsla?)\\([^()]*\\)/g;
  const backgrounds = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      const pictures = [style.backgroundImage, getComputedStyle(one, "::before").backgroundImage]
        .filter((image, index) => image.includes("gradient") && (index === 0 || one.matches(".chat-body")));
      const stops = pictures.flatMap((image) => image.match(COLOUR) ?? []).map(rgba).filter((c) => c[3] === 1);
      if (stops.length) return [layers, stops];
      const own = rgba(style.backgroundColor);
      if (own[3] > 0) layers.push(own);
      if (own[3] === 1) return [layers.slice(0, -1), [own]];
    }
    return [layers, [[255, 255, 255, 1]]];
  };
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const faint = [];
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || seen.has(element) || !isShown(element)) continue;
    if (element.closest("option, noscript, script, style, .spoiler:not(.revealed), .meta-room")) continue;
    seen.add(element);
    const text = rgba(getComputedStyle(element).color);
    const [layers, bases] = backgrounds(element);
    const worst = Math.min(...bases.map((base) => {
      const ground = layers.reduceRight((under, top) => over(top, under), base);
      return ratio(over(text, ground), ground);
    }));
    if (worst < least) {
      faint.push({ text: walker.currentNode.data.trim().slice(0, 40), class: element.className, tag: element.tagName,
        ratio: Math.round(worst * 100) / 100 });
    }
  }
  return { faint, count: seen.size };
}
"""


async def faint_texts(page: Page, least: float = 4.5) -> tuple[list[dict[str, Any]], int]:
    """The visible texts with less contrast than this, and how many texts were looked at."""
    found = await page.evaluate(FIND_FAINT_TEXT, least)
    return list(found["faint"]), int(found["count"])
