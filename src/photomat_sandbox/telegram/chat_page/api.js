// The person's side of the simulated Telegram over HTTP; every refusal becomes an Error with its sentence.

const TIMEOUT_MS = 20_000;
const UPLOAD_TIMEOUT_MS = 120_000;

async function call(method, path, { body, form, timeoutMs = TIMEOUT_MS } = {}) {
  const request = { method, signal: AbortSignal.timeout(timeoutMs) };
  if (form) request.body = form;
  if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers = { "Content-Type": "application/json" };
  }
  const response = await fetch(`/sandbox/${path}`, request);
  if (!response.ok) throw await refusal(response);
  return response.status === 204 ? null : response.json();
}

async function refusal(response) {
  const text = await response.text();
  let sentence = text;
  try {
    const answer = JSON.parse(text);
    sentence = answer.error ?? answer.description ?? text;
  } catch {
    // Not JSON: the text itself is the sentence.
  }
  const error = new Error(String(sentence).slice(0, 300) || `HTTP ${response.status}`);
  error.status = response.status;
  return error;
}

export const people = () => call("GET", "people");
export const addPerson = (person) => call("POST", "people", { body: person });
export const chat = (userId) => call("GET", `chats/${userId}`);
export const sendText = (userId, text, replyTo) =>
  call("POST", `chats/${userId}/text`, { body: replyTo ? { text, reply_to: replyTo } : { text } });
export const tap = (userId, messageId, row, column) =>
  call("POST", `chats/${userId}/tap`, { body: { message_id: messageId, row, column } });
export const pay = (userId, { messageId, link }) =>
  call("POST", `chats/${userId}/pay`, { body: link ? { link } : { message_id: messageId } });
export const invoice = (userId, link) => call("GET", `chats/${userId}/invoice?link=${encodeURIComponent(link)}`);
export const subscriptions = (userId) => call("GET", `chats/${userId}/subscriptions`);
export const changeSubscription = (chargeId, act) =>
  call("POST", `subscriptions/${encodeURIComponent(chargeId)}/${act}`);
export const block = (userId) => call("POST", `chats/${userId}/block`);
export const unblock = (userId) => call("POST", `chats/${userId}/unblock`);
export const deleteMessage = (userId, messageId, whom) =>
  call("POST", `chats/${userId}/delete`, { body: { message_id: messageId, for: whom } });

/** `album` is "new" for the first of several files sent together, then the media group it got. */
export function sendFile(userId, { kind, file, caption, album }) {
  const form = new FormData();
  form.append("kind", kind);
  if (album) form.append("album", album);
  if (caption) form.append("caption", caption);
  form.append("file", file, file.name);
  return call("POST", `chats/${userId}/file`, { form, timeoutMs: UPLOAD_TIMEOUT_MS });
}

export const transcript = (since, waitS) =>
  call("GET", `transcript?since=${since}&wait=${waitS}`, { timeoutMs: (waitS + 10) * 1000 });
export const bot = () => call("GET", "bot");
export const killBot = () => call("POST", "bot/kill");
export const faults = () => call("GET", "faults");
export const armFault = (fault) => call("POST", "faults", { body: fault });
export const disarmFault = (faultId) => call("DELETE", `faults/${faultId}`);
export const disarmAll = () => call("DELETE", "faults");
