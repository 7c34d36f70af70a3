// Progressive enhancement only: every page and form works without it.
"use strict";

// The token of a sign-in link stands in the fragment, which is never sent; a button posts it. Until then this tab keeps it,
// so that a reload or another language does not lose it.
const linkForm = document.querySelector('[data-role="link-form"]');
if (linkForm && location.hash.length > 20) sessionStorage.setItem("link", location.hash.slice(1));
const linkToken = linkForm && sessionStorage.getItem("link");
if (linkToken) {
  linkForm.querySelector('[data-role="token"]').value = linkToken;
  linkForm.addEventListener("submit", () => sessionStorage.removeItem("link"));
  linkForm.hidden = false;
  document.querySelector('[data-role="password-form"]')?.setAttribute("hidden", "");
  history.replaceState(null, "", location.pathname + location.search);
  linkForm.querySelector("button").focus();
}

// Regions marked data-live are swapped when the server renders them differently.
const regions = () => document.querySelectorAll("[data-live][id]");
const isBusy = (region) =>
  (region.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) ||
  region.querySelector("details.action[open], input[data-row]:checked") !== null;

// Every rendering gives a form a new id; a region that differs in nothing else stays.
const withoutIds = (region) => region.innerHTML.replace(/name="form_id" value="[^"]*"/g, "");

function swap(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const region of regions()) {
    const next = fresh.getElementById(region.id);
    if (next && !isBusy(region) && withoutIds(next) !== withoutIds(region)) {
      region.innerHTML = next.innerHTML;
    }
  }
}

let stream = null;
let isPaused = sessionStorage.getItem("live") === "off";
const state = document.querySelector('[data-role="live"]');
const toggle = document.querySelector('[data-role="live-toggle"]');

function connect() {
  stream?.close();
  stream = null;
  const isOn = !isPaused && !document.hidden;
  if (isOn) {
    stream = new EventSource(location.pathname + location.search);
    stream.onmessage = (event) => swap(JSON.parse(event.data));
  }
  if (toggle) {
    toggle.textContent = isPaused ? toggle.dataset.off : toggle.dataset.on;
    toggle.classList.toggle("off", isPaused);
  }
}

if (regions().length > 0 && window.EventSource) {
  if (state) state.hidden = false;
  toggle?.addEventListener("click", () => {
    isPaused = !isPaused;
    sessionStorage.setItem("live", isPaused ? "off" : "on");
    connect();
  });
  document.addEventListener("visibilitychange", connect);
  window.addEventListener("pagehide", () => stream?.close());
  connect();
}

// A form is sent once: its button is disabled until the next page.
document.addEventListener("submit", (event) => {
  const button = event.target.querySelector("button:not([name])");
  if (button) setTimeout(() => { button.disabled = true; }, 0);
});
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button:disabled:not([data-keep])")) button.disabled = false;
});

// One menu open at a time; a click elsewhere closes it. Filters with data-submit apply at once.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open], details.who[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
  if (event.target.matches("[data-check-all]")) {
    for (const box of event.target.form.querySelectorAll('input[type="checkbox"][data-row]')) box.checked = event.target.checked;
  }
});

// A form that says data-preview shows beside it how it would look, a moment after every change; files stay here.
let previewSoon = 0;
document.addEventListener("input", (event) => {
  const form = event.target.closest?.("form[data-preview]");
  if (!form || event.target.type === "file") return;
  clearTimeout(previewSoon);
  previewSoon = setTimeout(async () => {
    const fields = new FormData(form);
    fields.delete("file");
    const answer = await fetch(form.dataset.preview, { method: "POST", body: fields });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const region of document.querySelectorAll("[data-preview-region][id]")) {
      const next = fresh.getElementById(region.id);
      if (next) region.innerHTML = next.innerHTML;
    }
  }, 350);
});

// A row of tabs that is wider than the screen shows the current one.
document.querySelector(".sub .here")?.scrollIntoView({ block: "nearest", inline: "center" });
