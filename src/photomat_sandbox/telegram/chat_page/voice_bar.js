// The microphone button and the bar that replaces the input while a voice message is being recorded.

import { el, iconButton } from "./dom.js";
import { icon } from "./icons.js";
import { obstacle, startRecording } from "./recorder.js";
import { t } from "./texts.js";
import { toast } from "./toasts.js";

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
