// The bot's commands: the menu button and the list that opens while a person types "/".

import { el } from "./dom.js";
import { t } from "./texts.js";

export class CommandList {
  #chosen = 0;
  #matches = [];
  #leave = null;

  constructor({ chat, onChoose }) {
    this.chat = chat;
    this.onChoose = onChoose;
    this.element = el("div", { class: "command-list", role: "listbox", "aria-label": t("commands"), hidden: true });
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** Shows the commands that start with what was typed; closes itself when nothing fits. */
  suggest(text) {
    const typed = /^\/(\w*)$/.exec(text);
    this.#show(typed ? this.chat.commands.filter((one) => one.command.startsWith(typed[1].toLowerCase())) : []);
  }

  toggle() {
    this.#show(this.isOpen ? [] : this.chat.commands);
  }

  close() {
    this.#show([]);
  }

  /** True when the key was for the list. */
  key(event) {
    if (!this.isOpen) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#mark((this.#chosen + step + this.#matches.length) % this.#matches.length);
    else if (event.key === "Enter" || event.key === "Tab") this.#choose(this.#matches[this.#chosen]);
    else if (event.key === "Escape") this.close();
    else return false;
    event.preventDefault();
    return true;
  }

  #show(matches) {
    this.#matches = matches;
    this.element.hidden = matches.length === 0;
    this.element.replaceChildren(...matches.map((one) => this.#option(one)));
    this.#listen(matches.length > 0);
    if (matches.length) this.#mark(0);
  }

  /** While it is open, Escape and a click outside of the composer close it, wherever the focus is. */
  #listen(isOpen) {
    this.#leave?.abort();
    this.#leave = isOpen ? new AbortController() : null;
    if (!isOpen) return;
    const { signal } = this.#leave;
    const area = () => this.element.parentElement;
    document.addEventListener("pointerdown", (event) => area().contains(event.target) || this.close(), { signal, capture: true });
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.close(), { signal });
  }

  #option(one) {
    return el(
      "button",
      { type: "button", role: "option", "data-command": one.command, onclick: () => this.#choose(one) },
      el("b", {}, `/${one.command}`),
      el("span", {}, one.description),
    );
  }

  #mark(index) {
    this.#chosen = index;
    [...this.element.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
    this.element.children[index].scrollIntoView({ block: "nearest" });
  }

  #choose(one) {
    this.close();
    this.onChoose(`/${one.command}`);
  }
}
