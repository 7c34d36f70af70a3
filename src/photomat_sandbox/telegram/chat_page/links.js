// What an address means inside the chat: a bill to pay, a start of this bot, something to share, or just a page.

const TELEGRAM = /^(www\.)?(t|telegram)\.me$/;

/** → {kind: "bill", link} | {kind: "start", payload} | {kind: "share", url, text} | {kind: "page"} */
export function meaningOf(address, botUsername) {
  const url = new URL(address);
  const path = url.pathname.slice(1);
  if (!TELEGRAM.test(url.hostname)) return { kind: "page" };
  const slug = /^(?:\$|%24|invoice\/)([\w-]+)$/.exec(path)?.[1];
  if (slug) return { kind: "bill", link: billAddress(url, slug) };
  if (path.toLowerCase() === botUsername.toLowerCase()) return { kind: "start", payload: url.searchParams.get("start") };
  if (/^share(\/url)?$/.test(path)) {
    return { kind: "share", url: url.searchParams.get("url") ?? "", text: url.searchParams.get("text") ?? "" };
  }
  return { kind: "page" };
}

/** The one spelling of a bill's address, whichever of its others was used. */
function billAddress(url, slug) {
  const parts = { protocol: "https:", hostname: "t.me", port: "", pathname: `/$${slug}`, search: "", hash: "" };
  return Object.assign(new URL(url), parts).href;
}

/** What a person typed or pasted as an address, or null when it is none. */
export function addressOf(typed) {
  const words = typed.trim();
  try {
    const url = new URL(/^[a-z]+:/i.test(words) ? words : `https://${words}`);
    return ["http:", "https:"].includes(url.protocol) && /\.|^localhost$/.test(url.hostname) ? url.href : null;
  } catch {
    return null;
  }
}
