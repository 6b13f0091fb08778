"""Viking Axes: the guided first game. Throw, be blocked, keep an armory, send a wench, and win."""

from __future__ import annotations

from meadhall.games.viking_axes.state import Act
from meadhall.sdk import Lesson, Lessons, marked

_ASTRID, _BJORN, _IVAR = range(3)

# The first seed of "first axe 1", "first axe 2" … whose draw pile fits these lessons. Astrid goes first and draws axes. Björn
# draws more shields than the axes that Astrid draws next. Then Astrid draws an armory, shields, more axes than Björn has shields
# left, and a wench. The others draw no wench until then. A search over the choices of all players found the rounds up to the end.
LESSONS = Lessons(
    seed="first axe 2900277",
    players=("Astrid", "Björn", "Ivar"),
    lessons=(
        Lesson(
            marked(
                "You are Astrid, playing against Björn and Ivar. You all draw axes and throw them at each other. "
                "Ten hits and you are out. The last one standing wins."
            ),
            rule="VA-7.1",
        ),
        Lesson(
            marked(
                "Every turn begins with a card from the draw pile; the hall draws it for you. "
                "Three axes! You throw all of them at one player."
            ),
            rule="VA-3.1",
            action=Act.THROW + _BJORN,
        ),
        Lesson(
            marked(
                "Björn had no shields, so he took three hits. Then he drew a card with four shields. "
                "Shields are placed automatically, so it is already Ivar's turn."
            ),
            rule="VA-4.1",
        ),
        Lesson(
            marked("Ivar hit you twice. You have drawn three axes again. See what Björn's four shields do to them."),
            rule="VA-3.3",
            before=(Act.THROW + _ASTRID,),
            action=Act.THROW + _BJORN,
        ),
        Lesson(
            marked(
                "Every shield blocks one axe, so Björn took no hits. "
                "Your card lies on his shields: three of them are used, and one is left."
            ),
            rule="VA-3.3",
        ),
        Lesson(
            marked(
                "This time Björn threw at Ivar. You have drawn an armory. It gives you another card, now or in a later turn. "
                "Keep it for later."
            ),
            rule="VA-5.1",
            before=(Act.THROW + _IVAR,),
            action=Act.PLACE,
        ),
        Lesson(
            marked(
                "This turn you drew a card with three shields, and it already lies in front of you. "
                "After your first card, you may cash in your armory for a second one."
            ),
            rule="VA-5.3",
            before=(Act.THROW + _IVAR, Act.THROW + _ASTRID),
            action=Act.CASH_IN,
        ),
        Lesson(
            marked(
                "Three axes, and Björn has one shield left. It will block one axe, and the other two will hit. "
                "Once his last shield is used, all his shields are discarded."
            ),
            rule="VA-3.5",
            action=Act.THROW + _BJORN,
        ),
        Lesson(
            marked(
                "Björn now has five hits, and he has placed an armory. You have drawn a wench. "
                "She empties a player's armory or makes a player miss a turn."
            ),
            rule="VA-6.1",
            before=(Act.PLACE,),
            action=Act.SKIP + _BJORN,
        ),
        Lesson(
            marked(
                "Björn missed his turn, and Ivar has drawn a card. "
                "No wench can make Björn miss another turn until he has played one."
            ),
            rule="VA-6.2",
        ),
        Lesson(
            marked(
                "A few rounds later: Ivar has taken his tenth hit. He is out, and all his cards are discarded. "
                "Björn has eight hits and one shield, and you have drawn three axes. Finish it."
            ),
            rule="VA-3.7",
            before=(
                *(Act.THROW + _ASTRID, Act.THROW + _BJORN, Act.THROW + _IVAR, Act.CASH_IN),
                *(Act.THROW + _IVAR, Act.SKIP + _IVAR, Act.PLACE, Act.THROW + _IVAR),
                *(Act.DISARM + _ASTRID, Act.THROW + _IVAR, Act.THROW + _IVAR, Act.SKIP + _ASTRID),
                *(Act.DRAW, Act.DRAW, Act.THROW + _IVAR, Act.SKIP + _BJORN),
            ),
            action=Act.THROW + _BJORN,
        ),
        Lesson(
            marked(
                "One axe was blocked and two hit, which makes ten. You are the last one standing. "
                "In a real match more axes will come your way, so be glad of every shield."
            ),
            rule="VA-7.1",
        ),
    ),
)
