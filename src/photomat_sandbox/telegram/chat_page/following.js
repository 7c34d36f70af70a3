// Follows an address for one customer: bills and starts stay inside the sandbox, everything else opens in a new tab.

import * as api from "./api.js";
import { safeUrl } from "./dom.js";
import { askForLink, showShared } from "./link_dialogs.js";
import { meaningOf } from "./links.js";
import { openBill } from "./payment_dialogs.js";
import { trouble } from "./toasts.js";

/** True when the address was followed inside the page; the caller opens the others. */
export function follow(address, column) {
  const meaning = meaningOf(address, column.chat.bot.username);
  if (meaning.kind === "bill") showBill(meaning.link, column.chat).catch(trouble);
  else if (meaning.kind === "start") column.desk.followLink(meaning.payload, column);
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
