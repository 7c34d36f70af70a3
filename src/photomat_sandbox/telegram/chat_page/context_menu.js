// A small menu at the pointer or under a button: arrows walk, Enter chooses, Escape and a click elsewhere close it.

import { el } from "./dom.js";
import { icon } from "./icons.js";

const EDGE_PX = 8;
const LONG_PRESS_MS = 450;
let closeOpen = () => {};

/** items: [{icon, text, act, danger?}]; `place` is {x, y} or an element the menu belongs to. */
export function openMenu(items, place, label) {
  closeOpen();
  const back = document.activeElement;
  const choose = (item) => {
    closeOpen();
    item.act();
  };
  const buttons = items.map((item) =>
    el(
      "button",
      { type: "button", role: "menuitem", class: item.danger ? "danger" : null, onclick: () => choose(item) },
      icon(item.icon),
      item.text,
    ),
  );
  const menu = el("div", { class: "context-menu", role: "menu", "aria-label": label }, buttons);
  const leave = new AbortController();
  const outside = (event) => !menu.contains(event.target) && closeOpen();
  closeOpen = () => {
    leave.abort();
    menu.remove();
    closeOpen = () => {};
    back?.focus?.({ preventScroll: true });
  };
  document.addEventListener("pointerdown", outside, { signal: leave.signal, capture: true });
  document.addEventListener("wheel", outside, { signal: leave.signal, passive: true });
  document.addEventListener("keydown", (event) => walk(event, buttons), { signal: leave.signal, capture: true });
  document.body.append(menu);
  position(menu, place);
  buttons[0].focus({ preventScroll: true });
}

function walk(event, buttons) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape" || event.key === "Tab") {
    closeOpen();
    event.stopPropagation();
  } else if (step) buttons.at((buttons.indexOf(document.activeElement) + step) % buttons.length).focus();
  else return;
  event.preventDefault();
}

function position(menu, place) {
  const box = place instanceof Element ? place.getBoundingClientRect() : null;
  const { x, y } = box ? { x: box.left, y: box.bottom + 4 } : place;
  const left = Math.min(x, innerWidth - menu.offsetWidth - EDGE_PX);
  const top = y + menu.offsetHeight + EDGE_PX > innerHeight ? (box ? box.top - 4 : y) - menu.offsetHeight : y;
  menu.style.left = `${Math.max(EDGE_PX, left)}px`;
  menu.style.top = `${Math.max(EDGE_PX, top)}px`;
}

/** Right click, the menu key, or a long press of a finger on one of the elements that match. */
export function onMenuWish(root, selector, wish) {
  let timer = null;
  const point = (event) => ({ x: event.clientX, y: event.clientY });
  root.addEventListener("contextmenu", (event) => {
    const target = event.target.closest(selector);
    if (!target || event.target.closest("a, video, audio")) return;
    event.preventDefault();
    const byKey = event.clientX === 0 && event.clientY === 0;
    wish(target, byKey ? target : point(event));
  });
  root.addEventListener("pointerdown", (event) => {
    const target = event.target.closest(selector);
    if (event.pointerType === "touch" && target) timer = setTimeout(() => wish(target, point(event)), LONG_PRESS_MS);
  });
  for (const type of ["pointerup", "pointermove", "pointercancel"]) {
    root.addEventListener(type, () => clearTimeout(timer), { passive: true });
  }
}
