// The bot's own keyboard in place of the phone's: rows of texts; pressing one sends it.

import { el, iconButton } from "./dom.js";
import { t } from "./texts.js";

export class ReplyKeyboard {
  #print = null;
  #options = {};

  constructor({ onPress }) {
    this.onPress = onPress;
    this.element = el("div", { class: "keyboard-slot" });
    this.toggle = iconButton(el("span", { class: "keyboard-glyph" }), t("hideKeyboard"), {
      hidden: true,
      "data-role": "keyboard-toggle",
      onclick: () => this.#show(this.element.hidden),
    });
  }

  /** Redrawn only when the bot sent another keyboard, so that hiding it lasts. */
  draw({ replyKeyboard: rows, keyboardOptions: options }) {
    const print = JSON.stringify([rows, options]);
    if (print === this.#print) return;
    this.#print = print;
    this.#options = options ?? {};
    this.toggle.hidden = !rows?.length;
    this.element.replaceChildren(...(rows?.length ? [this.#keys(rows)] : []));
    this.#show(Boolean(rows?.length));
  }

  #keys(rows) {
    const tall = this.#options.resize_keyboard === false;
    const attributes = {
      class: tall ? "reply-keyboard tall" : "reply-keyboard",
      role: "group",
      "aria-label": t("replyKeyboard"),
      "data-role": "reply-keyboard",
    };
    return el(
      "div",
      attributes,
      rows.map((row) => el("div", { class: "keyboard-row" }, row.map((key) => this.#key(key)))),
    );
  }

  #key(key) {
    const press = () => {
      this.onPress(key.text);
      if (this.#options.one_time_keyboard) this.#show(false);
    };
    return el("button", { type: "button", class: "key", "data-style": key.style, onclick: press }, key.text);
  }

  #show(isShown) {
    this.element.hidden = !isShown;
    const name = t(isShown ? "hideKeyboard" : "showKeyboard");
    this.toggle.setAttribute("aria-label", name);
    this.toggle.title = name;
  }
}
