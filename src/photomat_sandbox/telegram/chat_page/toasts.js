// Short news in the top bar, never over a chat (answers to taps, rings of what is not on the screen, troubles), alerts that want an OK, and the ring's sound.

import { el, openDialog } from "./dom.js";
import { remembered } from "./preferences.js";
import { t } from "./texts.js";

const container = () => document.querySelector('[data-role="toasts"]');

/**
 * kind: "answer" | "ring" | "info" | "trouble"; a click on a toast with `act` does it and closes it.
 * It takes the place of the last one.
 */
export function toast(text, { kind = "info", title = null, act = null, lastsMs = 4000 } = {}) {
  const leave = () => {
    note.classList.add("leaving");
    setTimeout(() => note.remove(), 220);
  };
  const note = el(
    act ? "button" : "div",
    { class: `toast ${kind}`, "data-toast": kind, type: act ? "button" : null, title: text },
    title ? el("b", {}, title) : null,
    el("span", {}, text),
  );
  note.addEventListener("click", () => {
    act?.();
    leave();
  });
  container().replaceChildren(note);
  setTimeout(leave, lastsMs);
}

export const trouble = (error) => toast(
  t("failed", { reason: error.message ?? String(error) }),
  { kind: "trouble", lastsMs: 7000 },
);

export function alertBox(title, text) {
  const ok = el("button", { type: "button", class: "primary", onclick: () => dialog.close() }, t("ok"));
  const dialog = openDialog(
    { class: "card-dialog alert", "data-role": "alert" },
    el("h2", {}, title),
    el("p", {}, text),
    el("menu", {}, ok),
  );
}

let sound = null;

/** Two soft tones, made here; silent until the person has turned the sound on. */
export function ring() {
  if (!remembered("sound", false)) return;
  sound ??= new AudioContext();
  [880, 1320].forEach((frequency, index) => {
    const start = sound.currentTime + index * 0.12;
    const tone = new OscillatorNode(sound, { frequency, type: "sine" });
    const volume = new GainNode(sound, { gain: 0 });
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(0.12, start + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.35);
    tone.connect(volume).connect(sound.destination);
    tone.start(start);
    tone.stop(start + 0.4);
  });
}
