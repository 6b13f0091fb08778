// Development mode: the drawer with the debug panel, and pages that follow the files. Without this file the panel is a page.
(() => {
  const byId = id => document.getElementById(id);
  const made = document.querySelector("meta[name=meadhall-dev]");
  const drawer = byId("dev-drawer"), toggle = byId("dev-toggle");
  const alone = drawer?.matches(".dev-alone");
  const kept = { get open() { return sessionStorage.getItem("dev-open") === "yes"; }, set open(value) { sessionStorage.setItem("dev-open", value ? "yes" : "no"); } };

  // A page that was made of other files is loaded again.
  live.follow(made.dataset.stream, {
    hear: (_name, data) => {
      const { build, problems } = JSON.parse(data);
      if (!document.querySelector(".dev-error")) byId("dev-problems").innerHTML = problems;  // such a page says it all
      if (build !== made.content) location.reload();
    },
  });
  if (!drawer) return;

  // What the panel shows: its address without the part for the drawer. It is kept when the page is loaded again.
  const place = "dev-place-" + location.pathname;
  let address = alone ? location.href : sessionStorage.getItem(place) ?? drawer.dataset.url;
  let asked = 0;
  async function load(url, options, isRefresh) {
    const number = ++asked, target = new URL(url, location.href);
    if (!options) {
      address = target.href;
      if (!alone) sessionStorage.setItem(place, address);
      target.searchParams.set("part", "true");
    }
    const answer = await fetch(target, options).catch(() => undefined);
    const text = await answer?.text();
    if (number !== asked || !text?.includes('id="dev-panel"') || (isRefresh && isEdited())) return;
    if (options) address = address.replace(/([?&])at=\d*&?/, "$1");  // after a change the newest position is shown
    if (byId("dev-panel")) Idiomorph.morph(byId("dev-panel"), text, { morphStyle: "outerHTML", ignoreActiveValue: false });
    else drawer.innerHTML = text;
    if (!alone) for (const close of drawer.querySelectorAll(".dev-close")) close.hidden = false;
  }
  const show = open => {
    kept.open = open;
    drawer.hidden = !open;
    document.body.classList.toggle("dev-open", open);
    toggle?.setAttribute("aria-expanded", String(open));
    if (open) load(address);
  };
  if (!alone) show(kept.open || "stopped" in drawer.dataset);

  const isEdited = () => [...drawer.querySelectorAll("input[type=number], input[type=text], textarea")].some(field => field.value !== field.defaultValue)
    || [...drawer.querySelectorAll("select > option")].some(option => option.selected !== option.defaultSelected);
  document.addEventListener("htmx:after:swap", () => { if (!drawer.hidden && !isEdited()) load(address, undefined, true); });
  toggle?.addEventListener("click", event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(drawer.hidden);
  });
  drawer.addEventListener("click", event => {
    if (event.target.closest(".dev-close")) { show(false); toggle?.focus(); }
    const to = event.target.closest("a[data-dev]");
    if (!to || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    load(to.href);
  });
  drawer.addEventListener("submit", event => {
    const form = event.target;
    if (!form.matches("[data-dev]")) return;
    event.preventDefault();
    const values = new URLSearchParams(new FormData(form, event.submitter));
    const action = form.getAttribute("action");  // an input named "action" hides the property
    if (form.getAttribute("method") === "get") return load(`${action}?${values}`);
    values.set("part", "true");
    load(action, { method: "POST", body: values });
  });
  let later;
  drawer.addEventListener("input", event => {
    if (event.target.id !== "dev-at") return;
    clearTimeout(later);
    later = setTimeout(() => event.target.form.requestSubmit(), 80);
  });
  window.addEventListener("keydown", event => {
    const typed = event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea");
    if (event.key === "." && !typed && !alone && !document.querySelector(":popover-open")) show(drawer.hidden);
  });
})();
