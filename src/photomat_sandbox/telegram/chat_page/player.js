// A small player for audio and voice: one button, one line to seek on, one clock. Only one plays at a time.

import { el } from "./dom.js";
import { durationOf } from "./format.js";
import { icon } from "./icons.js";
import { t } from "./texts.js";

const BARS = 32;
let playing = null;

export function player(media, { kind, title, performer, cover }) {
  const audio = el("audio", { src: media.url, preload: "metadata" });
  const button = el("button", { type: "button", class: "player-button", "aria-label": t("play") }, icon("play"));
  const clock = el("span", { class: "player-clock" }, durationOf(media.duration ?? 0));
  const seek = el(
    "input",
    { type: "range", class: "player-seek", min: 0, max: 1000, value: 0, "aria-label": t("seek") },
  );
  const line = el("div", { class: "player-line" }, kind === "voice" ? waveform(media.file_unique_id) : null, seek);
  const name = kind === "voice" ? null : el("div", { class: "player-title" }, title);
  const maker = kind === "voice" || !performer ? null : el("div", { class: "player-performer" }, performer);
  if (cover) button.prepend(el("img", { class: "player-cover", src: cover, alt: "" }));
  const box = el(
    "div",
    { class: `player player-${kind}` },
    audio,
    button,
    el("div", { class: "player-body" }, name, maker, line, clock),
  );
  wire({ audio, button, clock, seek, box, media });
  return box;
}

function wire({ audio, button, clock, seek, box, media }) {
  const length = () => (Number.isFinite(audio.duration) ? audio.duration : media.duration ?? 0);
  const show = () => {
    const share = length() ? audio.currentTime / length() : 0;
    seek.value = String(Math.round(share * 1000));
    box.style.setProperty("--played", String(share));
    clock.textContent = durationOf(audio.paused && !audio.currentTime ? length() : audio.currentTime);
  };
  const turned = () => {
    const cover = button.querySelector(".player-cover");
    button.replaceChildren(...[cover, icon(audio.paused ? "play" : "pause")].filter(Boolean));
    button.setAttribute("aria-label", t(audio.paused ? "play" : "pause"));
    show();
  };
  button.addEventListener("click", () => (audio.paused ? start(audio) : audio.pause()));
  seek.addEventListener("input", () => {
    audio.currentTime = (Number(seek.value) / 1000) * length();
  });
  for (const type of ["play", "pause", "ended"]) audio.addEventListener(type, turned);
  for (const type of ["timeupdate", "loadedmetadata"]) audio.addEventListener(type, show);
}

function start(audio) {
  if (playing !== audio) playing?.pause();
  playing = audio;
  audio.play().catch(() => audio.pause());
}

/** Bars that look like speech; the same file always looks the same. */
function waveform(seed) {
  let state = [...String(seed)].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  const bars = Array.from({ length: BARS }, (_, index) => {
    state = (state * 1664525 + 1013904223) >>> 0;
    const height = 20 + ((state >>> 16) % 80) * Math.sin(((index + 1) / (BARS + 1)) * Math.PI);
    return el("i", { style: { height: `${Math.round(height)}%`, "--at": String(index / BARS) } });
  });
  return el("div", { class: "waveform", "aria-hidden": "true" }, bars);
}
