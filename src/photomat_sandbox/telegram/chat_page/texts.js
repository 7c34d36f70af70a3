// The sentences of the page in the language that was chosen. t(key, {name: "…"}) fills the {placeholders}.

import { remembered } from "./preferences.js";
import { EN } from "./texts_en.js";
import { RU } from "./texts_ru.js";

export const language = remembered("language", "ru") === "en" ? "en" : "ru";
const TEXTS = language === "en" ? EN : RU;

export function t(key, values = {}) {
  return (TEXTS[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}
