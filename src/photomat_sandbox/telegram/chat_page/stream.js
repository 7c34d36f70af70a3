// One person's live events (SSE). Promises: comes back after any outage, and says so every time it is open again.

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
