// News of a table: regions by their ids, with new lines of the log, as the stream sends them; or a whole frame, as a page has it.
// A region is an element; or the attributes of one, which has data-bare. `news` is shown at once, or in parts by the stage.
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
  const indexOf = turn => +turn.id.slice(5);

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

  class News {
    constructor({ version, was = null, regions: parts = {}, turns = [], first = 0, whole = null }) {
      Object.assign(this, { version, was, whole, first });
      this.parts = new Map([...(whole ? [] : refused), ...Object.entries(parts)]);  // the ones that are not shown yet: HTML, or attributes
      refused.clear();
      this.elements = new Map();
      this.turns = turns.map(html => parsed(html, document.querySelector("#log .entries")));
      this.isLogShown = false;
    }

    // The lines of the log that come with these news.
    lines() {
      return this.whole ? [...this.whole.querySelectorAll("#log .line")] : this.turns.flatMap(turn => [...turn.querySelectorAll(".line")]);
    }

    // The region with this id, as an element; null if these news don't bring it.
    part(id) {
      if (this.whole) return this.whole.querySelector("#" + CSS.escape(id));
      const html = this.parts.get(id);
      if (typeof html === "string" && !this.elements.has(id)) this.elements.set(id, parsed(html, byId(id)?.parentNode ?? document.body));
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

    // Show some regions now.
    show(ids = null) {
      if (ids === null) return this.showAll();
      for (const id of ids) {
        const place = byId(id), fresh = this.part(id);
        if (!place) continue;
        const attributes = this.whole ? fresh.hasAttribute("data-bare") && bare(fresh) : !fresh && this.parts.get(id);
        if (attributes) setAttributes(place, attributes);
        else {
          const shown = morph(place, this.whole ? fresh.cloneNode(true) : fresh);
          if (place.querySelector("[hx-post], [hx-get]") || place.matches("[hx-post]")) htmx.process(byId(id));
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
      const turns = this.whole ? [...this.whole.querySelectorAll("#log .turn[id]")].map(turn => turn.cloneNode(true)) : this.turns;
      for (const turn of turns.reverse()) {
        for (const index of hidden) for (const part of turn.querySelectorAll(`#log-${index}, #brief-${index}`)) part.hidden = true;
        turn.hidden = [...turn.querySelectorAll(".line")].every(line => line.hidden);
        const known = byId(turn.id);
        if (known) morph(known, turn);
        else entries.prepend(turn);
      }
      for (let last; !this.whole && (last = entries.lastElementChild?.previousElementSibling) && last.id && indexOf(last) < this.first;) last.remove();
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
