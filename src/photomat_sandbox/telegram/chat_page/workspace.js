// The screen: which customers are open, side by side on a wide screen, one at a time with a switcher on a phone.

import * as api from "./api.js";
import { Column } from "./column.js";
import { el, openDialog } from "./dom.js";
import { askWhoFollows } from "./links.js";
import { remember, remembered } from "./preferences.js";
import { language, t } from "./texts.js";
import { trouble } from "./toasts.js";

const PHONE = matchMedia("(max-width: 700px)");
const FIRST_NAMES = {
  ru: ["Анна", "Борис", "Вера", "Глеб", "Дина", "Егор"],
  en: ["Anna", "Boris", "Clara", "Dan", "Eve", "Finn"],
};

export class Workspace {
  columns = [];
  active = null;

  constructor({ columnsElement, tabsElement }) {
    this.columnsElement = columnsElement;
    this.tabsElement = tabsElement;
    document.addEventListener("visibilitychange", () => this.columns.forEach((column) => column.seen()));
    PHONE.addEventListener("change", () => this.changed());
  }

  /** Opens the people the URL names (?people=1,2), else who was open last time, else the first customer, else a new one. */
  async open() {
    const known = await this.#people();
    const named = new URLSearchParams(location.search).get("people")?.split(",").map(Number);
    const wanted = named ?? remembered("open", []);
    const chosen = known.filter((person) => wanted.includes(person.user_id));
    const first = known.find((person) => !person.is_operator);
    if (!chosen.length) chosen.push(first ?? (await this.#newPerson(FIRST_NAMES[language][0], language)));
    chosen.forEach((person) => this.#add(person));
    this.show(this.columns[0]);
  }

  isActive(column) {
    return !PHONE.matches || column === this.active;
  }

  isAlone() {
    return this.columns.length === 1;
  }

  show(column, { focusOnly = false } = {}) {
    this.active = column;
    this.changed();
    if (!focusOnly) column.element.scrollIntoView({ inline: "nearest", block: "nearest" });
    column.seen();
  }

  close(column) {
    this.columns = this.columns.filter((one) => one !== column);
    column.close();
    this.#rememberOpen();
    if (this.columns.length) this.show(this.columns[0]);
    else location.reload();
  }

  /** Redraws the switcher and the window's title. */
  changed() {
    const unread = this.columns.reduce((sum, column) => sum + column.unread, 0);
    document.title = unread ? `(${unread}) ${t("title")}` : t("title");
    for (const column of this.columns) column.element.classList.toggle("active", column === this.active);
    this.tabsElement.replaceChildren(...this.columns.map((column) => this.#tab(column)));
  }

  async addCustomer() {
    const known = await this.#people();
    const isOpen = (person) => this.columns.some((column) => column.person.user_id === person.user_id);
    const name = FIRST_NAMES[language].find((one) => !known.some((person) => person.first_name === one)) ?? "";
    askForCustomer({
      name,
      closed: known.filter((person) => !isOpen(person)),
      onNew: async ({ name: given, language: code, id }) => this.show(this.#add(await this.#newPerson(given, code, id))),
      onKnown: (person) => this.show(this.#add(person)),
    });
  }

  followLink(payload, from) {
    const start = payload ? `/start ${payload}` : "/start";
    askWhoFollows({
      payload,
      people: this.columns.map((column) => column.person),
      first: from.person,
      onPerson: (person) => {
        const column = this.columns.find((one) => one.person === person);
        this.show(column);
        return column.composer.sendText(start);
      },
      onNew: async () => {
        const known = await this.#people();
        const name = FIRST_NAMES[language][known.length % FIRST_NAMES[language].length];
        const column = this.#add(await this.#newPerson(name, language));
        this.show(column);
        return column.composer.sendText(start);
      },
    });
  }

  async #people() {
    return (await api.people()).people;
  }

  #newPerson(name, code, id = null) {
    return api.addPerson({ first_name: name, language_code: code, ...(id ? { user_id: id } : {}) });
  }

  #add(person) {
    const open = this.columns.find((column) => column.person.user_id === person.user_id);
    if (open) return open;
    const column = new Column({ person, workspace: this });
    this.columns.push(column);
    this.columnsElement.append(column.element);
    this.#rememberOpen();
    return column;
  }

  #rememberOpen() {
    remember("open", this.columns.map((column) => column.person.user_id));
  }

  #tab(column) {
    const { person, unread } = column;
    return el(
      "button",
      {
        type: "button",
        class: "tab",
        "aria-pressed": String(column === this.active),
        "aria-label": unread ? t("unread", { name: person.first_name, n: unread }) : null,
        "data-tab": person.user_id,
        onclick: () => this.show(column),
      },
      person.first_name,
      unread ? el("span", { class: "badge" }, String(unread)) : null,
    );
  }
}

export function askForCustomer({ name, closed, onNew, onKnown }) {
  const nameField = el(
    "input",
    { name: "name", required: true, maxlength: 64, value: name, autocomplete: "off", "data-role": "customer-name" },
  );
  const option = (code, text) => el("option", { value: code, selected: code === language }, text);
  const languageField = el("select", { name: "language" }, option("ru", "Русский"), option("en", "English"));
  const numberField = el(
    "input",
    { name: "number", inputmode: "numeric", pattern: "[1-9][0-9]{0,14}", autocomplete: "off", "data-role": "customer-id" },
  );
  const cancel = el("button", { type: "button", onclick: () => dialog.close() }, t("cancel"));
  const add = el("button", { type: "submit", class: "primary" }, t("add"));
  const known = closed.map((person) => choice(person.first_name, () => dialog, () => onKnown(person)));
  const form = el(
    "form",
    {},
    el("h2", {}, t("addTitle")),
    el("p", {}, t("addBody")),
    known.length ? el("fieldset", {}, el("legend", {}, t("existing")), known) : null,
    el("label", {}, t("name"), nameField),
    el("label", {}, t("language"), languageField),
    el("label", {}, t("number"), numberField),
    el("menu", {}, cancel, add),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    dialog.close();
    onNew({ name: nameField.value.trim() || name, language: languageField.value, id: Number(numberField.value) || null }).catch(trouble);
  });
  const dialog = openDialog({ class: "card-dialog", "data-role": "add-customer" }, form);
  nameField.select();
}

function choice(text, dialog, act) {
  const choose = async () => {
    dialog().close();
    try {
      await act();
    } catch (error) {
      trouble(error);
    }
  };
  return el("button", { type: "button", class: "choice", onclick: choose }, text);
}
