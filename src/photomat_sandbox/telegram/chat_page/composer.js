// Everything below the messages: reply bar, attachments, commands, text, voice, the bot's reply keyboard.

import * as api from "./api.js";
import { acceptFiles, Attachments, fileInput } from "./attachments.js";
import { gist } from "./bubble.js";
import { CommandList } from "./commands.js";
import { openMenu } from "./context_menu.js";
import { el, iconButton } from "./dom.js";
import { icon } from "./icons.js";
import { draftOf, keepDraft } from "./preferences.js";
import { ReplyKeyboard } from "./reply_keyboard.js";
import { t } from "./texts.js";
import { trouble } from "./toasts.js";
import { voiceBar } from "./voice.js";

const TALLEST_TEXT_PX = 180;
const LONGEST_TEXT = 4096; // in UTF-16 units, as JavaScript counts
const READS_KEYS = () => matchMedia("(hover: hover)").matches; // on a phone Enter makes a new line

export class Composer {
  #replyTo = null;

  constructor({ chat, column }) {
    this.chat = chat;
    this.userId = chat.person.user_id;
    this.text = el(
      "textarea",
      { rows: 1, tabindex: 1, "data-role": "composer", "aria-label": t("placeholder"), placeholder: t("placeholder") },
    );
    this.text.value = draftOf(this.userId);
    this.attachments = new Attachments({ onChange: () => this.#typed() });
    this.commands = new CommandList({ chat, onChoose: (command) => this.#chooseCommand(command) });
    this.#build();
    acceptFiles(column, this.text, (files) => this.attach(files));
    this.#listen();
    this.#typed();
  }

  /** Follows the chat: commands, the bot's keyboard, blocked or not. */
  draw() {
    this.menu.hidden = !this.chat.commands.length;
    this.form.hidden = this.chat.blocked;
    this.unblock.hidden = !this.chat.blocked;
    this.start.hidden = !this.chat.loaded || this.chat.blocked || this.chat.messages.size > 0;
    this.keyboard.draw(this.chat);
  }

  replyTo(message) {
    this.#replyTo = message.message_id;
    const who = message.from === "bot" ? this.chat.bot.first_name : this.chat.person.first_name;
    const cancel = iconButton(icon("close"), t("cancelReply"), { onclick: () => this.#forgetReply() });
    this.replyBar.replaceChildren(
      icon("reply"),
      el("span", {}, el("b", {}, t("replyTo", { name: who })), el("span", {}, gist(message))),
      cancel,
    );
    this.replyBar.hidden = false;
    this.text.focus();
  }

  insert(words) {
    this.text.setRangeText(words, this.text.selectionStart, this.text.selectionEnd, "end");
    this.#typed();
    this.text.focus();
  }

  attach(files, options) {
    this.attachments.add(files, options);
    this.text.focus();
  }

  /** A long text goes out as several messages, the reply with the first. */
  async sendText(text) {
    for (const part of messagesOf(text)) {
      this.chat.put(await api.sendText(this.userId, part, this.#replyTo));
      this.#forgetReply();
    }
  }

  #build() {
    this.menu = el(
      "button",
      { type: "button", class: "menu-button", "data-role": "menu", onclick: () => this.commands.toggle() },
      icon("menu"),
      el("span", {}, t("menu")),
    );
    this.clip = iconButton(icon("attach"), t("attach"), { "data-role": "attach", onclick: () => this.#attachMenu() });
    this.keyboard = new ReplyKeyboard({ onPress: (text) => this.sendText(text).catch(trouble) });
    this.send = iconButton(icon("send"), t("send"), { type: "submit", class: "icon-button send", "data-role": "send" });
    this.voice = voiceBar({ onVoice: (file) => this.#upload([{ file, kind: "voice" }], "") });
    this.photoInput = fileInput("photo-input", "image/*,video/*", (files) => this.attach(files));
    this.audioInput = fileInput("audio-input", "audio/*", (files) => this.attach(files));
    this.voiceInput = fileInput("voice-input", ".oga,.ogg,.opus,audio/ogg", (files) => this.#upload(files.map((file) => ({ file, kind: "voice" })), ""));
    this.documentInput = fileInput("file-input", null, (files) => this.attach(files, { asFile: true }));
    this.replyBar = el("div", { class: "reply-bar", hidden: true });
    this.progress = el("div", { class: "progress", role: "status", hidden: true });
    const field = el("div", { class: "field" }, this.menu, this.text, this.keyboard.toggle, this.clip);
    const line = el("div", { class: "composer-line" }, field, this.send, this.voice.button, this.voice.bar);
    this.form = el(
      "form",
      { class: "composer" },
      this.replyBar,
      this.attachments.element,
      this.progress,
      line,
      this.photoInput,
      this.audioInput,
      this.voiceInput,
      this.documentInput,
      this.keyboard.element,
    );
    const press = (role, text, act) => el(
      "button",
      { type: "button", class: "wide-action", "data-role": role, hidden: true, onclick: act },
      text,
    );
    this.start = press("start", t("start"), () => this.sendText("/start").catch(trouble));
    this.unblock = press("unblock", t("unblock"), () => api.unblock(this.userId).catch(trouble));
    this.element = el("div", { class: "composer-area" }, this.start, this.commands.element, this.form, this.unblock);
  }

  #listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.text.addEventListener("input", () => this.#typed());
    this.text.addEventListener("keydown", (event) => {
      if (this.commands.key(event)) return;
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing && READS_KEYS()) {
        event.preventDefault();
        this.#submit();
      } else if (event.key === "Escape") this.#forgetReply();
    });
  }

  #typed() {
    keepDraft(this.userId, this.text.value);
    this.#fitText();
    const hasSomething = Boolean(this.text.value.trim() || this.attachments.count);
    this.send.hidden = !hasSomething;
    this.voice.button.hidden = hasSomething;
    this.text.placeholder = t(this.attachments.count ? "placeholderCaption" : "placeholder");
    this.commands.suggest(this.text.value);
  }

  #fitText() {
    this.text.style.height = "auto";
    const needed = this.text.scrollHeight; // 0 while the column is not on the screen
    if (needed) this.text.style.height = `${Math.min(needed, TALLEST_TEXT_PX)}px`;
  }

  async #submit() {
    const words = this.text.value.trim();
    if (this.attachments.count) return this.#upload(this.attachments.take(), words);
    if (!words) return undefined;
    this.#setText("");
    return this.sendText(words).catch((error) => {
      this.#setText(words);
      trouble(error);
    });
  }

  #setText(words) {
    this.text.value = words;
    this.#typed();
  }

  /** One after another, so that they arrive in order; the words go with the first. */
  async #upload(files, words) {
    this.#setText("");
    this.progress.hidden = false;
    let album = files.length > 1 && files.every((one) => ["photo", "video"].includes(one.kind)) ? "new" : "";
    try {
      for (const [index, one] of files.entries()) {
        this.progress.textContent = t("sending", { n: index + 1, all: files.length });
        const sent = await api.sendFile(this.userId, { ...one, caption: index ? "" : words, album });
        album = sent.media_group_id ?? "";
        this.chat.put(sent);
      }
    } catch (error) {
      trouble(error);
    } finally {
      this.progress.hidden = true;
    }
  }

  #chooseCommand(command) {
    this.#setText("");
    this.sendText(command).catch(trouble);
  }

  #attachMenu() {
    const items = [
      { icon: "photo", text: t("attachPhoto"), act: () => this.photoInput.click() },
      { icon: "play", text: t("attachAudio"), act: () => this.audioInput.click() },
      { icon: "mic", text: t("attachVoice"), act: () => this.voiceInput.click() },
      { icon: "file", text: t("attachFile"), act: () => this.documentInput.click() },
    ];
    openMenu(items, this.clip, t("attach"));
  }

  #forgetReply() {
    this.#replyTo = null;
    this.replyBar.hidden = true;
  }
}

/** Splits a text as Telegram's apps do: at the last line end, else the last space, else in the middle, but never inside a letter. */
export function messagesOf(text) {
  const parts = [];
  let rest = text.trim();
  while (rest.length > LONGEST_TEXT) {
    const head = rest.slice(0, LONGEST_TEXT + 1);
    const hard = /[\uD800-\uDBFF]/.test(rest[LONGEST_TEXT - 1]) ? LONGEST_TEXT - 1 : LONGEST_TEXT;
    const soft = Math.max(head.lastIndexOf("\n"), 0) || Math.max(head.lastIndexOf(" "), 0);
    const at = soft > LONGEST_TEXT / 2 ? soft : hard;
    parts.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return rest ? [...parts, rest] : parts;
}
