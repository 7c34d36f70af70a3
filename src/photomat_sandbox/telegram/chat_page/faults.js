// One-click misfortunes, the list of what is armed, and prompts the simulated Kie understands.

import * as api from "./api.js";
import { el, iconButton } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./texts.js";
import { toast, trouble } from "./toasts.js";

// Fits sendMessage and every editMessage…, so a card cannot miss it, but neither getUpdates nor the answer to a tap.
const SEND_OR_EDIT = "*Message*";
const GATEWAY = { action: "error", status: 502, code: 502, text: "Bad Gateway", html: true };

const FAULTS = {
  telegram: {
    "edit-lost": { method: "editMessageMedia", action: "drop_after" },
    "too-many": { method: SEND_OR_EDIT, action: "too_many", retry_after: 5 },
    slow: { method: SEND_OR_EDIT, action: "delay", delay_s: 10 },
    "bad-gateway": { method: SEND_OR_EDIT, ...GATEWAY },
    "webhook-twice": { method: "webhook", action: "duplicate" },
    "payment-lost": { method: "update.successful_payment", action: "never" },
    "payment-twice": { method: "update.successful_payment", action: "duplicate" },
    "checkout-lost": { method: "update.pre_checkout_query", action: "never" },
  },
  kie: {
    "create-lost": { method: "createTask", action: "drop_after" },
    "callback-twice": { method: "callback", action: "duplicate" },
    "callback-never": { method: "callback", action: "never" },
    "kie-slow": { method: "createTask", action: "delay", delay_s: 10 },
    "kie-bad-gateway": { method: "createTask", ...GATEWAY },
  },
  yookassa: {
    "yookassa-notice-lost": { method: "notice", action: "never" },
  },
  cryptopay: {
    "cryptopay-notice-lost": { method: "notice", action: "never" },
  },
};
const PROMPTS = ["fail", "slow", "empty", "never", "many"];

export class FaultBox {
  #print = "";

  /** `onPrompt` puts a word into the input of the customer in front. */
  constructor({ onPrompt }) {
    this.armed = el("div", { class: "armed", "data-role": "armed", "aria-live": "polite" });
    const buttons = Object.entries(FAULTS).flatMap(([world, faults]) => this.#buttons(world, faults));
    const prompts = PROMPTS.map((word) => promptButton(word, onPrompt));
    this.element = el(
      "div",
      { class: "fault-box" },
      el("h3", {}, t("faultsTitle")),
      el("p", {}, t("faultsHint")),
      el("div", { class: "chips" }, buttons),
      el("h3", {}, t("promptsTitle")),
      el("p", {}, t("promptsHint")),
      el("div", { class: "chips" }, prompts),
    );
  }

  /** Asked after every new event: a fault that struck is no longer armed. */
  async refresh() {
    try {
      this.#drawArmed((await api.faults()).faults);
    } catch {
      // The feed beside this list already says that the server is away.
    }
  }

  #buttons(world, faults) {
    return Object.entries(faults).map(([name, fault]) =>
      el(
        "button",
        {
          type: "button",
          class: "fault",
          "data-fault": name,
          "data-world": world,
          title: `${t(`world.${world}`)} · ${fault.method}`,
          onclick: () => this.#arm(name, { world, ...fault }),
        },
        t(`fault.${name}`),
      ),
    );
  }

  async #arm(name, fault) {
    try {
      await api.armFault({ times: 1, ...fault });
      toast(t("armedToast", { name: t(`fault.${name}`) }), { lastsMs: 2000 });
    } catch (error) {
      trouble(error);
    }
    await this.refresh();
  }

  async #disarm(call) {
    try {
      await call();
    } catch (error) {
      trouble(error);
    }
    await this.refresh();
  }

  #drawArmed(faults) {
    const print = JSON.stringify(faults);
    if (print === this.#print) return;
    this.#print = print;
    const rows = faults.map((fault) => this.#armedRow(fault));
    const all = el(
      "button",
      { type: "button", class: "link", onclick: () => this.#disarm(api.disarmAll) },
      t("disarmAll"),
    );
    this.armed.replaceChildren(
      el("h4", {}, faults.length ? t("armed") : t("nothingArmed"), faults.length > 1 ? all : null),
      ...rows,
    );
  }

  #armedRow(fault) {
    const name = nameOf(fault);
    const often = fault.times < 0 ? t("forEver") : t("times", { n: fault.times });
    const disarm = iconButton(
      icon("close"),
      t("disarm", { name }),
      { onclick: () => this.#disarm(() => api.disarmFault(fault.fault_id)) },
    );
    const attributes = { class: "armed-row", "data-fault-id": fault.fault_id, title: JSON.stringify(fault, null, 1) };
    return el("div", attributes, icon("bolt"), el("span", {}, name, " ", el("small", {}, often)), disarm);
  }
}

/** The button's own words when it is one of ours, else world, method and action. */
function nameOf(fault) {
  const ours = Object.entries(FAULTS[fault.world] ?? {}).find(
    ([, one]) => Object.entries(one).every(([key, value]) => fault[key] === value),
  );
  return ours ? t(`fault.${ours[0]}`) : `${t(`world.${fault.world}`)} ${fault.method}: ${fault.action}`;
}

function promptButton(word, onPrompt) {
  return el(
    "button",
    { type: "button", class: "prompt", "data-prompt": word, onclick: () => onPrompt(`[${word}] `) },
    el("code", {}, `[${word}]`),
    t(`prompt.${word}`),
  );
}
