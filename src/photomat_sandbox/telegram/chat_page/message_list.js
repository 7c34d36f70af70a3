// The scrolling list: messages and albums by day, edits in place, what is new, and where the reader stands.
//
// The list is drawn from the chat's state: a row is touched only when what it shows has changed, so a playing video
// keeps playing and a row keeps its place. While the reader is at the end, the list stays at the end.

import { bubbleParts } from "./bubble.js";
import { calmMotion, el } from "./dom.js";
import { dayOf, t } from "./texts.js";

const PAGE = 150;
const NEAR_END_PX = 60;
const SAME_BURST_S = 600;

export class MessageList {
  #rows = new Map(); // key → {row, content, print: content and what it depends on}
  #shown = PAGE;
  #drawn = false;
  #top = 0;

  constructor({ chat, act, onScroll }) {
    this.chat = chat;
    this.act = act;
    this.atEnd = true;
    this.content = el("div", { class: "messages" });
    this.element = el(
      "div",
      { class: "scroller", role: "log", tabindex: 0, "aria-label": t("messages", { name: chat.person.first_name }) },
      this.content,
    );
    this.element.addEventListener("scroll", () => {
      this.#look();
      onScroll();
    }, { passive: true });
    this.element.addEventListener("keydown", (event) => this.#walk(event));
    this.resized = new ResizeObserver(() => this.atEnd && this.toEnd());
    this.resized.observe(this.content);
    this.resized.observe(this.element);
  }

  draw() {
    const messages = this.chat.ordered();
    const visible = messages.slice(-this.#shown);
    const wanted = [];
    if (visible.length < messages.length) wanted.push(this.#earlier());
    for (const unit of unitsOf(visible)) wanted.push(this.#rowOf(unit));
    this.#arrange(wanted);
    if (this.atEnd) this.toEnd();
    this.#drawn ||= this.chat.loaded;
  }

  toEnd({ smooth = false } = {}) {
    this.atEnd = true;
    this.element.scrollTo({ top: this.element.scrollHeight, behavior: smooth && !calmMotion() ? "smooth" : "instant" });
  }

  jump(messageId) {
    if (this.chat.messages.has(messageId) && !this.find(messageId)) {
      this.#shown = Infinity;
      this.draw();
    }
    const row = this.find(messageId);
    if (!row) return;
    this.atEnd = false;
    row.scrollIntoView({ block: "center", behavior: calmMotion() ? "instant" : "smooth" });
    row.classList.remove("flash");
    requestAnimationFrame(() => row.classList.add("flash"));
  }

  find(messageId) {
    return this.content.querySelector(`[data-message-id="${Number(messageId)}"]`);
  }

  /** Only a move upwards leaves the end: a list that grows under a standing reader is followed. */
  #look() {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END_PX) this.atEnd = true;
    else if (scrollTop < this.#top) this.atEnd = false;
    this.#top = scrollTop;
  }

  #earlier() {
    const more = () => {
      const before = this.element.scrollHeight;
      this.#shown += PAGE;
      this.draw();
      this.element.scrollTop += this.element.scrollHeight - before;
    };
    return el("button", { type: "button", class: "earlier", onclick: more }, t("earlier"));
  }

  #rowOf(unit) {
    const known = this.#rows.get(unit.key);
    if (unit.day) return known?.row ?? this.#newDay(unit);
    const content = JSON.stringify(unit.messages);
    const print = content + JSON.stringify(this.#around(unit));
    const row = known?.row ?? this.#newRow(unit);
    if (known && known.print !== print) this.#rewrite(row, unit, { isEdit: known.content !== content });
    this.#rows.set(unit.key, { row, print, content });
    row.classList.toggle("last", unit.last);
    row.classList.toggle("first", unit.first);
    return row;
  }

  /** What a row shows besides its own message: the quoted message and the buttons that wait for an answer. */
  #around({ messages }) {
    const quoted = this.chat.messages.get(messages[0].reply_to) ?? null;
    const waiting = [...this.chat.taps.values()].filter(
      (tap) => messages.some((one) => one.message_id === tap.messageId),
    );
    return [quoted, waiting, this.chat.bot.first_name];
  }

  #newDay({ key, day }) {
    const row = el("div", { class: "day" }, el("span", {}, day));
    this.#rows.set(key, { row });
    return row;
  }

  #newRow(unit) {
    const row = el("div", { class: `row from-${unit.messages[0].from}`, tabindex: -1 });
    if (this.#drawn) row.classList.add("fresh");
    this.#fill(row, unit);
    return row;
  }

  #fill(row, { messages }) {
    const [message] = messages;
    const isAlbum = messages.length > 1; // then its cells carry the ids
    delete row.dataset[isAlbum ? "messageId" : "album"];
    row.dataset[isAlbum ? "album" : "messageId"] = message.message_id;
    row.dataset.from = message.from;
    row.dataset.kind = isAlbum ? "album" : message.kind;
    row.setAttribute("role", "article");
    row.setAttribute("aria-label", t(message.from === "bot" ? "messageFromBot" : "messageFromYou"));
    const avatar = el("span", { class: "avatar", "aria-hidden": "true" }, this.chat.bot.first_name.slice(0, 1));
    const body = el("div", { class: "stack" }, bubbleParts(messages, { chat: this.chat, act: this.act }));
    row.replaceChildren(...(message.from === "bot" ? [avatar, body] : [body]));
  }

