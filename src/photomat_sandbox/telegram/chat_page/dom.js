// Builds elements without ever parsing markup: whatever comes from outside becomes text.

/** el("button", {class: "x", type: "button", "aria-label": "…", onclick: f, disabled: true}, child, "text", …) */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "style") Object.entries(value).forEach(([key, one]) => element.style.setProperty(key, one));
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** A button that shows only an icon; its name is for screen readers and the tooltip. */
export function iconButton(icon, name, attributes = {}) {
  return el("button", { type: "button", class: "icon-button", "aria-label": name, title: name, ...attributes }, icon);
}

/** Only addresses a chat may open; anything else (javascript:, data:) stays plain text. */
export function safeUrl(address) {
  try {
    const url = new URL(address, location.href);
    return ["http:", "https:", "mailto:", "tel:", "tg:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** A modal <dialog> that is removed again when it closes, however it closes. */
export function openDialog(attributes, ...children) {
  const dialog = el("dialog", attributes, ...children);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export const calmMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
