// What happens at the table of Axes and Allies: see js/stage.js.
(() => {
  const { play, wait, at, put, keep, drawn, fly, rollCube, dim, sound, over } = stage;
  const one = (seat, part = "") => document.querySelector(`#warrior-${seat} ${part}`);
  const shield = seat => one(seat, ".figure-shield");
  const between = (a, b, share) => ({ x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y) });
  const near = seat => { const { x, y, width } = at(shield(seat)); return { x: x - 0.36 * width, y: y - 0.43 * width }; };
  const dieSize = () => Math.max(26, 0.36 * at(shield(0)).width);
  let axe = null, deadly = false, dark = null;

  // A blow with a power of one can't kill, unless some roll kills at any power. Before all others the table goes dark, and the
  // axe hangs in the air until the die lies.
  async function attack(seat, target) {
    deadly = !document.querySelector("#hearth:not(.at-any-power) #power[href='#die-1']");
    const from = at(one(seat, ".arm use")), to = at(shield(target)), size = 0.66 * to.width;
    if (deadly) dark = dim([shield(seat), shield(target)]);
    await play(one(seat, ".arm"), [{}, { rotate: "-38deg", translate: "0 -10px" }], 180);
    play(one(seat, ".arm"), [{ opacity: 0 }, { opacity: 0 }], 1, { stays: true });
    sound("axe");
    const spin = 360 * Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / 300);
    axe = await fly(drawn("axe", size), from, between(from, to, deadly ? 0.66 : 0.8), { ms: deadly ? 520 : 320, spin, turn: -60, arc: 0.16, easing: "cubic-bezier(.2, .5, .4, 1)", className: "stage-axe" });
    keep(axe);
  }

  async function attack_roll(seat, roll) {
    if (!axe) return;
    const target = near(nearest(at(axe)));
    sound("die");
    keep(await rollCube(roll, at(null, 0.5, 0.5), target, { size: dieSize(), ms: deadly ? 620 : 450 }));
    if (deadly) await wait(450);  // a breath
  }

  // The seat at which the axe flies.
  function nearest({ x, y }) {
    const far = Array.from(document.querySelectorAll(".warrior:not(.acting)"), each => ({ seat: +each.id.slice(8), at: at(each.querySelector(".figure-shield")) }));
    return far.sort((a, b) => Math.hypot(a.at.x - x, a.at.y - y) - Math.hypot(b.at.x - x, b.at.y - y))[0].seat;
  }

  const hit = (to, ms) => { const now = at(axe); return play(axe, [{}, { transform: `${getComputedStyle(axe).transform} translate(${to.x - now.x}px, ${to.y - now.y}px)` }], ms, { easing: "ease-in" }); };

  async function killed(_, target) {
    if (!axe) return;
    const to = at(shield(target));
    await hit(to, 110);
    sound("thud");
    await play(one(target, ".figure"), [{ translate: "0 0" }, { translate: "7px 5px" }, { translate: "-4px -3px" }, { translate: "0 0" }], 150);
    crack(target, to);
    await wait(420);
    dark?.light();
    await wait(180);
  }

  // The shield breaks along a line.
  function crack(seat, to) {
    const line = "29% 4%, 44% 29%, 32% 46%, 54% 65%, 46% 97%", back = line.split(", ").reverse().join(", ");
    const halves = [[`polygon(0 0, 29% 0, ${line}, 46% 100%, 0 100%)`, "translate(-9%, 8%) rotate(-13deg)"], [`polygon(100% 0, 100% 100%, 46% 100%, ${back}, 29% 0)`, "translate(12%, 18%) rotate(19deg)"]];
    for (const [shape, fallen] of halves) {
      const half = keep(put(drawn(`shield-${seat}`, to.width), to, `aa-half seat-${seat}`));
      half.style.clipPath = shape;
      play(half, [{ transform: "none" }, { transform: fallen }], 420, { easing: "cubic-bezier(.5, 0, .9, .6)" });
    }
    over().append(axe);
    play(shield(seat), [{ opacity: 0 }, { opacity: 0 }], 1);
  }

  async function missed(_, target) {
    if (!axe) return;
    const to = at(shield(target));
    await hit({ x: to.x, y: to.y - 0.42 * to.width }, 110);
    sound("clang");
    play(one(target, ".figure"), [{ translate: "0 0" }, { translate: "0 6px" }, { translate: "0 0" }], 160);
    play(axe.firstElementChild, [{}, { transform: "translate(70%, 130%) rotate(220deg)", opacity: 0 }], 330, { easing: "ease-in" });
    dark?.light();
    await wait(330);
  }

  const rope = (a, b, className = "") => {
    const piece = put(document.createElement("i"), a, `aa-rope ${className}`);
    piece.style.width = `${Math.hypot(b.x - a.x, b.y - a.y)}px`;
    piece.style.rotate = `${Math.atan2(b.y - a.y, b.x - a.x)}rad`;
    return piece;
  };

  // Cords run from rim to rim.
  const ends = (a, b) => { const [from, to] = [at(shield(a)), at(shield(b))], part = (0.53 * from.width) / Math.hypot(to.x - from.x, to.y - from.y); return [between(from, to, part), between(from, to, 1 - part)]; };

  async function allied(a, b) {
    sound("rope");
    await play(rope(...ends(a, b)), [{ transform: "scaleX(0)" }, { transform: "scaleX(1)" }], 380, { easing: "ease-out" });
    await wait(120);
  }

  // A one: every cord snaps in its middle, and its ends fall.
  async function voided() {
    sound("snap");
    for (const each of over().querySelectorAll(".aa-rope")) each.remove();  // of the alliance that was just made
    for (const each of document.querySelectorAll("#aa-board .cord:not(.off)")) {
      play(each, [{ opacity: 0 }, { opacity: 0 }], 1);
      const [a, b] = ends(...each.id.split("-").slice(1));
      for (const [end, turn] of [[a, 70], [b, -70]]) play(rope(end, between(a, b, 0.5), "torn").firstElementChild, [{ transform: "none", opacity: 1 }, { transform: `rotate(${turn}deg)`, opacity: 0 }], 420, { easing: "ease-in" });
    }
    await play(put(document.createElement("i"), at(null), "aa-burst"), [{ opacity: 0.9, transform: "scale(.3)" }, { opacity: 0, transform: "scale(1.35)" }], 520, { easing: "ease-out" });
  }

  const limited = async seat => { await rollCube(+document.querySelector("#power")?.getAttribute("href").slice(5) || 1, at(null), near(seat), { size: dieSize(), ms: 450 }); };

  // The die of the power rolls from its new owner to the hearth.
  async function power(seat, value) {
    const hearth = document.querySelector("#power");
    play(hearth, [{ opacity: 0 }, { opacity: 0 }], 1);
    sound("die");
    await rollCube(value, at(shield(seat)), at(hearth ?? null), { size: (hearth ? at(hearth).width : 80) * 0.9, ms: 600 });
    turn(seat, value);
  }

  const before = () => { axe = dark = null; };

  // The light and the die of a turn, also of one that ends within the same step.
  function turn(seat, value) {
    const each = 360 / document.querySelectorAll("#aa-board .warrior").length;
    document.getElementById("beam").setAttribute("transform", `rotate(${each * seat})`);
    for (const other of document.querySelectorAll("#aa-board .warrior")) other.classList.toggle("acting", other.id === `warrior-${seat}`);
    document.getElementById("power").setAttribute("href", `#die-${value}`);
    stage.light(seat);
  }

  const THROW = ["blow", "trail*", "rolled*"], FIRE = ["hearth", "power", "odds", "victory"];
  stage.changes({
    attack: () => [],
    allied: (a, b) => [...THROW, `cord-${Math.min(a, b)}-${Math.max(a, b)}`, `facts-${a}`, `facts-${b}`],
    voided: () => [...THROW, "cord-*", "facts-*"],
    power: () => [...FIRE, "facts-*", "light"],
    killed: (_, target) => [...THROW, "cord-*", "facts-*", `warrior-${target}`],
    missed: () => THROW,
    won: () => [...FIRE, "facts-*", "light"],
    drawn: () => [...THROW, ...FIRE, "facts-*", "light"],
  }, "beam", "warrior-*");
  stage.sounds({ attack: "axe", attack_roll: "die", killed: "thud", missed: "clang", allied: "rope", voided: "snap", power: "die" });
  stage.acts({ before, attack, attack_roll, killed, missed, allied, voided, limited, power });
})();
