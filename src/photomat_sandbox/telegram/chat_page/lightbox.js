// A photo on the whole screen, with its caption, a download, and the neighbours of the same chat by arrow keys.

import { el, iconButton, openDialog } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./texts.js";

export function openLightbox(message, photos) {
  let index = photos.findIndex((one) => one.message_id === message.message_id);
  const image = el("img", { alt: "" });
  const caption = el("p", { class: "lightbox-caption" });
  const count = el("span", { class: "lightbox-count" });
  const download = el(
    "a",
    { class: "icon-button", "aria-label": t("download"), title: t("download"), "data-role": "download" },
    icon("download"),
  );
  const previous = iconButton(
    icon("previous"),
    t("previous"),
    { class: "icon-button lightbox-step", onclick: () => step(-1) },
  );
  const next = iconButton(icon("next"), t("next"), { class: "icon-button lightbox-step", onclick: () => step(1) });

  function show() {
    const { media, caption: words } = photos[index];
    image.src = media.url;
    image.alt = words ?? t("photo");
    caption.textContent = words ?? "";
    count.textContent = photos.length > 1 ? `${index + 1} / ${photos.length}` : "";
    download.href = media.url;
    download.download = media.file_name ?? `photo-${photos[index].message_id}.${(media.mime ?? "image/jpeg").split("/")[1]}`;
    previous.disabled = index === 0;
    next.disabled = index === photos.length - 1;
  }

  function step(by) {
    index = Math.max(0, Math.min(photos.length - 1, index + by));
    show();
  }

  show();
  const close = iconButton(icon("close"), t("close"), { onclick: () => dialog.close() });
  const bar = el("div", { class: "lightbox-bar" }, count, download, close);
  const stage = el("div", { class: "lightbox-stage" }, previous, image, next);
  stage.addEventListener("click", (event) => event.target === stage && dialog.close());
  const dialog = openDialog(
    { class: "lightbox", "data-role": "lightbox", "aria-label": t("photo") },
    bar,
    stage,
    caption,
  );
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  });
  close.focus();
}
