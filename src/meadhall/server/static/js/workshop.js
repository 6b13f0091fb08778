// The workshop: after each change the hall says what the document means. Without this file its form works as a plain form.
// An answer never replaces a field, because a person types on meanwhile. It brings what stands beside the fields, and the fields of
// pieces that come or go. Requests go one after the other, each with all that the form has by then; a button waits for its turn.
(() => {
  const form = document.getElementById("shop-form");
  const MARKS = ["aria-invalid", "aria-describedby"];
  const callbacks = {
    beforeNodeMorphed: (node, fresh) => {
      if (!node.matches?.(".shop-field :is(input, select)")) return true;
      for (const mark of MARKS) fresh.hasAttribute(mark) ? node.setAttribute(mark, fresh.getAttribute(mark)) : node.removeAttribute(mark);
      return false;
    },
    beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS"),
  };
  const toast = words => document.dispatchEvent(new CustomEvent("meadhall:toast", { detail: words }));

  const waiting = [];  // buttons; null: the document is checked
  const leaves = button => /^[a-z]+$/.test(button?.value ?? "");  // not "add:monster"
  let isAsking = false, isLeaving = false;
  async function go() {
    if (isAsking) return;
    isAsking = true;
    while (waiting.length && !leaves(waiting[0])) await ask(waiting.shift());
    isAsking = false;
    const button = waiting.shift();
    if (!button) return;
    isLeaving = true;
    form.requestSubmit(button);
    isLeaving = false;
    go();
  }
  async function ask(button) {
    button?.classList.add("pending");
    const body = new URLSearchParams(new FormData(form, button));
    const answer = await fetch(form.action, { method: "POST", body, signal: AbortSignal.timeout(30000) }).catch(() => null);
    const content = new DOMParser().parseFromString((await answer?.text().catch(() => "")) ?? "", "text/html");
    const fresh = content.getElementById("shop");
    button?.classList.remove("pending");
    if (fresh) Idiomorph.morph(document.getElementById("shop"), fresh, { morphStyle: "outerHTML", callbacks });
    else toast(content.querySelector("h1")?.textContent.trim() || document.getElementById("toast").dataset.failed);
  }
  function want(button) {
    if (button || !waiting.includes(null)) waiting.push(button);
    go();
  }
  form.addEventListener("change", () => want(null));
  form.addEventListener("submit", event => {
    if (isLeaving || (leaves(event.submitter) && !isAsking)) return;
    event.preventDefault();
    want(event.submitter?.value ? event.submitter : null);
  });
})();
