// Voice messages: the microphone button, the recording bar, and Ogg with Opus, as Telegram's apps send it.
//
// Chromium records WebM with Opus; the same packets are copied into Ogg pages (RFC 7845, RFC 3533), nothing is encoded again.

import { el, iconButton } from "./dom.js";
import { durationOf, t } from "./texts.js";
import { icon } from "./icons.js";
import { toast } from "./toasts.js";

// Segment, Cluster, Tracks, TrackEntry, BlockGroup
const CONTAINERS = new Set([0x18538067, 0x1f43b675, 0x1654ae6b, 0xae, 0xa0]);
const CODEC_PRIVATE = 0x63a2;
const BLOCKS = new Set([0xa3, 0xa1]); // SimpleBlock, Block
const BLOCK_HEADER = 4; // track number, two bytes of time, flags
const PACKETS_A_PAGE = 40;
const MOST_SEGMENTS = 255;

/** The bytes of an Ogg file with the recording's packets. */
export function webmToOgg(webm) {
  const { head, packets } = unpack(new Uint8Array(webm));
  const pages = [page([head], 0, { first: true, number: 0 }), page([tags()], 0, { number: 1 })];
  let samples = 0;
  let waiting = [];
  packets.forEach((packet, index) => {
    waiting.push(packet);
    samples += samplesOf(packet);
    const last = index === packets.length - 1;
    if (last || waiting.length === PACKETS_A_PAGE || segments([...waiting, packets[index + 1]]).length > MOST_SEGMENTS) {
      pages.push(page(waiting, samples, { number: pages.length, last }));
      waiting = [];
    }
  });
  return new Blob(pages, { type: "audio/ogg" });
}

/** Containers are entered whatever size they claim (a live recording claims none); everything else is stepped over. */
function unpack(bytes) {
  const found = { head: null, packets: [] };
  let at = 0;
  while (at < bytes.length) {
    const id = variable(bytes, at, true);
    const size = variable(bytes, at + id.length, false);
    at += id.length + size.length;
    if (CONTAINERS.has(id.value)) continue;
    const body = bytes.subarray(at, at + size.value);
    if (id.value === CODEC_PRIVATE) found.head = body;
    if (BLOCKS.has(id.value)) found.packets.push(body.subarray(BLOCK_HEADER));
    at += size.value;
  }
  return found;
}

function variable(bytes, at, keepMarker) {
  const length = Math.clz32(bytes[at]) - 23;
  let value = keepMarker ? bytes[at] : bytes[at] & (0xff >> length);
  for (let index = 1; index < length; index += 1) value = value * 256 + bytes[at + index];
  return { length, value };
}

/** How long a packet sounds, in samples at 48 kHz, from its first byte. */
function samplesOf(packet) {
  const kind = packet[0] >> 3;
  const frameMs = kind < 12 ? [10, 20, 40, 60][kind & 3] : kind < 16 ? [10, 20][kind & 1] : [2.5, 5, 10, 20][kind & 3];
  const frames = [1, 2, 2, packet[1] & 63][packet[0] & 3];
  return frameMs * 48 * frames;
}

function tags() {
  const vendor = new TextEncoder().encode("photomat sandbox");
  const body = new Uint8Array(16 + vendor.length);
  body.set(new TextEncoder().encode("OpusTags"));
  body[8] = vendor.length;
  body.set(vendor, 12);
  return body;
}

function segments(packets) {
  return packets.filter(Boolean).flatMap(
    (packet) => [...Array(Math.floor(packet.length / 255)).fill(255), packet.length % 255],
  );
}

function page(packets, samples, { number, first = false, last = false }) {
  const lacing = segments(packets);
  const bytes = new Uint8Array(27 + lacing.length + packets.reduce((sum, packet) => sum + packet.length, 0));
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode("OggS"));
  bytes[5] = (first ? 2 : 0) + (last ? 4 : 0);
  view.setBigUint64(6, BigInt(samples), true);
  view.setUint32(14, 1, true);
  view.setUint32(18, number, true);
  bytes[26] = lacing.length;
  bytes.set(lacing, 27);
  let at = 27 + lacing.length;
  for (const packet of packets) {
    bytes.set(packet, at);
    at += packet.length;
  }
  view.setUint32(22, checksum(bytes), true);
  return bytes;
}

function checksum(bytes) {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  }
  return sum >>> 0;
}

const TYPES = ["audio/ogg;codecs=opus", "audio/webm;codecs=opus", "audio/mp4"];
const LONGEST_S = 300;

/** Why recording is impossible here, or null. */
export function obstacle() {
  if (!window.isSecureContext) return t("voiceInsecure");
  if (!navigator.mediaDevices?.getUserMedia || !window.MediaRecorder) return t("voiceUnsupported");
  return null;
}

/** Starts at once; `onClock` hears the time. Answers {finish() → Promise<File>, cancel()}. */
export async function startRecording(onClock) {
  let sound;
  try {
    sound = await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch (error) {
    throw new Error(t("voiceDenied", { reason: error.message || error.name }));
  }
  const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
  const recorder = new MediaRecorder(sound, { mimeType });
  const pieces = [];
  const started = performance.now();
  const stopped = new Promise((resolve) => recorder.addEventListener("stop", resolve, { once: true }));
  recorder.addEventListener("dataavailable", (event) => pieces.push(event.data));
  const timer = setInterval(() => tick(), 250);
  recorder.start(1000);

  function tick() {
    const seconds = (performance.now() - started) / 1000;
    onClock(durationOf(seconds));
    if (seconds > LONGEST_S) stop();
  }

  function stop() {
    clearInterval(timer);
    if (recorder.state !== "inactive") recorder.stop();
    for (const track of sound.getTracks()) track.stop();
  }

  async function finish() {
    stop();
    await stopped;
    const recorded = new Blob(pieces, { type: (recorder.mimeType || mimeType).split(";")[0] });
    const voice = recorded.type === "audio/webm" ? webmToOgg(await recorded.arrayBuffer()) : recorded;
    return new File([voice], `voice.${voice.type.split("/")[1]}`, { type: voice.type });
  }

  return { finish, cancel: stop };
}

export function voiceBar({ onVoice }) {
  let recording = null;
  const clock = el("span", { class: "voice-clock" }, "0:00");
  const cancel = iconButton(icon("trash"), t("cancelRecording"), { onclick: () => end(false) });
  const finish = iconButton(icon("send"), t("sendRecording"), { class: "icon-button send", onclick: () => end(true) });
  const bar = el(
    "div",
    { class: "voice-bar", hidden: true, role: "group", "aria-label": t("recording") },
    cancel,
    el("i", { class: "voice-dot" }),
    clock,
    el("span", { class: "voice-label" }, t("recording")),
    finish,
  );
  const button = iconButton(
    icon("mic"),
    t("record"),
    { class: "icon-button send", "data-role": "voice", onclick: begin },
  );

  async function begin() {
    const reason = obstacle();
    if (reason) return toast(reason, { kind: "trouble" });
    try {
      recording = await startRecording((time) => {
        clock.textContent = time;
      });
    } catch (error) {
      return toast(error.message, { kind: "trouble", lastsMs: 6000 });
    }
    clock.textContent = "0:00";
    bar.hidden = false;
    return finish.focus();
  }

  async function end(send) {
    bar.hidden = true;
    button.focus();
    if (send) onVoice(await recording.finish());
    else recording.cancel();
  }

  return { button, bar };
}
