import json, os
from pathlib import Path
from browser.devices import MOVING
from browser.table import open_table
OWN = {"prompt","notices","tools","frame","moment","choosing","hand","devices","log-earlier","end","choices"}
SETUP = """() => {
  document.documentElement.style.setProperty('--pace', PACE);
  const proto = regions.ofMessage('{"version":1,"regions":{}}').constructor.prototype;
  const all = proto.showAll;
  window.rest = [];
  proto.showAll = function() {
    const kinds = this.told.map(each => each[2]);
    if (this.staged && !this.whole) {
      const found = [...this.parts].filter(([id, value]) => { const e = document.getElementById(id); if (!e) return true; return true; }).map(([id]) => id);
      window.rest.push([kinds, found]);
    }
    // a count or light that the play left and that the rest doesn't bring: compared afterwards
    return all.call(this);
  };
  window.feed = async (texts, fresh) => {
    for (const [k, text] of texts.entries()) {
      const news = regions.ofMessage(text);
      news.staged = stage.take(news);
      if (!news.staged) news.show();
      while (stage.isPlaying()) await new Promise(done => setTimeout(done, 5));
      if (window.feedOne) await window.feedOne(k);
    }
  };
}"""

SNAP = """() => { const board = document.getElementById('board').cloneNode(true); board.querySelectorAll('.stage').forEach(e => e.remove());
  for (const e of board.querySelectorAll('[style]')) if (!e.getAttribute('style')) e.removeAttribute('style');
  return board.innerHTML + [...document.querySelectorAll('.plates > .plate')].map(e => e.className.split(' ').sort().join(' ') + e.textContent).join('|'); }"""
def test_same(new_person):
    host, friend = new_person(**MOVING), new_person(**MOVING)
    open_table(host, friend, game="Viking Axes")
    page = friend.page
    page.evaluate(SETUP.replace("PACE", "0.02"))
    page.evaluate("snap => { window.snap = eval(snap); window.feedOne = k => { window.snaps.push(window.snap().replaceAll(/(class=\"[^\"]*)\"/g, (m, c) => c.split(' ').sort().join(' '))); }; }", SNAP)
    cases = json.loads(Path("/tmp/gva/msgs.json").read_text())
    for case in cases:
        msgs = case["spectator"][: int(os.environ.get("MOST", "25"))]
        runs = []
        for pace in ("0.02", "0"):
            page.evaluate(f"window.rest = []; window.snaps = []; document.documentElement.style.setProperty('--pace', {pace})")
            page.evaluate("texts => window.feed(texts)", msgs)
            runs.append(page.evaluate("window.snaps"))
            print(case["case"], pace, len(page.evaluate("window.rest")), flush=True)
        for k, (one, other) in enumerate(zip(*runs)):
            if one != other:
                i = next(i for i in range(len(one)) if one[i:i+1] != other[i:i+1])
                print("DIFFERENT", k, msgs[k][-400:], "\n   ", one[max(0,i-150):i+100], "\n   ", other[max(0,i-150):i+100], flush=True)
                break
