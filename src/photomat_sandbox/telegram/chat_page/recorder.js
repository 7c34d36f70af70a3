// Records a voice message (Ogg with Opus, as Telegram's apps do), or says in one sentence why it cannot.

import { durationOf } from "./format.js";
import { webmToOgg } from "./ogg.js";
import { t } from "./texts.js";

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
