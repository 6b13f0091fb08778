// At a slow table the page may go on after a decision, to the next table that waits for its reader. It does so once the hall has the
// decision, the board has shown it, and no bot answers. Without this file the answer to the plain form leads there.
(() => {
  const { next } = document.getElementById("stream").dataset, LOOK = 700;  // milliseconds: at least one look at the board as it is now
  if (!next) return;
  let timer = 0;
  const isPlaying = () => typeof stage !== "undefined" && stage.isPlaying();
  const isBusy = () => document.hidden || !!document.querySelector(":popover-open, #thinking") || !!document.getElementById("talk-text")?.value;
  document.addEventListener("htmx:finally:request", ({ target, detail: { ctx } }) => {
    if (!target.matches("#controls, #hint-acts") || !ctx.response || ctx.response.status >= 400) return;
    clearInterval(timer);
    timer = setInterval(look, LOOK);
  });
  async function look() {
    const frame = document.getElementById("frame");
    if (frame.matches(".over") || !frame.querySelector(".clock[data-slow]") || document.getElementById("ask")) return clearInterval(timer);
    if (isPlaying() || frame.dataset.turn === "yes" || isBusy()) return;
    clearInterval(timer);
    const { url } = await fetch(next, { headers: { Accept: "application/json" } }).then(answer => answer.json()).catch(() => ({}));
    if (url) location.assign(url);
  }
})();
