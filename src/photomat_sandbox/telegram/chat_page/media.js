// One message's media as an element: photo, video, animation, audio, voice, document. Sizes are known before loading.
// The audio player is one button, one line to seek on, one clock; only one plays at a time.

import { el, safeUrl } from "./dom.js";
import { icon } from "./icons.js";
import { durationOf, sizeOf, t } from "./texts.js";

const WIDEST_PX = 420;
const TALLEST_PX = 460;
const NARROWEST_PX = 160;

export const isPicture = (message) => ["photo", "video", "animation"].includes(message.kind);

export function mediaOf(message, { openPhoto }) {
  const { media, kind } = message;
  if (!media) return null;
  if (kind === "photo") return photo(message, openPhoto);
  if (kind === "video" || kind === "animation") return video(media, kind);
  if (kind === "audio" || kind === "voice") return player(
    media,
    { kind, title: media.title ?? media.file_name ?? t("audio"), performer: media.performer, cover: media.thumbnail_url },
  );
  return file(media);
}

function photo(message, openPhoto) {
  const { media } = message;
  const image = el(
    "img",
    { src: media.url, alt: message.caption ?? t("photo"), loading: "lazy", decoding: "async", draggable: "false" },
  );
  const button = el(
    "button",
    { type: "button", class: "picture", "aria-label": t("openPhoto"), style: frame(media) },
    image,
  );
  if (message.spoiler) button.classList.add("veiled");
  button.addEventListener("click", () => {
    if (button.classList.contains("veiled")) button.classList.remove("veiled");
    else openPhoto(message);
  });
  return button;
}

function video(media, kind) {
  if (media.mime === "image/gif") {
    return el("div", { class: "picture", style: frame(media) }, el("img", { src: media.url, alt: t("animation") }));
  }
  const loops = kind === "animation" ? { autoplay: true, loop: true } : { controls: true };
  const screen = el("video", { src: media.url, preload: "metadata", playsinline: true, ...loops });
  screen.muted = kind === "animation";
  return el("div", { class: "picture", style: frame(media) }, screen);
}

/** The right shape before a byte has come, so that the chat does not jump. */
function frame({ width, height }) {
  const [w, h] = width && height ? [width, height] : [4, 3];
  const ratio = Math.min(Math.max(w / h, 0.4), 3.2);
  const shown = Math.max(NARROWEST_PX, Math.min(WIDEST_PX, TALLEST_PX * ratio));
  return { "--ratio": String(ratio), "--shown": `${Math.round(shown)}px` };
}

function file(media) {
  const name = media.file_name ?? t("document");
  const extension = name.includes(".") ? name.split(".").pop().slice(0, 4) : "";
  return el(
    "a",
    { class: "file", href: safeUrl(media.url), download: name, title: `${t("download")}: ${name}` },
    el("span", { class: "file-badge", "aria-hidden": "true" }, extension || icon("file"), icon("download")),
    el("span", { class: "file-text" }, el("b", {}, name), el("small", {}, sizeOf(media.size_bytes ?? 0))),
  );
}

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
