"""The guided first game of Viking Axes: throw, be blocked, keep an armory, send a wench, and win."""

from __future__ import annotations

from meadhall.engine.language import marked
from meadhall.engine.lessons import Lesson, Lessons
from meadhall.games.viking_axes.state import CASH_IN, DISARM, DRAW, PLACE, SKIP, THROW

_ASTRID, _BJORN, _IVAR = range(3)

# Of "first axe 1", "first axe 2" … the first whose pile tells this story: Astrid begins and draws axes; Björn more shields
# than the axes that Astrid draws next; then come her armory, shields of her own, more axes than Björn has shields left, and a
# wench; meanwhile the others draw no wench. The rounds up to the end were found by trying whom everybody could choose.
LESSONS = Lessons(
    seed="first axe 2900277",
    players=("Astrid", "Björn", "Ivar"),
    lessons=(
        Lesson(
            marked(
                "You are Astrid, with Björn and Ivar at the table. You draw axes and throw them at each other. "
                "The tenth hit puts you out, and the last one on their feet wins."
            ),
            rule="VA-7.1",
        ),
        Lesson(
            marked(
                "A turn begins with a card from the pile; the hall draws it for you. Three axes! All of them fly at one player."
            ),
            rule="VA-3.1",
            action=THROW + _BJORN,
        ),
        Lesson(
            marked(
                "Nothing stopped them: three hits. Then Björn drew a card with four shields. "
                "Shields go in front of their player by themselves, so it is Ivar's turn already."
            ),
            rule="VA-4.1",
        ),
        Lesson(
            marked("Ivar hit you twice. And you have drawn three axes again: see what Björn's four shields do to them."),
            rule="VA-3.3",
            before=(THROW + _ASTRID,),
            action=THROW + _BJORN,
        ),
        Lesson(
            marked(
                "Every shield stops one axe, so nobody was hit. "
                "Your card lies on Björn's shields: three of them are used, one is left."
            ),
            rule="VA-3.3",
        ),
        Lesson(
            marked(
                "Björn threw at Ivar this time. You have drawn an armory: it is worth another card, at once or in a later turn. "
                "Keep it."
            ),
            rule="VA-5.1",
            before=(THROW + _IVAR,),
            action=PLACE,
        ),
        Lesson(
            marked(
                "Your card of this turn has three shields, and they lie in front of you. "
                "With that done you may cash in your armory for a second card."
            ),
            rule="VA-5.3",
            before=(THROW + _IVAR, THROW + _ASTRID),
            action=CASH_IN,
        ),
        Lesson(
            marked(
                "Three axes, and Björn has one shield left. It will stop one axe and the other two will hit. "
                "Once his last shield is used, all of them are discarded."
            ),
            rule="VA-3.5",
            action=THROW + _BJORN,
        ),
        Lesson(
            marked(
                "Björn has five hits, and an armory now. You have drawn a wench. She takes an armory away, "
                "or turns somebody's head, who then misses a turn."
            ),
            rule="VA-6.1",
            before=(PLACE,),
            action=SKIP + _BJORN,
        ),
        Lesson(
            marked(
                "Björn has missed his turn, and Ivar has drawn. "
                "Until Björn has played again, no wench can do that to him once more."
            ),
            rule="VA-6.2",
        ),
        Lesson(
            marked(
                "Some rounds later: Ivar has taken his tenth hit and is out, with all his cards. "
                "Björn has eight hits and one shield, and you have drawn three axes. Finish it."
            ),
            rule="VA-3.7",
            before=(
                *(THROW + _ASTRID, THROW + _BJORN, THROW + _IVAR, CASH_IN, THROW + _IVAR, SKIP + _IVAR, PLACE, THROW + _IVAR),
                *(DISARM + _ASTRID, THROW + _IVAR, THROW + _IVAR, SKIP + _ASTRID, DRAW, DRAW, THROW + _IVAR, SKIP + _BJORN),
            ),
            action=THROW + _BJORN,
        ),
        Lesson(
            marked(
                "One is stopped, two hit: ten. You are the last one on your feet. "
                "At a real table more axes will come your way, so be glad of every shield."
            ),
            rule="VA-7.1",
        ),
    ),
)
