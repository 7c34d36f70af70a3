// The side panel "backstage": faults and prompts above, the live feed below; a drawer on a phone.

import { el, iconButton } from "./dom.js";
import { FaultBox } from "./faults.js";
import { Feed } from "./feed.js";
import { icon } from "./icons.js";
import { remember, remembered } from "./preferences.js";
import { t } from "./texts.js";

const PROFILE = new Set(["setMyCommands", "deleteMyCommands", "setMyName", "setMyDescription"]);
const NARROW = matchMedia("(max-width: 1000px)");

export class Panel {
  /** `onPrompt` gets words for an input, `onToggle` open or closed, `onProfile` that the bot's commands changed. */
  constructor({ onPrompt, onToggle, onProfile }) {
    this.onToggle = onToggle;
    const usePrompt = (words) => {
      if (NARROW.matches) this.show(false);
      onPrompt(words);
    };
    this.faults = new FaultBox({ onPrompt: usePrompt });
    this.feed = new Feed({
      onEvents: (events) => {
        this.faults.refresh();
        if (events.some((event) => PROFILE.has(event.name))) onProfile();
      },
    });
    const close = iconButton(icon("close"), t("panelHide"), { onclick: () => this.show(false) });
    this.element = el(
      "aside",
      { class: "panel", "data-role": "panel", "aria-label": t("panelTitle") },
      el("header", {}, el("h2", {}, t("panelTitle")), close),
      el("div", { class: "panel-body" }, this.faults.element, this.faults.armed, this.feed.element),
    );
    this.veil = el("div", { class: "veil", onclick: () => this.show(false) });
    this.element.addEventListener("keydown", (event) => event.key === "Escape" && NARROW.matches && this.show(false));
  }

  /** Open from the start only where there is room for it, unless the person chose otherwise. */
  start() {
    this.show(!NARROW.matches && remembered("panel", true), { keep: false });
    this.faults.refresh();
    this.feed.follow();
  }

  get isShown() {
    return !this.element.hidden;
  }

  show(isShown, { keep = true } = {}) {
    this.element.hidden = !isShown;
    this.veil.hidden = !isShown;
    if (keep && !NARROW.matches) remember("panel", isShown);
    this.onToggle(isShown);
  }
}
