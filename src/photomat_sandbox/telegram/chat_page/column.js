// One customer on the screen: header, messages, composer, and what they may do with a message.

import * as api from "./api.js";
import { gist } from "./bubble.js";
import { Chat } from "./chat.js";
import { Composer } from "./composer.js";
import { onMenuWish, openMenu } from "./context_menu.js";
import { calmMotion, el, iconButton } from "./dom.js";
import { icon } from "./icons.js";
import { follow, followAnywhere, showInvoice, typeLink } from "./links.js";
import { openLightbox } from "./lightbox.js";
import { messageIdOf, MessageList } from "./message_list.js";
import { openSubscriptions } from "./payment_dialogs.js";
import { t } from "./texts.js";
import { alertBox, ring, toast, trouble } from "./toasts.js";

const MISSED_RING_MS = 7000;

export class Column {
  unread = 0;

  /** `workspace` is the screen the column stands on; it knows who is in front and who else is there. */
  constructor({ person, workspace }) {
    this.person = person;
    this.workspace = workspace;
    this.chat = new Chat(person);
    this.element = el(
      "section",
      { class: "column", "data-person": person.user_id, "data-drop": t("dropHere"), "aria-label": person.first_name },
    );
    this.list = new MessageList({ chat: this.chat, act: this.#acts(), onScroll: () => this.#scrolled() });
    this.composer = new Composer({ chat: this.chat, column: this.element });
    this.#build();
    this.#listen();
    this.chat.connect();
  }

  close() {
    this.chat.disconnect();
    this.element.remove();
  }

  /** The person looks at the column now: what stands at the end counts as read. */
  seen() {
    if (this.unread && this.list.atEnd && this.#isWatched()) {
      this.unread = 0;
      this.#drawUnread();
    }
  }

  #build() {
    this.title = el("h2", { class: "chat-title" });
    this.status = el("p", { class: "chat-status", "aria-live": "polite" });
    this.avatar = el("span", { class: "avatar", "aria-hidden": "true" });
    const menu = iconButton(
      icon("more"),
      t("columnMenu", { name: this.person.first_name }),
      { "data-role": "column-menu" },
    );
    menu.addEventListener("click", () => this.#columnMenu(menu));
    const who = el(
      "span",
      { class: "who", title: `id ${this.person.user_id}`, style: { "--hue": hueOf(this.person) } },
      this.person.first_name,
    );
    this.header = el(
      "header",
      { class: "chat-header" },
      this.avatar,
      el("div", { class: "chat-names" }, this.title, this.status),
      who,
      menu,
    );
    this.badge = el("span", { class: "badge", hidden: true });
    this.down = iconButton(
      icon("down"),
      t("toBottom"),
      {
        class: "icon-button down",
        hidden: true,
        "data-role": "down",
        onclick: () => this.list.toEnd({ smooth: true }),
      },
    );
    this.down.append(this.badge);
    this.description = el("p", {}, t("emptyBody"));
    this.empty = el(
      "div",
      { class: "empty", hidden: true },
      icon("coin"),
      el("b", {}, t("emptyTitle")),
      this.description,
    );
    const body = el("div", { class: "chat-body" }, this.list.element, this.empty, this.down);
    this.element.append(this.header, body, this.composer.element);
  }

  #listen() {
    this.chat.addEventListener("change", () => this.#draw());
    this.chat.addEventListener("arrived", ({ detail }) => this.#arrived(detail));
    this.chat.addEventListener("sent", () => this.list.toEnd());
    this.chat.addEventListener("answer", ({ detail }) => this.#answered(detail));
    this.chat.addEventListener("payment", ({ detail }) => this.#paymentEnded(detail));
    this.chat.addEventListener("gone", () => {
      toast(t("gone"), { kind: "trouble", title: this.person.first_name });
      this.workspace.close(this);
    });
    onMenuWish(
      this.list.element,
      ".row, [data-message-id]",
      (part, place) => this.#messageMenu(messageIdOf(part), place),
    );
    onMenuWish(this.header, ".chat-header", (_, place) => this.#columnMenu(place));
    this.list.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target.matches(".row")) this.#messageMenu(
        messageIdOf(event.target),
        event.target,
      );
    });
    this.element.addEventListener("focusin", () => this.workspace.show(this, { focusOnly: true }));
  }

  /** What a bubble may ask for. */
  #acts() {
    return {
      tap: (...place) => this.chat.tap(...place).catch(trouble),
      pay: (message) => showInvoice(message, this.chat),
      isTapped: (...place) => this.chat.isTapped(...place),
      copy: this.copy,
      command: (text) => this.composer.sendText(text).catch(trouble),
      follow: (url) => follow(url, this),
      jump: (messageId) => this.list.jump(messageId),
      openPhoto: (message) => openLightbox(
        message,
        this.chat.ordered().filter((one) => one.kind === "photo" && one.media),
      ),
    };
  }

  #draw() {
    const { bot, connected, typing, blocked } = this.chat;
    this.title.textContent = bot.first_name;
    this.avatar.textContent = bot.first_name.slice(0, 1);
    this.status.classList.toggle("active", Boolean(connected && typing));
    const present = (blocked && t("blockedStatus")) || (typing && t(typing)) || t("bot");
    this.status.textContent = connected ? present : t("connecting");
    this.description.textContent = bot.description || t("emptyBody");
    this.empty.hidden = !this.chat.loaded || this.chat.messages.size > 0;
    this.list.draw();
    this.composer.draw();
  }

