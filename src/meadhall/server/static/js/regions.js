// News of a table: a message of the stream, with regions by their ids and the new events of the log; or a whole frame.
// A region is an element; or only the attributes of an element that has data-bare. News are shown at once, or in parts by the stage.
const regions = (() => {
  const byId = id => document.getElementById(id);
  // Swaps go through idiomorph: htmx's own morph puts new SVG nodes into the HTML namespace, where they are invisible.
  // A swap leaves drawers open or closed, unchanged selects alone, and elements with data-keep to their scripts.
  const callbacks = {
    beforeNodeMorphed: (node, fresh) => !(node.matches?.("[data-keep]") || (node.matches?.("select") && node.isEqualNode(fresh))),
    beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS") && name !== "data-htmx-powered",
  };
  // Keep what the user is typing. Radio buttons and checkboxes follow the server: if they were skipped, a stale page would
  // keep its old choice forever.
  function morph(target, fresh) {
    const typing = !!document.activeElement?.matches("input:not([type=radio], [type=checkbox]), select, textarea");
    return Idiomorph.morph(target, fresh, { morphStyle: "outerHTML", ignoreActiveValue: typing, callbacks });
  }
  // The element of a text, in the namespace of the place where it will stand.
  function parsed(html, place) {
    const range = document.createRange();
    range.selectNodeContents(place);
    return range.createContextualFragment(html).firstElementChild;
  }
  function setAttributes(element, values) {
    for (const [name, value] of Object.entries(values)) {
      if (value === null) element.removeAttribute(name);
      else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
      if (name === "value") element.value = value;
    }
  }
  const bare = element => Object.fromEntries(Array.from(element.attributes, ({ name, value }) => [name, value]));

  // ---------------------------------------------------------------------------------------------------------------- the log
  // An event of the log. `words`: what its line says.
  const asEvent = (index, n, event, words) => {
    const [kind, ...values] = event.split(" ");
    return { index, n, kind, values: values.map(value => (/^-?\d+$/.test(value) ? +value : value)), words };
  };
  const ofLine = line => asEvent(+line.id.slice(4), +line.dataset.n, line.dataset.event, line.querySelector(".says > span").textContent);
  const made = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const partOf = query => byId("log-parts").content.querySelector(query).cloneNode(true);
  function lineOf([index, n, event, words, rule, hinted]) {
    const says = made("a", { class: "says", href: byId("log").dataset.rules + (rule && `#${rule}`) }, made("span", {}, words));
    if (hinted) says.append(" ", partOf(".hinted"));
    if (rule) says.append(" ", Object.assign(partOf(".rule"), { textContent: rule }));
    return made("li", { id: `log-${index}`, class: "line", "data-n": n, "data-event": event }, says);
  }
  function crestOf(seat) {
    const crest = partOf(".crest");
    crest.setAttribute("class", `crest seat-${seat} tiny`);
    crest.querySelector("use").setAttribute("href", `#shield-${seat}`);
    return crest;
  }
  const titles = new WeakMap();  // a turn of a single line doesn't show its title
  // Put an event into the log: the first one of a turn begins a turn on top, another one belongs to the newest turn. A turn with a single
  // line that says the same as its title is shown as that line.
  function log(event, entries) {
    const [index, , name, words, , hinted, brief, title, seat] = event, line = lineOf(event);
    if (title !== undefined) {
      const turn = made("li", { id: `turn-${index}`, class: "turn" }, ...(seat === null ? [] : [crestOf(seat)]), made("ol", { class: "lines" }, line));
      titles.set(turn, title);
      entries.prepend(turn);
      turn.classList.toggle("single", words === title);
    } else entries.firstElementChild.querySelector(".lines").append(line);
    const turn = entries.firstElementChild, lines = turn.querySelector(".lines");
    if (turn.matches(".single") && lines.children.length > 1) turn.classList.remove("single");
    if (!turn.matches(".single") && !turn.querySelector("details")) {
      const first = titles.get(turn) ?? lines.firstElementChild.querySelector(".says > span").textContent;
      const summary = made("summary", {}, ...turn.querySelectorAll(":scope > .crest"), made("span", {}, made("b", {}, first)));
      turn.replaceChildren(made("details", {}, summary, lines));
    }
    const told = turn.querySelector("summary > span");
    if (told && brief) {
      const said = made("span", { id: `brief-${index}`, class: "brief" }, (told.querySelector(".brief") ? ", " : ": ") + brief);
      [...told.querySelectorAll(":scope > :is(b, .brief)")].at(-1).after(said);
    }
    if (told && (hinted || lines.querySelector(".hinted")) && !told.querySelector(":scope > .hinted")) told.append(" ", partOf(".hinted"));
    turn.className = turn.className.replace(/ ?is-\S+|$/, ` is-${name.split(" ")[0]}`);
    return turn;
  }

  // Show regions that tell a refusal, until the next news come.
  const refused = new Map();
  function refuse(fragment) {
    for (const each of [...fragment.children]) {
      const place = byId(each.id);
      if (!place) continue;
      if (!refused.has(each.id)) refused.set(each.id, place.outerHTML);
      morph(place, each);
    }
  }

  function hide(turn, hidden) {
    for (const index of hidden) for (const part of turn.querySelectorAll(`#log-${index}, #brief-${index}`)) part.hidden = true;
    turn.hidden = [...turn.querySelectorAll(".line")].every(line => line.hidden);
  }

  class News {
    constructor({ version, was = null, regions: parts = {}, events = [], first = 0, whole = null }) {
      Object.assign(this, { version, was, whole, first, told: events });
      // The regions that are not shown yet: HTML, attributes, or null for one that goes.
      this.parts = new Map([...(whole ? [] : refused), ...Object.entries(parts)]);
      refused.clear();
      this.elements = new Map();
      this.isLogShown = false;
    }

    // The new events; of a whole frame all events of its log.
    events() {
      return this.whole ? Array.from(this.whole.querySelectorAll("#log .line"), ofLine) : this.told.map(event => asEvent(...event));
    }

    // The region with this id, as an element; null if these news don't bring it.
    part(id) {
      if (this.whole) return this.whole.querySelector("#" + CSS.escape(id));
      const html = this.parts.get(id);
      if (typeof html === "string" && !this.elements.has(id)) this.elements.set(id, parsed(html, (byId(id) ?? byId(`no-${id}`))?.parentNode ?? document.body));
      return this.elements.get(id) ?? null;
    }

    // Elements of these news.
    findAll(query) {
      if (this.whole) return [...this.whole.querySelectorAll(query)];
      for (const id of this.parts.keys()) this.part(id);
      return [...this.elements.values()].flatMap(each => [...(each.matches(query) ? [each] : []), ...each.querySelectorAll(query)]);
    }
    find(query) {
      return this.findAll(query)[0] ?? null;
    }

    // The ids of the regions that are not shown yet and have this name, or begin as "name-*" says.
    match(name) {
      if (!this.whole) return name.endsWith("*") ? [...this.parts.keys()].filter(id => id.startsWith(name.slice(0, -1))) : this.parts.has(name) ? [name] : [];
      const found = this.whole.querySelectorAll(name.endsWith("*") ? `[id^="${name.slice(0, -1)}"]` : `#${CSS.escape(name)}`);
      return Array.from(found, each => each.id).filter(byId);
    }

    // Show the regions with these ids; without ids all that is not shown yet.
    show(ids = null) {
      if (ids === null) return this.showAll();
      for (const id of ids) {
        const place = byId(id) ?? byId(`no-${id}`), fresh = this.part(id);
        if (!place || !(this.whole || this.parts.has(id))) continue;
        if (!this.whole && this.parts.get(id) === null) {
          place.replaceWith(made("i", { id: `no-${id}`, hidden: "" }));
          continue;
        }
        const attributes = this.whole ? fresh.hasAttribute("data-bare") && bare(fresh) : !fresh && this.parts.get(id);
        if (attributes) setAttributes(place, attributes);
        else {
          const shown = this.whole ? fresh.cloneNode(true) : fresh;
          if (place.id === id) morph(place, shown);
          else place.replaceWith(shown);
          if (shown.matches("[hx-post]") || shown.querySelector("[hx-post], [hx-get]")) htmx.process(byId(id));
        }
        this.parts.delete(id);
      }
    }

    // Show all that is not shown yet.
    showAll() {
      const frame = byId("frame");
      if (this.whole) {
        if (frame.matches(".lobby") && !this.whole.matches(".lobby")) scrollTo(0, 0);  // the match has started
        morph(frame, this.whole);
        htmx.process(byId("frame"));
      } else {
        this.showLog([]);
        this.show([...this.parts.keys()]);
        frame.dataset.version = this.version;
      }
      htmx.trigger(byId("frame"), "htmx:after:swap");
    }

    // Put the new lines into the log; the ones with these numbers are hidden.
    showLog(hidden) {
      if (this.isLogShown) return;
      this.isLogShown = true;
      const entries = document.querySelector("#log .entries");
      if (!entries) return;
      if (this.whole) {
        for (const turn of [...this.whole.querySelectorAll("#log [id^=turn-]")].reverse()) {
          const known = byId(turn.id), fresh = turn.cloneNode(true);
          hide(fresh, hidden);
          if (known) morph(known, fresh);
          else entries.prepend(fresh);
        }
        return;
      }
      for (const event of this.told) hide(log(event, entries), hidden);
      for (let last; (last = entries.lastElementChild?.previousElementSibling) && +last.id.slice(5) < this.first;) last.remove();
    }
  }

  return {
    morph, refuse,
    ofMessage: text => {
      const message = JSON.parse(text);
      return new News(message.whole ? { ...message, whole: parsed(message.whole, document.body) } : message);
    },
    ofFrame: frame => new News({ version: +(frame.dataset.version ?? 0), whole: frame }),
  };
})();
