// What the simulators saw, live by long polling: one line a person understands, the JSON behind it on request.

import * as api from "./api.js";
import { el } from "./dom.js";
import { language, t } from "./texts.js";

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
