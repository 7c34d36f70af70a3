// One message (or one album) as a row: avatar, bubble with tail, quote, media, text or rich blocks, time, inline keyboard.
// A button's name is exactly its text; it looks busy until its tap is answered.

import { el, safeUrl } from "./dom.js";
import { formatted } from "./entities.js";
import { icon } from "./icons.js";
import { isPicture, mediaOf } from "./media.js";
import { paymentLine, stars } from "./payment_dialogs.js";
import { momentOf, t, timeOf } from "./texts.js";

/** The inside of a row; the row itself stays, so that an edit happens in place. */
export function bubbleParts(messages, { chat, act }) {
  const [first] = messages;
  if (first.service) return [el("div", { class: "service" }, first.payment ? paymentLine(first.payment) : first.text)];
  const caption = messages.find((one) => one.caption || one.text) ?? first;
  const words = first.rich ? null : caption.text ?? caption.caption;
  const bubble = el(
    "div",
    { class: shape(messages, words) },
    quoteOf(first, chat, act),
    first.kind === "invoice" ? invoice(first) : null,
    messages.length > 1 ? album(messages, act) : first.rich ? richOf(first.rich, act) : mediaOf(first, act),
    words ? el("div", { class: "words", dir: "auto" }, formatted(words, caption.entities, act), roomForMeta(first)) : null,
    reactions(first),
    meta(first),
  );
  const withKeys = messages.find((one) => one.inline_keyboard) ?? first;
  return [bubble, inlineKeyboard(withKeys, act)].filter(Boolean);
}

function shape(messages, words) {
  const [first] = messages;
  const classes = ["bubble"];
  if (isPicture(first)) classes.push("with-picture");
  if (isPicture(first) && !words) classes.push("bare");
  if (first.kind === "text" && onlyEmoji(first.text ?? "")) classes.push("only-emoji");
  return classes.join(" ");
}

const onlyEmoji = (text) => /^(\p{Extended_Pictographic}\uFE0F?(\u200D\p{Extended_Pictographic}\uFE0F?)*){1,3}$/u.test(text);

function album(messages, act) {
  const cells = messages.map((message) => {
    const cell = mediaOf(message, act);
    cell.dataset.messageId = message.message_id;
    cell.dataset.kind = message.kind;
    return cell;
  });
  return el(
    "div",
    { class: "album", "data-count": Math.min(messages.length, 10), role: "group", "aria-label": t("album") },
    cells,
  );
}

function meta(message) {
  return el(
    "span",
    { class: "meta", title: momentOf(message.date) },
    message.silent && message.from === "bot" ? icon("muted") : null,
    message.edit_date ? el("span", { class: "edited" }, t("edited")) : null,
    el("time", {}, timeOf(message.date)),
    message.from === "person" ? icon("checks") : null,
  );
}

/** Keeps room for the corner with the time at the end of the last line; drawn by the style sheet, never read out. */
function roomForMeta(message) {
  const text = [message.edit_date ? t("edited") : "", timeOf(message.date)].filter(Boolean).join(" ");
  const hasMark = message.silent || message.from === "person";
  return el("span", { class: hasMark ? "meta-room marked" : "meta-room", "aria-hidden": "true", "data-text": text });
}

function quoteOf(message, chat, act) {
  if (!message.reply_to) return null;
  const target = chat.messages.get(message.reply_to);
  const who = target?.from === "person" ? chat.person.first_name : chat.bot.first_name;
  const picture = target?.kind === "photo" && target.media ? el("img", { src: target.media.url, alt: "" }) : null;
  return el(
    "button",
    { type: "button", class: "quote", "data-reply-to": message.reply_to, onclick: () => act.jump(message.reply_to) },
    picture,
    el("span", {}, el("b", {}, target ? who : t("deletedMessage")), el("span", {}, target ? gist(target) : "…")),
  );
}

function reactions({ reactions: given }) {
  if (!given?.length) return null;
  return el("div", { class: "reactions" }, given.map((one) => el("span", {}, one.emoji ?? "★")));
}

function invoice(message) {
  const { title, description, total_amount: amount, currency } = message.invoice ?? {};
  return el(
    "div",
    { class: "invoice" },
    icon("coin"),
    el("div", {}, el("b", {}, title ?? t("invoice")), description ? el("p", {}, description) : null),
    amount === undefined ? null : el("strong", {}, currency === "XTR" ? stars(amount) : `${amount / 100} ${currency}`),
  );
}

/** A message in a few words, for quotes and rings. */
export function gist(message) {
  const words = message.text || message.caption || message.invoice?.title || "";
  const kind = ["text", "rich"].includes(message.kind) ? "" : t(message.kind);
  const line = [kind, words.replace(/\s+/g, " ").trim()].filter(Boolean).join(" · ");
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

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

/** `act` carries out what a button asks for: tap, pay, copy, follow (true when handled); isTapped says it waits. */
export function inlineKeyboard(message, act) {
  const rows = message.inline_keyboard ?? (message.kind === "invoice" ? [[{ text: t("pay"), pay: true }]] : null);
  if (!rows?.length) return null;
  return el(
    "div",
    { class: "inline-keyboard" },
    rows.map((row, y) => el("div", { class: "keyboard-row" }, row.map((key, x) => inlineKey(message, key, y, x, act)))),
  );
}

function inlineKey(message, key, row, column, act) {
  const button = el(
    "button",
    { type: "button", class: "key", "data-style": key.style, "data-row": row, "data-column": column, disabled: Boolean(key.disabled) },
    el("span", {}, key.text),
  );
  if (act.isTapped(message.message_id, row, column)) button.setAttribute("aria-busy", "true");
  if (key.url) button.append(icon("link"));
  button.addEventListener("click", () => press(message, key, row, column, act));
  return button;
}

function press(message, key, row, column, act) {
  const url = key.url ? safeUrl(key.url) : null;
  if (url) {
    if (!act.follow(url)) window.open(url, "_blank", "noopener");
  } else if (key.pay) {
    act.pay(message);
  } else if (key.copy_text) {
    act.copy(key.copy_text.text);
  } else if (!act.isTapped(message.message_id, row, column)) {
    act.tap(message.message_id, row, column);
  }
}
