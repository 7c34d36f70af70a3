// The page: top bar, customers, backstage panel. All it shows comes from the simulated Telegram it was loaded from.

import { Workspace } from "./workspace.js";
import { el, iconButton } from "./dom.js";
import { icon } from "./icons.js";
import { Panel } from "./panel.js";
import { applyTheme, isDark, remember, remembered, toggleTheme } from "./preferences.js";
import { language, t } from "./texts.js";
import { ring, trouble } from "./toasts.js";

function themeButton() {
  const button = iconButton(icon("moon"), "", { "data-role": "theme" });
  const draw = () => relabel(button, isDark() ? "sun" : "moon", t(isDark() ? "toLight" : "toDark"));
  button.addEventListener("click", () => {
    toggleTheme();
    draw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
  return button;
}

function soundButton() {
  const button = iconButton(icon("bell"), "", { "data-role": "sound" });
  const draw = () => relabel(
    button,
    remembered("sound", false) ? "bell" : "muted",
    t(remembered("sound", false) ? "soundOff" : "soundOn"),
  );
  button.addEventListener("click", () => {
    remember("sound", !remembered("sound", false));
    ring();
    draw();
  });
  draw();
  return button;
}

function languageButton() {
  const change = () => {
    remember("language", language === "ru" ? "en" : "ru");
    location.reload();
  };
  return el(
    "button",
    {
      type: "button",
      class: "text-button",
      "data-role": "language",
      title: t("languageSwitch"),
      "aria-label": t("languageSwitch"),
      onclick: change,
    },
    t("languageLabel"),
  );
}

function relabel(button, iconName, name) {
  button.replaceChildren(icon(iconName));
  button.setAttribute("aria-label", name);
  button.title = name;
}

function topBar({ tabs, onAdd, onPanel }) {
  const add = el(
    "button",
    { type: "button", class: "text-button add", "data-role": "add-customer-button", onclick: onAdd },
    t("addCustomer"),
  );
  const panelButton = iconButton(icon("eye"), t("panelShow"), { "data-role": "panel-toggle", onclick: onPanel });
  const logo = el("span", { class: "logo", title: t("tagline") }, icon("coin"), el("b", {}, "Photomat"));
  const bar = el(
    "header",
    { class: "top-bar" },
    logo,
    tabs,
    add,
    el("span", { class: "gap" }),
    languageButton(),
    themeButton(),
    soundButton(),
    panelButton,
  );
  return { bar, panelButton };
}

async function start() {
  applyTheme();
  document.documentElement.lang = language;
  const columns = el("main", { class: "columns" });
  const tabs = el("nav", { class: "tabs", "aria-label": t("customers") });
  const workspace = new Workspace({ columnsElement: columns, tabsElement: tabs });
  const panel = new Panel({
    onProfile: () => workspace.columns.forEach((column) => column.chat.refetch()),
    onPrompt: (words) => workspace.active.composer.insert(words),
    onToggle: (isShown) => {
      relabel(panelButton, "eye", t(isShown ? "panelHide" : "panelShow"));
      panelButton.setAttribute("aria-pressed", String(isShown));
    },
  });
  const { bar, panelButton } = topBar({
    tabs,
    onAdd: () => workspace.addCustomer().catch(trouble),
    onPanel: () => panel.show(!panel.isShown),
  });
  document.body.prepend(bar, el("div", { class: "stage" }, columns, panel.veil, panel.element));
  panel.start();
  await workspace.open();
}

start().catch(trouble);
