// A rich message: its blocks in order, files with their captions, texts with their marks, collages of several.

import { el } from "./dom.js";
import { formatted } from "./entities.js";
import { mediaOf } from "./media.js";

const TAGS = { heading: "h4", pre: "pre", footer: "small" };

export function richOf(blocks, act) {
  return el("div", { class: "rich" }, blocks.map((block) => blockOf(block, act)));
}

function blockOf(block, act) {
  if (block.type === "divider") return el("hr", {});
  const words = block.text ? formatted(block.text, block.entities, act) : null;
  if (block.media) return file(block, words, act);
  if (block.blocks.length) {
    const inner = block.blocks.map((one) => blockOf(one, act));
    return el("figure", { class: `rich-${block.type}` }, inner, words ? el("figcaption", { dir: "auto" }, words) : null);
  }
  return el(TAGS[block.type] ?? "p", { class: "words", dir: "auto" }, words);
}

function file(block, words, act) {
  const shown = mediaOf({ kind: block.kind, media: block.media, caption: block.text || null }, act);
  return el(
    "figure",
    { class: "rich-file", "data-kind": block.type },
    shown,
    words ? el("figcaption", { dir: "auto" }, words) : null,
  );
}