  #rewrite(row, unit, { isEdit }) {
    const before = row.querySelector(".bubble")?.getBoundingClientRect();
    const focused = row.contains(document.activeElement) ? document.activeElement.dataset : null;
    const kindBefore = row.dataset.kind;
    this.#fill(row, unit);
    if (focused?.row) row.querySelector(`[data-row="${focused.row}"][data-column="${focused.column}"]`)?.focus();
    if (isEdit && before && !calmMotion()) morph(row.querySelector(".bubble"), before, kindBefore !== row.dataset.kind);
  }

  #arrange(wanted) {
    const keep = new Set(wanted);
    for (const [key, { row }] of this.#rows) if (!keep.has(row)) this.#rows.delete(key);
    for (const child of [...this.content.children]) if (!keep.has(child)) child.remove();
    wanted.forEach((row, index) => {
      if (this.content.children[index] !== row) this.content.insertBefore(row, this.content.children[index] ?? null);
    });
  }

  #walk(event) {
    if (!["ArrowUp", "ArrowDown"].includes(event.key) || event.target.matches("input, textarea")) return;
    const rows = [...this.content.querySelectorAll(".row")];
    const current = rows.indexOf(event.target.closest?.(".row"));
    const next = current < 0 ? rows.at(-1) : rows[current + (event.key === "ArrowUp" ? -1 : 1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }
}

/** The message a row or a cell of an album stands for. */
export const messageIdOf = (element) => Number(element.dataset.messageId ?? element.dataset.album);

/** Days, albums and bursts of one side: what stands in the list, each with a key that stays. */
function unitsOf(messages) {
  const units = [];
  let day = null;
  for (const message of messages) {
    const dayHere = dayOf(message.date);
    if (dayHere !== day) units.push({ key: `day ${dayHere}`, day: dayHere });
    day = dayHere;
    const last = units.at(-1);
    if (isSameAlbum(last, message)) last.messages.push(message);
    else units.push({ key: `message ${message.message_id}`, messages: [message] });
  }
  units.forEach((unit, index) => {
    unit.first = !isBurst(units[index - 1], unit);
    unit.last = !isBurst(unit, units[index + 1]);
  });
  return units;
}

function isSameAlbum(unit, message) {
  const group = message.media_group_id;
  return Boolean(group && unit?.messages?.[0].media_group_id === group && ["photo", "video"].includes(message.kind));
}

function isBurst(unit, next) {
  if (!unit?.messages || !next?.messages) return false;
  const [a, b] = [unit.messages.at(-1), next.messages[0]];
  return a.from === b.from && b.date - a.date < SAME_BURST_S;
}

function morph(bubble, before, isOtherKind) {
  const after = bubble.getBoundingClientRect();
  const timing = { duration: isOtherKind ? 420 : 220, easing: "cubic-bezier(.2,.8,.2,1)" };
  if (Math.abs(after.height - before.height) + Math.abs(after.width - before.width) > 2) {
    const [from, to] = [before, after].map(
      (box) => ({ width: `${box.width}px`, height: `${box.height}px`, overflow: "hidden" }),
    );
    bubble.animate([from, to], timing);
  }
  for (const part of bubble.children) {
    part.animate(
      [{ opacity: isOtherKind ? 0 : 0.3, filter: isOtherKind ? "blur(12px)" : "none" }, { opacity: 1, filter: "none" }],
      timing,
    );
  }
}
