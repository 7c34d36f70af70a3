// Who comes to the screen: somebody known, or somebody new with a name, a language and perhaps a number of their own.

import { el, openDialog } from "./dom.js";
import { language, t } from "./texts.js";
import { trouble } from "./toasts.js";

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
