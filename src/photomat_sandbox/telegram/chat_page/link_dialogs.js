// Three small questions about links: who follows one of the bot's, where a typed one leads, what becomes of a shared one.

import { el, openDialog } from "./dom.js";
import { addressOf } from "./links.js";
import { t } from "./texts.js";
import { toast, trouble } from "./toasts.js";

/** A start of the bot: the person in front by one press, anybody else by another. */
export function askWhoFollows({ payload, people, first, onPerson, onNew }) {
  const go = (act) => async () => {
    dialog.close();
    await Promise.resolve(act()).catch(trouble);
  };
  const others = people.filter((person) => person !== first);
  const choice = (text, act) => el("button", { type: "button", class: "choice", onclick: go(act) }, text);
  const yes = el(
    "button",
    { type: "button", class: "primary", onclick: go(() => onPerson(first)) },
    t("openAs", { name: first.first_name }),
  );
  const dialog = openDialog(
    { class: "card-dialog", "data-role": "bot-link" },
    el("h2", {}, t("openLink")),
    el("p", {}, el("code", {}, payload ? `/start ${payload}` : "/start")),
    el(
      "fieldset",
      {},
      el("legend", {}, t("orAs")),
      others.map((person) => choice(person.first_name, () => onPerson(person))),
      choice(t("newCustomer"), onNew),
    ),
    el("menu", {}, el("button", { type: "button", onclick: () => dialog.close() }, t("cancel")), yes),
  );
  yes.focus();
}

/** An address typed or pasted by hand; `onAddress` follows it. */
export function askForLink({ name, onAddress }) {
  const field = el(
    "input",
    {
      name: "address",
      required: true,
      autocomplete: "off",
      inputmode: "url",
      placeholder: "t.me/…",
      "data-role": "link-field",
    },
  );
  const form = el(
    "form",
    {},
    el("h2", {}, t("openAnyLink")),
    el("p", {}, t("openAnyLinkBody", { name })),
    el("label", {}, t("address"), field),
    el(
      "menu",
      {},
      el("button", { type: "button", onclick: () => dialog.close() }, t("cancel")),
      el("button", { type: "submit", class: "primary" }, t("open")),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const address = addressOf(field.value);
    if (!address) {
      toast(t("noAddress"), { kind: "trouble" });
      return;
    }
    dialog.close();
    onAddress(address);
  });
  const dialog = openDialog({ class: "card-dialog", "data-role": "any-link" }, form);
  field.focus();
}

/** What Telegram would hand to a friend: the words and the link, which somebody here may follow. */
export function showShared({ url, text, onCopy, onFollow }) {
  const close = el("button", { type: "button", onclick: () => dialog.close() }, t("close"));
  const copy = el("button", { type: "button", onclick: () => onCopy(`${text}\n${url}`.trim()) }, t("copyLink"));
  const follow = el("button", { type: "button", class: "primary" }, t("friendOpens"));
  follow.addEventListener("click", () => {
    dialog.close();
    onFollow(url);
  });
  const dialog = openDialog(
    { class: "card-dialog", "data-role": "share" },
    el("h2", {}, t("share")),
    text ? el("p", {}, text) : null,
    el("p", {}, el("code", {}, url)),
    el("menu", {}, close, copy, addressOf(url) ? follow : null),
  );
}
