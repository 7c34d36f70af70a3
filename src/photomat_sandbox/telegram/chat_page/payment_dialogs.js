// Money in the chat: the bill before it is paid, and the subscriptions a person has.

import * as api from "./api.js";
import { el, openDialog } from "./dom.js";
import { shortDayOf, t } from "./texts.js";
import { icon } from "./icons.js";
import { toast, trouble } from "./toasts.js";

export const stars = (amount) => `⭐ ${amount}`;
const perMonth = (amount) => t("perMonth", { price: stars(amount) });

/** `bill` is what the server shows of it; `target` says what to pay: {messageId} or {link}. */
export function openBill({ bill, target, chat }) {
  const monthly = Boolean(bill.subscription_period);
  const cancel = el("button", { type: "button", onclick: () => dialog.close() }, t("cancel"));
  const pay = el(
    "button",
    { type: "button", class: "primary", "data-role": "pay", disabled: Boolean(bill.subscribed_until) },
    t("pay"),
  );
  pay.addEventListener("click", async () => {
    pay.disabled = true;
    pay.setAttribute("aria-busy", "true");
    try {
      await chat.pay(target);
    } catch (error) {
      trouble(error);
    }
    dialog.close();
  });
  const dialog = openDialog(
    { class: "card-dialog bill", "data-role": "bill" },
    icon("coin"),
    el("h2", {}, bill.title),
    el("p", {}, bill.description),
    el("strong", { class: "price", "data-role": "price" }, monthly ? perMonth(bill.amount) : stars(bill.amount)),
    noteOf(bill, monthly, chat.bot.first_name),
    el("menu", {}, cancel, pay),
  );
  pay.focus();
}

function noteOf(bill, monthly, bot) {
  if (bill.subscribed_until) return el("small", {}, t("alreadySubscribed", { day: shortDayOf(bill.subscribed_until) }));
  return el("small", {}, t(monthly ? "billMonthly" : "billOnce", { bot }));
}

/** The person's subscriptions, with buttons for what only time or a lack of Stars would do in real life. */
export async function openSubscriptions({ person }) {
  const list = el("div", { class: "subscriptions" });
  const draw = async () => {
    const { subscriptions } = await api.subscriptions(person.user_id);
    const rows = subscriptions.map((one) => subscriptionRow(one, draw));
    list.replaceChildren(...(rows.length ? rows : [el("p", {}, t("noSubscriptions"))]));
  };
  await draw();
  const close = el("button", { type: "button", onclick: () => dialog.close() }, t("close"));
  const dialog = openDialog(
    { class: "card-dialog", "data-role": "subscriptions" },
    el("h2", {}, t("subscriptions")),
    el("p", {}, t("subscriptionsBody")),
    list,
    el("menu", {}, close),
  );
}

function subscriptionRow(subscription, redraw) {
  const { charge_id: chargeId, title, amount, until, state, can_resume: canResume } = subscription;
  const act = (name, done) => async () => {
    try {
      await api.changeSubscription(chargeId, name);
      toast(t(done), { lastsMs: 2500 });
      await redraw();
    } catch (error) {
      trouble(error);
    }
  };
  const goesOn = state === "active" || state === "failed";
  const choice = (name, text, done) => el("button", { type: "button", class: "choice", onclick: act(name, done) }, t(text));
  return el(
    "section",
    { "data-subscription": chargeId, "data-state": state },
    el("b", {}, title),
    el("span", { class: "price" }, perMonth(amount)),
    el("small", {}, t(`subscription.${state}`, { day: shortDayOf(until) })),
    el(
      "div",
      { class: "choices" },
      goesOn ? choice("cancel", "subscriptionCancel", "subscriptionCanceled") : null,
      canResume ? choice("resume", "subscriptionResume", "subscriptionResumed") : null,
      goesOn ? choice("renew", "subscriptionRenew", "subscriptionRenewed") : null,
      goesOn ? choice("fail", "subscriptionFail", "subscriptionFailed") : null,
    ),
  );
}

/** The line in the middle of the chat: paid, subscribed, renewed or given back. */
export function paymentLine({ kind, amount, purpose, until, first }) {
  const facts = { price: stars(amount), what: purpose || t("invoice"), day: until ? shortDayOf(until) : "" };
  if (kind === "refunded") return t("refundedLine", facts);
  if (!until) return t("paidLine", facts);
  return t(first ? "subscribedLine" : "renewedLine", facts);
}
