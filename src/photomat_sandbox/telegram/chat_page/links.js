// Links in the chat: what a URL means (an invoice, a start of this bot, something to share, a page), the dialogs about it,
// and following it for one customer: invoices and starts stay inside the sandbox, other URLs open in a new tab.

import * as api from "./api.js";
import { el, openDialog, safeUrl } from "./dom.js";
import { openBill } from "./payment_dialogs.js";
import { t } from "./texts.js";
import { toast, trouble } from "./toasts.js";

const TELEGRAM = /^(www\.)?(t|telegram)\.me$/;

/** → {kind: "bill", link} | {kind: "start", payload} | {kind: "share", url, text} | {kind: "page"} */
export function meaningOf(address, botUsername) {
  const url = new URL(address);
  const path = url.pathname.slice(1);
  if (!TELEGRAM.test(url.hostname)) return { kind: "page" };
  const slug = /^(?:\$|%24|invoice\/)([\w-]+)$/.exec(path)?.[1];
  if (slug) return { kind: "bill", link: billAddress(url, slug) };
  if (path.toLowerCase() === botUsername.toLowerCase()) return { kind: "start", payload: url.searchParams.get("start") };
  if (/^share(\/url)?$/.test(path)) {
    return { kind: "share", url: url.searchParams.get("url") ?? "", text: url.searchParams.get("text") ?? "" };
  }
  return { kind: "page" };
}

/** The one spelling of a bill's address, whichever of its others was used. */
function billAddress(url, slug) {
  const parts = { protocol: "https:", hostname: "t.me", port: "", pathname: `/$${slug}`, search: "", hash: "" };
  return Object.assign(new URL(url), parts).href;
}

/** What a person typed or pasted as an address, or null when it is none. */
export function addressOf(typed) {
  const words = typed.trim();
  try {
    const url = new URL(/^[a-z]+:/i.test(words) ? words : `https://${words}`);
    return ["http:", "https:"].includes(url.protocol) && /\.|^localhost$/.test(url.hostname) ? url.href : null;
  } catch {
    return null;
  }
}

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

/** True when the address was followed inside the page; the caller opens the others. */
export function follow(address, column) {
  const meaning = meaningOf(address, column.chat.bot.username);
  if (meaning.kind === "bill") showBill(meaning.link, column.chat).catch(trouble);
  else if (meaning.kind === "start") column.workspace.followLink(meaning.payload, column);
  else if (meaning.kind === "share") share(meaning, column);
  return meaning.kind !== "page";
}

/** The same for callers that have no link of their own to click. */
export function followAnywhere(address, column) {
  const url = safeUrl(address);
  if (url && !follow(url, column)) window.open(url, "_blank", "noopener");
}

export const typeLink = (column) => askForLink({
  name: column.person.first_name,
  onAddress: (address) => followAnywhere(address, column),
});

/** The dialog of an invoice message; its bill is on the screen already. */
export function showInvoice(message, chat) {
  const { title, description, total_amount: amount } = message.invoice;
  openBill({ bill: { title, description, amount }, target: { messageId: message.message_id }, chat });
}

async function showBill(link, chat) {
  openBill({ bill: await api.invoice(chat.person.user_id, link), target: { link }, chat });
}

function share({ url, text }, column) {
  showShared({ url, text, onCopy: column.copy, onFollow: (address) => followAnywhere(address, column) });
}
