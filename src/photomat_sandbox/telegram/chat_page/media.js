// One message's media as an element: photo, video, animation, audio, voice, document. Sizes are known before loading.

import { el, safeUrl } from "./dom.js";
import { sizeOf } from "./format.js";
import { icon } from "./icons.js";
import { player } from "./player.js";
import { t } from "./texts.js";

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
