// The sentences of the page in the chosen language, and times, days, sizes and durations as this language writes them.
// t(key, {name: "…"}) fills the {placeholders}.

import { remembered } from "./preferences.js";
import { EN } from "./texts_en.js";
import { RU } from "./texts_ru.js";

export const language = remembered("language", "ru") === "en" ? "en" : "ru";
const TEXTS = language === "en" ? EN : RU;

export function t(key, values = {}) {
  return (TEXTS[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

const at = (date) => new Date(date * 1000);
const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "long" });
const full = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "medium" });

export const timeOf = (date) => clock.format(at(date));
export const shortDayOf = (date) => day.format(at(date));
export const momentOf = (date) => full.format(at(date));

export function dayOf(date) {
  const daysAgo = Math.round((new Date().setHours(0, 0, 0, 0) - at(date).setHours(0, 0, 0, 0)) / 86_400_000);
  if (daysAgo === 0) return t("today");
  return daysAgo === 1 ? t("yesterday") : day.format(at(date));
}

export function sizeOf(bytes) {
  const units = language === "ru" ? ["Б", "КБ", "МБ", "ГБ"] : ["B", "KB", "MB", "GB"];
  const power = bytes > 0 ? Math.min(3, Math.floor(Math.log2(bytes) / 10)) : 0;
  return `${(bytes / 1024 ** power).toFixed(power ? 1 : 0)} ${units[power]}`;
}

export const durationOf = (seconds) =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
