// The side panel "backstage": faults and prompts above, the live feed of the transcript below; a drawer on a phone.

import * as api from "./api.js";
import { el, iconButton } from "./dom.js";
import { icon } from "./icons.js";
import { remember, remembered } from "./preferences.js";
import { language, t } from "./texts.js";
import { toast, trouble } from "./toasts.js";

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
    this.killer = new KillBox();
    this.feed = new Feed({
      onEvents: (events) => {
        this.faults.refresh();
        if (events.some((event) => event.name === "bot")) this.killer.refresh();
        if (events.some((event) => PROFILE.has(event.name))) onProfile();
      },
    });
    const close = iconButton(icon("close"), t("panelHide"), { onclick: () => this.show(false) });
    this.element = el(
      "aside",
      { class: "panel", "data-role": "panel", "aria-label": t("panelTitle") },
      el("header", {}, el("h2", {}, t("panelTitle")), close),
      el("div", { class: "panel-body" }, this.killer.element, this.faults.element, this.faults.armed, this.feed.element),
    );
    this.veil = el("div", { class: "veil", onclick: () => this.show(false) });
    document.addEventListener("keydown", (event) => event.key === "Escape" && NARROW.matches && this.isShown && this.show(false));
  }

  /** Open from the start only where there is room for it, unless the person chose otherwise. */
  start() {
    this.show(!NARROW.matches && remembered("panel", true), { keep: false });
    this.faults.refresh();
    this.killer.refresh();
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

/** Kills the bot's process; hidden where nobody would start it again. */
class KillBox {
  constructor() {
    this.button = el(
      "button",
      { type: "button", class: "kill", "data-role": "kill-bot", onclick: () => this.#kill() },
      icon("bolt"),
      t("killBot"),
    );
    this.state = el("small", { role: "status", "data-role": "bot-state" });
    this.element = el(
      "div",
      { class: "kill-box", hidden: true },
      el("div", { class: "kill-line" }, this.button, this.state),
      el("p", {}, t("killBotBody")),
    );
  }

  async refresh() {
    try {
      this.#draw(await api.bot());
    } catch {
      // The feed below already says that the server is away.
    }
  }

  async #kill() {
    try {
      await api.killBot();
    } catch (error) {
      trouble(error);
    }
    await this.refresh();
  }

  #draw({ pid, starts }) {
    this.element.hidden = !starts;
    this.button.disabled = !pid;
    this.state.textContent = pid ? t("botRuns", { pid, n: starts }) : t("botGone");
  }
}

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

const WAIT_S = 20;
const RETRY_MS = 2000;
const MOST_ROWS = 400;
const POLLING = new Set(["getUpdates", "recordInfo"]);
const KINDS = ["request", "effect", "webhook", "callback", "fault"];
const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export class Feed {
  #last = 0;

  constructor({ onEvents }) {
    this.onEvents = onEvents;
    this.rows = el("ol", { class: "events", "data-role": "events", tabindex: 0, "aria-label": t("eventsTitle") });
    this.state = el("p", { class: "feed-state", role: "status" }, t("noEvents"));
    this.world = this.#filter("world", ["telegram", "kie", "yookassa", "cryptopay"]);
    this.kind = this.#filter("kind", KINDS);
    this.noPolling = el("input", { type: "checkbox", checked: true, onchange: () => this.#applyFilters() });
    const clear = el("button", { type: "button", class: "link", onclick: () => this.#clear() }, t("clearEvents"));
    const filters = el(
      "div",
      { class: "filters" },
      this.world,
      this.kind,
      el("label", {}, this.noPolling, t("hidePolling")),
      clear,
    );
    this.element = el("div", { class: "feed" }, el("h3", {}, t("eventsTitle")), filters, this.state, this.rows);
    this.#applyFilters();
  }

  /** Follows the transcript while the page lives; after an outage it starts over, for the count may have too. */
  async follow() {
    for (;;) {
      try {
        const { events, last } = await api.transcript(this.#last, this.#last ? WAIT_S : 0.5);
        if (this.#last === 0) this.#clear();
        this.#last = last;
        this.#add(events);
        if (events.length) this.onEvents(events);
      } catch {
        this.#last = 0;
        this.state.textContent = t("transcriptDown");
        this.state.hidden = false;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  #filter(name, values) {
    const options = values.map((value) => el("option", { value }, t(`${name}.${value}`)));
    const attributes = { "aria-label": t(name), "data-filter": name, onchange: () => this.#applyFilters() };
    return el("select", attributes, el("option", { value: "" }, `${t(name)}: ${t("everything")}`), options);
  }

  /** The filters are attributes of the list; a row that does not fit is hidden when it comes and when they change. */
  #applyFilters() {
    for (const row of this.rows.children) row.hidden = !this.#fits(row.dataset);
  }

  #fits({ world, kind, name }) {
    if (this.world.value && world !== this.world.value) return false;
    if (this.kind.value && kind !== this.kind.value) return false;
    return !(this.noPolling.checked && POLLING.has(name));
  }

  #add(events) {
    this.state.textContent = t("noEvents");
    for (const event of events) {
      const row = eventRow(event);
      row.hidden = !this.#fits(row.dataset);
      this.rows.prepend(row);
    }
    while (this.rows.children.length > MOST_ROWS) this.rows.lastElementChild.remove();
    this.state.hidden = this.rows.children.length > 0;
  }

  #clear() {
    this.rows.replaceChildren();
    this.state.hidden = false;
  }
}

function eventRow(event) {
  const { n, at, world, kind, name, summary, detail } = event;
  const head = el(
    "summary",
    {},
    el("time", {}, clock.format(new Date(at * 1000))),
    el("span", { class: "world" }, t(`world.${world}`)),
    el("span", { class: "kind" }, t(`kind.${kind}`)),
    el(
      "span",
      { class: "event-text" },
      el("b", {}, name),
      " ",
      summary.startsWith(name) ? summary.slice(name.length) : summary,
    ),
  );
  const more = el("details", {}, head);
  more.addEventListener("toggle", () => {
    if (more.open && more.children.length === 1) more.append(el("pre", {}, JSON.stringify(detail, null, 2)));
  });
  return el("li", { "data-n": n, "data-world": world, "data-kind": kind, "data-name": name }, more);
}
