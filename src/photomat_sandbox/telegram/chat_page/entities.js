// Telegram's message entities (offsets in UTF-16 units, as in JavaScript) → nested elements around plain text.

import { el, safeUrl } from "./dom.js";
import { language, t } from "./texts.js";

const BLOCKS = new Set(["pre", "blockquote", "expandable_blockquote"]);
const TAGS = { bold: "strong", italic: "em", underline: "u", strikethrough: "s", code: "code" };

/** A fragment of the text; `act` is {command(text), follow(url) → handled?} for what a person may click. */
export function formatted(text, entities, act) {
  const sorted = [...(entities ?? [])].sort((a, b) => a.offset - b.offset || b.length - a.length);
  const fragment = document.createDocumentFragment();
  fragment.append(...span(text, 0, text.length, sorted, act));
  return fragment;
}

function span(text, from, to, entities, act) {
  const nodes = [];
  let position = from;
  for (let index = 0; index < entities.length; index += 1) {
    const entity = entities[index];
    const start = Math.max(entity.offset, position);
    const end = Math.min(entity.offset + entity.length, to);
    if (start >= end) continue;
    if (start > position) nodes.push(text.slice(position, start));
    const inside = entities.slice(index + 1).filter((one) => one.offset < end);
    nodes.push(wrap(entity, text.slice(start, end), span(text, start, end, inside, act), act));
    position = BLOCKS.has(entity.type) && text[end] === "\n" ? end + 1 : end; // a block ends its own line
  }
  if (position < to) nodes.push(text.slice(position, to));
  return nodes;
}

function wrap(entity, text, children, act) {
  if (TAGS[entity.type]) return el(TAGS[entity.type], {}, children);
  switch (entity.type) {
    case "pre":
      return el("pre", { "data-language": entity.language }, el("code", {}, children));
    case "blockquote":
    case "expandable_blockquote":
      return quote(entity.type, children);
    case "spoiler":
      return spoiler(children);
    case "bot_command":
      return el("button", { type: "button", class: "link", onclick: () => act.command(text) }, children);
    case "text_link":
      return link(entity.url, children, act);
    case "url":
      return link(/^[a-z]+:/i.test(text) ? text : `https://${text}`, children, act);
    case "email":
      return link(`mailto:${text}`, children, act);
    case "date_time":
      return moment(entity, children);
    case "phone_number":
      return link(`tel:${text}`, children, act);
    case "mention":
    case "hashtag":
    case "cashtag":
    case "text_mention":
      return el("span", { class: "mention" }, children);
    default:
      return el("span", {}, children);
  }
}

function link(url, children, act) {
  const href = safeUrl(url);
  if (!href) return el("span", {}, children);
  const follow = (event) => act.follow(href) && event.preventDefault();
  return el("a", { href, target: "_blank", rel: "noopener noreferrer", onclick: follow }, children);
}

/** A moment in the reader's own time zone, as its format asks; without a format the bot's words stand. */
function moment({ unix_time: unix, date_time_format: format = "" }, children) {
  const date = new Date(unix * 1000);
  const [weekday, day, time] = [
    format.includes("w") && { weekday: "long" },
    /d/i.test(format) && { dateStyle: format.includes("D") ? "long" : "short" },
    /t/i.test(format) && { timeStyle: format.includes("T") ? "medium" : "short" },
  ].map((options) => options && new Intl.DateTimeFormat(language, options).format(date));
  const words = format === "r" ? relative(unix) : [weekday, day, time].filter(Boolean).join(", ");
  return el("time", { datetime: date.toISOString(), title: date.toLocaleString(language) }, words || children);
}

function relative(unix) {
  const seconds = unix - Date.now() / 1000;
  const [unit, size] = [["day", 86_400], ["hour", 3600], ["minute", 60]].find(([, one]) => Math.abs(seconds) >= one) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(language).format(Math.round(seconds / size), unit);
}

function quote(type, children) {
  const block = el("blockquote", {}, children);
  if (type === "expandable_blockquote") {
    block.classList.add("expandable");
    block.tabIndex = 0;
    block.addEventListener("click", () => block.classList.toggle("open"));
    block.addEventListener("keydown", (event) => event.key === "Enter" && block.classList.toggle("open"));
  }
  return block;
}

function spoiler(children) {
  const reveal = () => {
    hidden.classList.add("revealed");
    hidden.removeAttribute("role");
    hidden.removeAttribute("tabindex");
    hidden.removeAttribute("aria-label");
  };
  const hidden = el(
    "span",
    { class: "spoiler", role: "button", tabindex: 0, "aria-label": t("spoiler"), onclick: reveal },
    children,
  );
  hidden.addEventListener("keydown", (event) => event.key === "Enter" && reveal());
  return hidden;
}
