// Files a person is about to send: chosen, pasted or dropped; shown as a strip above the input until they are sent.

import { el, iconButton } from "./dom.js";
import { sizeOf, t } from "./texts.js";
import { icon } from "./icons.js";

export class Attachments {
  #files = [];

  constructor({ onChange }) {
    this.onChange = onChange;
    this.asFile = el("input", { type: "checkbox" });
    this.strip = el("div", { class: "strip" });
    const option = el("label", { class: "as-file" }, this.asFile, t("asFile"));
    this.element = el("div", { class: "attachments", hidden: true }, this.strip, option);
  }

  get count() {
    return this.#files.length;
  }

  add(files, { asFile = false } = {}) {
    if (!this.count) this.asFile.checked = false;
    if (asFile) this.asFile.checked = true;
    this.#files.push(...files);
    this.#draw();
  }

  /** Hands the files over, each with the kind Telegram would give it, and empties the strip. */
  take() {
    const taken = this.#files.map((file) => ({ file, kind: this.asFile.checked ? "document" : kindOf(file) }));
    this.#files = [];
    this.#draw();
    return taken;
  }

  #draw() {
    for (const image of this.strip.querySelectorAll("img")) URL.revokeObjectURL(image.src);
    this.strip.replaceChildren(...this.#files.map((file) => this.#thumbnail(file)));
    this.element.hidden = !this.count;
    this.onChange();
  }

  #thumbnail(file) {
    const picture = file.type.startsWith("image/") ? el("img", { src: URL.createObjectURL(file), alt: "" }) : icon("file");
    const drop = () => {
      this.#files = this.#files.filter((one) => one !== file);
      this.#draw();
    };
    return el(
      "figure",
      {},
      picture,
      el("figcaption", {}, `${file.name} · ${sizeOf(file.size)}`),
      iconButton(icon("close"), t("remove", { name: file.name }), { onclick: drop }),
    );
  }
}

function kindOf(file) {
  if (/^image\/(jpeg|png|webp|bmp)$/.test(file.type)) return "photo";
  if (/^video\/(mp4|quicktime|webm)$/.test(file.type)) return "video";
  return file.type.startsWith("audio/") ? "audio" : "document";
}

/** Hidden file inputs behind the attach menu; their data-role is what tests and scripts use. */
export function fileInput(role, accept, onFiles) {
  const input = el("input", { type: "file", multiple: true, hidden: true, accept, "data-role": role, tabindex: -1 });
  input.addEventListener("change", () => {
    onFiles([...input.files]);
    input.value = "";
  });
  return input;
}

/** Lets files be dropped on the column and pasted into the input. */
export function acceptFiles(column, textarea, onFiles) {
  const isFiles = (event) => event.dataTransfer?.types.includes("Files");
  column.addEventListener("dragover", (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    column.classList.add("dropping");
  });
  column.addEventListener("dragleave", (event) => {
    if (!column.contains(event.relatedTarget)) column.classList.remove("dropping");
  });
  column.addEventListener("drop", (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    column.classList.remove("dropping");
    onFiles([...event.dataTransfer.files]);
  });
  textarea.addEventListener("paste", (event) => {
    const files = [...event.clipboardData.files];
    if (!files.length) return;
    event.preventDefault();
    onFiles(files);
  });
}
