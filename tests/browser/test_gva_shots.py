import json, os
from pathlib import Path
from browser.devices import MOVING, PHONE
from browser.table import open_table
from browser.test_gva_tmp import SETUP
def test_shots(new_person):
    cases = json.loads(Path("/tmp/gva/msgs.json").read_text())
    for name, opts, case, option, dark in (("d", {}, 0, "", "light"), ("p", PHONE, 1, "variant=strategic", "dark")):
        host, friend = new_person(), new_person(**(MOVING | {"color_scheme": dark} | opts))
        open_table(host, friend, game="Viking Axes")
        page = friend.page
        page.evaluate(SETUP.replace("PACE", "0"))
        msgs = cases[case]["seat"]
        want = {"hits", "blocked", "places", "discards", "skips", "out", "disarms", "plays", "shields_spent"} if name == "d" else {"plays", "hits", "discards"}
        done = 0
        start = 0
        for k, m in enumerate(msgs[1:], 1):
            kinds = {e[2].split()[0] for e in json.loads(m).get("events", [])}
            if kinds & want and k > 8:
                page.evaluate("document.documentElement.style.setProperty('--pace', 0)")
                page.evaluate("texts => window.feed(texts)", msgs[start:k])
                page.evaluate("document.documentElement.style.setProperty('--pace', 5)")
                page.evaluate("texts => { window.feed(texts); }", msgs[k:k+1])
                for shot in range(14):
                    page.screenshot(path=f"/tmp/gva/{name}{k}-{shot:02}.png")
                    if not page.evaluate("stage.isPlaying()"): break
                    page.wait_for_timeout(500)
                page.evaluate("stage.end()")
                page.wait_for_timeout(300)
                page.screenshot(path=f"/tmp/gva/{name}{k}-end.png")
                start = k + 1
                want -= kinds
                done += 1
                print(name, k, kinds, flush=True)
                if done == 4: break
        print("nodes", page.evaluate("document.querySelectorAll('*').length"), page.evaluate("document.querySelectorAll('#board *').length"))
        host.leave(); friend.leave()
