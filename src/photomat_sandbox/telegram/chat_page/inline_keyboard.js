// The inline keyboard under a bubble. A button's name is exactly its text; it looks busy until its tap is answered.

import { el, safeUrl } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./texts.js";

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
    { type: "button", class: "key", "data-style": key.style, "data-row": row, "data-column": column },
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
