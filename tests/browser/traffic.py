"""Recording everything that a page receives."""

from __future__ import annotations

RECORD_TRAFFIC = """
window.received = [];
addEventListener("DOMContentLoaded", () => received.push(document.documentElement.outerHTML));
document.addEventListener("htmx:after:swap", () => received.push(document.getElementById("frame")?.outerHTML ?? ""));  // patched
const ask = window.fetch;
window.fetch = async (...asked) => {
  const answer = await ask(...asked);
  const at = received.push("") - 1, reader = answer.clone().body?.getReader(), text = new TextDecoder();
  const read = ({ done, value }) => {
    if (done) return;
    received[at] += text.decode(value, { stream: true });
    reader.read().then(read, () => {});
  };
  reader?.read().then(read, () => {});
  return answer;
};
"""
"""Records everything that a page receives: itself, its responses, and every frame of its stream."""