  #scrolled() {
    this.down.hidden = this.list.atEnd;
    this.seen();
  }

  #arrived(message) {
    const missed = !this.#isWatched() || !this.list.atEnd;
    if (missed) this.unread += 1;
    this.#drawUnread();
    if (!message.silent) ring();
    if (!missed || message.silent) return;
    const { first_name: name } = this.chat.bot;
    const title = this.workspace.isAlone() ? name : `${name} → ${this.person.first_name}`;
    const act = () => {
      this.workspace.show(this);
      this.list.jump(message.message_id);
    };
    toast(gist(message), { kind: "ring", title, act, lastsMs: MISSED_RING_MS });
  }

  #answered({ text, show_alert: showAlert, url }) {
    if (text && showAlert) alertBox(this.chat.bot.first_name, text);
    else if (text) toast(text, { kind: "answer", title: this.workspace.isAlone() ? null : this.person.first_name });
    if (url) followAnywhere(url, this);
  }

  /** A refusal has its alert, a payment its line in the chat; only silence needs a word. */
  #paymentEnded({ payment }) {
    if (payment === "timeout") toast(t("paymentTimeout"), { kind: "trouble", title: t("paymentFailed") });
  }

  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      toast(t("copied"), { lastsMs: 1500 });
    } catch {
      toast(t("copyRefused"), { kind: "trouble" });
    }
  }

  #isWatched() {
    return document.visibilityState === "visible" && this.workspace.isActive(this);
  }

  #drawUnread() {
    this.badge.hidden = !this.unread;
    this.badge.textContent = String(this.unread);
    this.down.setAttribute("aria-label", this.unread ? t("down", { n: this.unread }) : t("toBottom"));
    if (this.unread && !calmMotion()) this.badge.animate([{ transform: "scale(1.4)" }, { transform: "none" }], 200);
    this.workspace.changed();
  }

  #columnMenu(place) {
    const { blocked } = this.chat;
    const id = this.person.user_id;
    const items = [
      { icon: "link", text: t("openAnyLink"), act: () => typeLink(this) },
      { icon: "coin", text: t("subscriptions"), act: () => openSubscriptions(this).catch(trouble) },
      { icon: "copy", text: t("copyId", { id }), act: () => this.copy(String(id)) },
      blocked
        ? { icon: "block", text: t("unblock"), act: () => api.unblock(id).catch(trouble) }
        : { icon: "block", text: t("block"), danger: true, act: () => api.block(id).catch(trouble) },
    ];
    if (!this.workspace.isAlone()) items.push({ icon: "close", text: t("closeColumn"), act: () => this.workspace.close(this) });
    openMenu(items, place, t("columnMenu", { name: this.person.first_name }));
  }

  #messageMenu(messageId, place) {
    const message = this.chat.messages.get(messageId);
    if (!message) return;
    const words = message.text ?? message.caption;
    const remove = (whom) => () => api.deleteMessage(this.person.user_id, messageId, whom).catch(trouble);
    const items = [
      { icon: "reply", text: t("reply"), act: () => this.composer.replyTo(message) },
      words && { icon: "copy", text: t("copy"), act: () => this.copy(words) },
      { icon: "trash", text: t("deleteForMe"), danger: true, act: remove("self") },
      { icon: "trash", text: t("deleteForBoth"), danger: true, act: remove("both") },
    ];
    openMenu(items.filter(Boolean), place, t("messageMenu"));
  }
}

const hueOf = ({ user_id: userId }) => String((userId * 137) % 360);
