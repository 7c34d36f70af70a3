// The page's own line icons, drawn as SVG paths on a 24×24 grid.

const PATHS = {
  send: "M3.5 11.2 20 4l-4.6 16-4.3-6.2L3.5 11.2Zm7.6 2.6L20 4",
  mic: "M12 3.5a3 3 0 0 0-3 3V11a3 3 0 0 0 6 0V6.5a3 3 0 0 0-3-3ZM5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21",
  attach: "m19 11.5-7.3 7.3a4.7 4.7 0 0 1-6.6-6.6l8-8a3.1 3.1 0 0 1 4.4 4.4l-7.8 7.8a1.6 1.6 0 0 1-2.2-2.2l7-7",
  menu: "M4 7h16M4 12h16M4 17h10",
  close: "M6 6l12 12M18 6 6 18",
  down: "M12 5v14m-6-6 6 6 6-6",
  more: "M12 5.5v.01M12 12v.01M12 18.5v.01",
  plus: "M12 5v14M5 12h14",
  play: "M8 5.5v13l10.5-6.5Z",
  pause: "M8.5 6v12M15.5 6v12",
  file: "M13.5 3.5H7a1.5 1.5 0 0 0-1.5 1.5v14A1.5 1.5 0 0 0 7 20.5h10a1.5 1.5 0 0 0 1.5-1.5V8.5Zm0 0v5h5",
  photo: "M5 5h14a1.5 1.5 0 0 1 1.5 1.5v11A1.5 1.5 0 0 1 19 19H5a1.5 1.5 0 0 1-1.5-1.5v-11A1.5 1.5 0 0 1 5 5Zm-1 12 5-5 4 4 2.5-2.5L20 17M15.5 9v.01",
  download: "M12 4v11m-5-5 5 5 5-5M5 20h14",
  trash: "M5 7h14M10 7V4.5h4V7m-7 0 .8 12.5h8.4L17 7M10.5 11v5M13.5 11v5",
  reply: "M10 6 4.5 11.5 10 17v-3.5c5 0 7.5 1.5 9.5 4.5-.5-5.5-3.5-9-9.5-9.5Z",
  copy: "M9 9h10.5v11H9ZM15 9V4.5H4.5V15H9",
  block: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM6 6l12 12",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1 1M17.4 17.4l1 1M5.6 18.4l1-1M17.4 6.6l1-1",
  bell: "M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15ZM10 20.5h4",
  muted: "M6 16.5V11a6 6 0 0 1 9-5.2M18 11v4M4.5 18h11M10 20.5h4M4 4l16 16",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z",
  bolt: "M13 3 5 13.5h6L10 21l8.5-11h-6.2Z",
  checks: "m2.5 12.5 4.5 4.5L16.5 7M11 16l1 1L21.5 7",
  link: "M8 16 17 7m-7.5 0H17v7.5",
  next: "m9 5 7 7-7 7",
  previous: "m15 5-7 7 7 7",
  coin: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM10 16.5v-9h2.7a2.4 2.4 0 0 1 0 5H8.5M8.5 14.5h4.5",
};

const SVG = "http://www.w3.org/2000/svg";

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
