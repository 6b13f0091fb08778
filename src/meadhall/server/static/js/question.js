// A question of the workshop: an edited field posts itself, with what is edited together. Without this file a button sends all fields.
// An answer brings the panels beside the fields and never a field, because a person types on meanwhile. What could not be sent is sent
// with the next edit. A button that changes which fields there are waits until all edits are sent, and locks the fields meanwhile.
(() => {
  const form = document.getElementById("question-form"), byId = id => document.getElementById(id);
  const PAUSE = 700;  // milliseconds after the last key of a text that is not left yet
  const edited = new Set(), refused = new Set();
  let sending = null, timer;
  const toast = words => document.dispatchEvent(new CustomEvent("meadhall:toast", { detail: words }));
  const partOf = field => field.closest("[data-together]")?.dataset.together ?? field.name;
  const fieldsOf = part => [...form.querySelectorAll(`[data-together="${CSS.escape(part)}"] [name], [name="${CSS.escape(part)}"]`)];

  function bodyOf(parts) {
    const body = new FormData();
    for (const part of parts) {
      body.append("only", part);
      for (const field of new Set(fieldsOf(part))) if (field.type !== "checkbox" || field.checked) body.append(field.name, field.value);
    }
    return body;
  }
  async function post(body) {
    const request = { method: "POST", body, headers: { "HX-Request": "true" }, keepalive: !body.get("file")?.size };
    const answer = await fetch(form.action, request);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!page.getElementById("side")) throw new Error(page.querySelector("h1")?.textContent.trim() ?? "");
    return { page, isFine: answer.ok };
  }
  const morph = (page, id) => Idiomorph.morph(byId(id), page.getElementById(id), { morphStyle: "outerHTML" });
  function showReport(page) {
    const fresh = document.adoptNode(page.getElementById("beside"));
    byId("beside").replaceWith(fresh);
    htmx.process(fresh);
  }
  // Fields that were refused stay marked, and nothing is done before they are correct. The others of a request are sent again, one by one.
  async function sendParts(parts) {
    const { page, isFine } = await post(bodyOf(parts));
    if (!isFine && parts.length > 1) {
      for (const part of parts) await sendParts([part]);
      return;
    }
    for (const part of parts) {
      isFine ? refused.delete(part) : refused.add(part);
      for (const field of fieldsOf(part)) isFine ? field.removeAttribute("aria-invalid") : field.setAttribute("aria-invalid", "true");
    }
    morph(page, "side");
  }
  async function sendAll() {
    clearTimeout(timer);
    while (edited.size) {
      const parts = [...edited];
      edited.clear();
      try {
        await sendParts(parts);
      } catch {
        parts.forEach(part => edited.add(part));
        toast(form.dataset.failed);
        return false;
      }
    }
    return true;
  }
  const send = () => (sending ??= sendAll().finally(() => { sending = null; }));
  function note(event, pause) {
    const field = event.target;
    if (!field.name || field.matches("[data-part], [type=hidden]")) return;
    edited.add(partOf(field));
    if (field.dataset.usual !== undefined) field.closest("td").classList.toggle("differs", field.value !== field.dataset.usual);
    clearTimeout(timer);
    timer = setTimeout(send, pause);
  }
  form.addEventListener("change", event => note(event, 0));
  form.addEventListener("input", event => { if (event.target.matches("textarea, input:not([type=checkbox])")) note(event, PAUSE); });
  form.addEventListener("keydown", event => { if (event.key === "Enter" && event.target.matches("#question-name, input:not([data-part])")) { event.preventDefault(); event.target.blur(); } });
  window.addEventListener("pagehide", () => { if (edited.size) fetch(form.action, { method: "POST", body: bodyOf(edited), headers: { "HX-Request": "true" }, keepalive: true }); });

  form.addEventListener("click", async event => {  // the page behind a link shows what was edited
    const way = event.target.closest("a[href]");
    if (!way || !(edited.size || sending)) return;
    event.preventDefault();
    await send();
    location.assign(way.href);
  });

  const LEAVES = /^(play|delete|copy)\b/;
  async function act(button) {
    button.classList.add("pending");
    const beside = button.matches("[data-beside], #stop"), body = new FormData();
    for (const field of form.querySelectorAll("[data-part]")) body.append(field.name, field.files?.[0] ?? field.value);
    body.append("only", "-");
    body.append("do", button.value);
    try {
      while (edited.size || sending) if (!(await send())) return;
      if (refused.size && button.value !== "undo") {
        toast(form.dataset.wrong);
        return fieldsOf([...refused][0])[0]?.focus();
      }
      if (LEAVES.test(button.value)) return form.requestSubmit(button);
      form.inert = !beside;
      const { page, isFine } = await post(body);
      morph(page, beside || !isFine ? "side" : "question");
      if (!beside && isFine) refused.clear();
      showReport(page);
      if (beside && isFine) byId("report")?.scrollIntoView({ block: "nearest" });
    } catch {
      toast(byId("toast").dataset.failed);
    } finally {
      form.inert = false;
      button.classList.remove("pending");
    }
  }
  document.addEventListener("submit", event => {
    const button = event.submitter;
    if (event.target !== form) return;
    if (!button?.name) event.preventDefault();
    else if (!(LEAVES.test(button.value) && !edited.size && !sending)) {
      event.preventDefault();
      act(button);
    }
  });
})();
