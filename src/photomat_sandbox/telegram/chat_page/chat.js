// What one person sees: the state of a chat, kept by message_id, so that nothing is lost or duplicated, and its live events
// (SSE), which reconnect after any outage and say so.
//
// The state is GET /sandbox/chats/{id}, read again after every (re)connect; live events are applied on top. Events that
// arrive while the state is loading wait for it. Listeners get "change", "arrived" (a new message of the bot), "sent" (one of the person), "answer" (a
// tapped button was answered), "payment" (how one ended) and "gone" (the server no longer knows this person).

import * as api from "./api.js";

const TYPING_MS = 5500;
const TAP_TIMEOUT_MS = 15_000;
const RETRY_MS = 1500;

export class Chat extends EventTarget {
  messages = new Map();
  bot = { first_name: "…", username: "" };
  commands = [];
  replyKeyboard = null;
  keyboardOptions = null; // {resize_keyboard, one_time_keyboard}
  blocked = false;
  connected = false;
  loaded = false;
  typing = null;
  taps = new Map(); // query_id → {messageId, row, column}

  #held = null;
  #turn = 0;
  #typingTimer = null;
  #answered = new Set();
  #payments = new Map(); // query_id → what waits for its end
  #outcomes = new Set();
  #close = null;

  constructor(person) {
    super();
    this.person = person;
  }

  connect() {
    this.#close = openStream(this.person.user_id, {
      onOpen: () => this.refetch(),
      onDown: () => this.#update({ connected: false }),
      onEvent: (name, data) => (this.#held ? this.#held.push([name, data]) : this.#apply(name, data)),
    });
  }

  disconnect() {
    this.#turn += 1;
    this.#close?.();
  }

  ordered() {
    return [...this.messages.values()].sort((a, b) => a.message_id - b.message_id);
  }

  /** Ours came back from the server, or an event brought it: the second one changes nothing. */
  put(message) {
    const isNew = !this.messages.has(message.message_id);
    this.messages.set(message.message_id, message);
    if (isNew && message.from === "bot") {
      this.typing = null;
      this.#emit("arrived", message);
    }
    this.#emit("change");
    if (isNew && message.from === "person") this.#emit("sent", message);
  }

  async tap(messageId, row, column) {
    this.#await(await api.tap(this.person.user_id, messageId, row, column), { messageId, row, column });
  }

  /** Resolves when the payment went through or came to nothing; the outcome may be here before the reply. */
  async pay(target) {
    const { query_id: queryId } = await api.pay(this.person.user_id, target);
    if (this.#outcomes.delete(String(queryId))) return;
    await new Promise((resolve) => {
      this.#payments.set(String(queryId), resolve);
      setTimeout(resolve, TAP_TIMEOUT_MS);
    });
  }

  isTapped(messageId, row, column) {
    return [...this.taps.values()].some(
      (tap) => tap.messageId === messageId && tap.row === row && tap.column === column,
    );
  }

  /** The button is busy until the bot answers; an answer may even be here before the tap's own reply. */
  #await({ query_id: queryId }, place) {
    if (this.#answered.delete(String(queryId))) return;
    this.taps.set(String(queryId), place);
    this.#emit("change");
    setTimeout(() => this.#settleTap(queryId), TAP_TIMEOUT_MS);
  }

  async refetch() {
    const turn = (this.#turn += 1);
    this.#held = [];
    let state;
    try {
      state = await api.chat(this.person.user_id);
    } catch (error) {
      if (turn === this.#turn) this.#failedFetch(error);
      return;
    }
    if (turn !== this.#turn) return;
    const held = this.#held;
    this.#held = null;
    this.#load(state);
    for (const [name, data] of held) this.#apply(name, data);
  }

  #failedFetch(error) {
    if (error.status === 404) this.#emit("gone");
    else setTimeout(() => this.refetch(), RETRY_MS);
  }

  #load(state) {
    const known = new Set(this.messages.keys());
    this.messages = new Map(state.messages.map((message) => [message.message_id, message]));
    const missed = state.messages.filter((one) => one.from === "bot" && !known.has(one.message_id));
    const first = !this.loaded;
    this.loaded = true;
    this.#update({
      connected: true,
      bot: state.bot,
      commands: state.commands,
      replyKeyboard: state.reply_keyboard,
      keyboardOptions: state.keyboard_options,
      blocked: state.blocked,
    });
    if (!first) for (const message of missed) this.#emit("arrived", message);
  }

  #apply(name, data) {
    if (name === "message" || name === "edit") this.put(data);
    else if (name === "delete") this.#remove(data);
    else if (name === "typing") this.#type(data.action);
    else if (name === "answer") this.#answer(data);
    else if (name === "keyboard") this.#replaceKeyboard(data);
    else if (name === "status" && data.payment) this.#paid(data);
    else if (name === "status") this.#update({ blocked: data.blocked ?? this.blocked });
  }

  #replaceKeyboard({ reply_keyboard: replyKeyboard, keyboard_options: keyboardOptions }) {
    this.#update({ replyKeyboard, keyboardOptions });
  }

  #remove({ message_id: messageId }) {
    this.messages.delete(messageId);
    this.#emit("change");
  }

  #type(action) {
    clearTimeout(this.#typingTimer);
    this.#typingTimer = setTimeout(() => this.#update({ typing: null }), TYPING_MS);
    this.#update({ typing: action });
  }

  #answer(answer) {
    if (!this.taps.has(String(answer.query_id))) this.#answered.add(String(answer.query_id));
    this.#settleTap(answer.query_id);
    this.#emit("answer", answer);
  }

  #paid(payment) {
    const queryId = String(payment.query_id);
    if (this.#payments.has(queryId)) this.#payments.get(queryId)();
    else this.#outcomes.add(queryId);
    this.#payments.delete(queryId);
    this.#emit("payment", payment);
  }

  #settleTap(queryId) {
    if (this.taps.delete(String(queryId))) this.#emit("change");
  }

  #update(fields) {
    Object.assign(this, fields);
    this.#emit("change");
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

const EVENTS = ["message", "edit", "delete", "typing", "answer", "keyboard", "status"];
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 8000;

export function openStream(userId, { onOpen, onDown, onEvent }) {
  let source = null;
  let timer = null;
  let retryMs = FIRST_RETRY_MS;

  function connect() {
    source = new EventSource(`/sandbox/stream?user_id=${userId}`);
    source.addEventListener("open", () => {
      retryMs = FIRST_RETRY_MS;
      onOpen();
    });
    for (const name of EVENTS) {
      source.addEventListener(name, (event) => onEvent(name, JSON.parse(event.data)));
    }
    source.addEventListener("error", again);
  }

  // The browser itself gives up after an HTTP error, so reconnecting is ours alone.
  function again() {
    source.close();
    onDown();
    clearTimeout(timer);
    timer = setTimeout(connect, retryMs);
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
  }

  connect();
  return function close() {
    clearTimeout(timer);
    source.close();
  };
}
