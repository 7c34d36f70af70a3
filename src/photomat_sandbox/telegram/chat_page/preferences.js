// What the page remembers in this browser: language, theme, sound, panel, who is open, half-written texts.

const PREFIX = "photomat.";

function read(storage, name, fallback) {
  try {
    return JSON.parse(storage.getItem(PREFIX + name)) ?? fallback;
  } catch {
    return fallback;
  }
}

function write(storage, name, value) {
  try {
    storage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing still shows the chat; it only forgets the choice.
  }
}

export const remembered = (name, fallback) => read(localStorage, name, fallback);
export const remember = (name, value) => write(localStorage, name, value);
export const draftOf = (userId) => read(sessionStorage, `draft.${userId}`, "");
export const keepDraft = (userId, text) => write(sessionStorage, `draft.${userId}`, text);

/** "auto" follows the system; the style sheet reads everything from color-scheme. */
export function applyTheme(theme = remembered("theme", "auto")) {
  document.documentElement.style.colorScheme = theme === "auto" ? "light dark" : theme;
}

export function isDark() {
  const theme = remembered("theme", "auto");
  return theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
}

export function toggleTheme() {
  const chosen = isDark() ? "light" : "dark";
  remember("theme", chosen);
  applyTheme(chosen);
}
