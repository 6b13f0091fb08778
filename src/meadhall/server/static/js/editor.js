// The editor of a document: an edited field posts itself, alone. Without this file the form has a button that sends all fields.
// An answer never replaces a field that is being edited. It brings the panel beside the fields, the values of other fields that have
// changed, and the lists that have got longer or shorter. Requests go one after the other; what is edited meanwhile goes together.
(() => {
  const byId = id => document.getElementById(id);
  const form = byId("shop-form"), saved = byId("shop-saved");
  const fields = (within = form) => within.querySelectorAll("[name^='at-']");
  const known = new Map([...fields()].map(field => [field.name, field.value]));  // what the hall has
  const toast = words => document.dispatchEvent(new CustomEvent("meadhall:toast", { detail: words }));
  const pause = ms => new Promise(go => { setTimeout(go, ms); });

  const waiting = [];  // what to send, each a Map; `isEdits`: of fields alone, so that more may join it
  let sending = null, done = Promise.resolve();
  const isWaiting = name => waiting.some(each => each !== sending && each.has(name));
  const isEdited = field => isWaiting(field.name) || field.value !== known.get(field.name);
  function send(pairs, isEdits = false) {
    waiting.push(Object.assign(new Map(pairs), { isEdits }));
    if (!sending) done = sendAll();
  }
  function edited(field) {
    mark(field);
    const last = waiting.at(-1);
    if (last?.isEdits && last !== sending) last.set(field.name, field.value);
    else send([[field.name, field.value]], true);
  }
  const bodyOf = maps => new URLSearchParams(maps.flatMap(each => [...each].flatMap(([name, value]) => [value].flat().map(one => [name, one]))));
  async function sendAll() {
    while ((sending = waiting[0])) {
      saved.textContent = saved.dataset.saving;
      const request = { method: "POST", body: bodyOf([sending]), headers: { "HX-Request": "true" }, keepalive: true, signal: AbortSignal.timeout(30000) };
      const answer = await fetch(form.action, request).catch(() => null);
      const text = await answer?.text().catch(() => null);
      if (text == null || answer.status >= 500 || answer.status === 429) {
        saved.textContent = saved.dataset.failed;
        await pause(2000);
        continue;
      }
      waiting.shift();
      receive(new DOMParser().parseFromString(text, "text/html"), sending);
    }
    saved.textContent = saved.dataset.saved;
  }

  function receive(content, sent) {
    const fresh = content.getElementById("shop-side");
    if (!fresh) return toast(content.querySelector("h1")?.textContent.trim() || byId("toast").dataset.failed);
    if (sent.isEdits) for (const [name, value] of sent) known.set(name, value);
    for (const each of content.querySelectorAll("template[data-list]")) redraw(byId(`list-${each.dataset.list}`), each.content.firstElementChild);
    for (const [name, value] of Object.entries(JSON.parse(fresh.dataset.values))) {
      const field = byId(`at-${name}`), isTyped = field && isEdited(field);
      known.set(`at-${name}`, value);
      if (field && !isTyped) field.value = value;
      if (field) mark(field);
    }
    const isOpened = (name, node) => !(name === "open" && node.tagName === "DETAILS");
    Idiomorph.morph(byId("shop-side"), fresh, { morphStyle: "outerHTML", callbacks: { beforeAttributeUpdated: isOpened } });
    showNotes();
  }
  // A list with other fields than before. What is being typed there stays.
  function redraw(old, fresh) {
    const typed = [...fields(old)].filter(isEdited), at = document.activeElement, focused = old.contains(at) && at.id;
    const place = focused && at.selectionStart != null && [at.selectionStart, at.selectionEnd];
    const folds = [...old.querySelectorAll("details")].map(each => each.open);
    fresh.open = old.open;
    fresh.querySelectorAll("details").forEach((each, k) => { each.open = folds[k]; });
    old.replaceWith(document.adoptNode(fresh));
    for (const field of fields(fresh)) if (!isWaiting(field.name)) known.set(field.name, field.value);
    for (const { name, value } of typed) {
      const field = byId(name);
      if (field) { field.value = value; mark(field); }
    }
    if (focused) byId(focused)?.focus({ preventScroll: true });
    if (place) byId(focused)?.setSelectionRange(...place);
  }
  function mark(field) {
    const { usual } = field.dataset;
    field.closest(".shop-cell, .shop-field").classList.toggle("differs", usual !== undefined && field.value.trim() !== usual);
  }
  function showNotes() {
    const notes = JSON.parse(byId("shop-side").dataset.marks);
    for (const field of fields()) {
      const note = notes[field.name.slice(3)];
      field.toggleAttribute("data-note", !!note);
      if (note === "fault") field.setAttribute("aria-invalid", "true"); else field.removeAttribute("aria-invalid");
      if (note) field.setAttribute("aria-describedby", note); else field.removeAttribute("aria-describedby");
    }
  }
  showNotes();

  form.addEventListener("change", ({ target }) => {
    if (target.name.startsWith("at-")) edited(target);
    if (!target.name.startsWith("step:") || !target.value.trim()) return;
    const rows = `row:${target.name.split(":")[1]}`;
    const chosen = [...form.querySelectorAll(`[name="${rows}"]:checked`)].map(each => each.value);
    send([[target.name, target.value], ...(chosen.length ? [[rows, chosen]] : [])]);
    target.value = "";
  });
  // The buttons of the form are requests, too. What leaves the page waits until everything is saved.
  let isLeaving = false;
  document.addEventListener("submit", async event => {
    const { target, submitter } = event;
    if (!target.closest("#shop") || isLeaving) return;
    const [act, name] = (submitter?.value ?? "").split(":");
    const leaves = target !== form || act === "print";
    if (leaves && !sending) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const field = act === "reset" ? byId(`at-${name}`) : null;
    if (leaves) {
      await done;
      isLeaving = true;
      target.requestSubmit(submitter);
      isLeaving = false;
    } else if (field?.dataset.usual !== undefined) {
      field.value = field.dataset.usual;
      field.focus();
      edited(field);
    } else if (act) send([["do", submitter.value]]);
  }, true);
  document.addEventListener("click", async event => {
    const place = event.target.closest("a[href^='#at-']"), field = place && byId(place.hash.slice(1));
    if (field) {
      for (let fold = field.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      event.preventDefault();
      field.focus();
    }
    const file = event.target.closest("#export, #back");
    if (!file || !sending) return;
    event.preventDefault();
    await done;
    file.click();
  });
  addEventListener("pagehide", () => {
    const typed = [...fields()].filter(isEdited).map(field => [field.name, field.value]);
    const left = [...waiting.filter(each => each !== sending && !each.isEdits), new Map(typed)].filter(each => each.size);
    if (left.length) navigator.sendBeacon(form.action, bodyOf(left));
  });

  // As in a spreadsheet: Enter and the arrow keys move down, up, and aside from the ends of what is typed.
  const STEPS = { Enter: [1, 0], ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  form.addEventListener("keydown", event => {
    const cell = event.target.closest("tbody .shop-cell"), [down, aside] = STEPS[event.key] ?? [0, 0];
    if (!cell || !event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey || !(down || aside)) return;
    const { selectionStart: from, selectionEnd: to, value } = event.target;
    if (aside && !(aside < 0 ? to === 0 || to - from === value.length : from === value.length || to - from === value.length)) return;
    const way = event.key === "Enter" && event.shiftKey ? -1 : down;
    let row = cell.parentElement, at = cell.cellIndex, next;
    do {
      if (way) row = way > 0 ? row.nextElementSibling : row.previousElementSibling;
      at += aside;
      next = row?.cells[at]?.querySelector("input[name^='at-']");
    } while (row?.cells[at] && !next);
    event.preventDefault();
    if (!next && isEdited(event.target)) edited(event.target);
    next?.focus();
    next?.select();
  });
})();
