"""Which events a guest wants to be told of, and how: by a sound, a notification of an open page, or a push message.

Everything is off until the guest turns it on: sounds and notifications of open pages here, push messages on a device, where the
browser asks for permission. Which events a device then receives is chosen already, and can be changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

from meadhall.server.store.models import Guest

Kind = Literal["turn", "short", "chat", "proposal", "invitation", "end"]
"""Kinds of events: it is the guest's turn, their time is short, a chat line, a proposal, an invitation, the end of a match."""

Channel = Literal["sound", "notice", "push"]
"""How a guest is told: a sound, a notification of an open page, a push message to a device."""

OFFERED: Final[Mapping[Kind, tuple[Channel, ...]]] = {
    "turn": ("sound", "notice", "push"),
    "short": ("sound", "notice", "push"),
    "proposal": ("sound", "notice", "push"),
    "chat": ("sound", "notice"),
    "end": ("sound", "notice"),
    "invitation": ("push",),
}
"""The ways in which each kind of event can be told."""

CHANNELS: Final[tuple[Channel, ...]] = ("sound", "notice", "push")

_LOUDEST: Final = 100


@dataclass(frozen=True)
class NotificationChoices:
    """The choices of a guest.

    Attributes:
        chosen: pairs of a kind and a channel.
        volume: of the sounds, in percent.
    """

    chosen: frozenset[tuple[Kind, Channel]]
    volume: int = 60

    @classmethod
    def of(cls, guest: Guest) -> Self:
        """Return the choices of a guest, or the defaults."""
        stored = guest.notifications
        if not stored:
            return cls(frozenset((kind, "push") for kind, channels in OFFERED.items() if "push" in channels))
        return cls.checked(
            ((kind, channel) for channel in CHANNELS for kind in stored.get(channel, ())), stored.get("volume", 60)
        )

    @classmethod
    def checked(cls, pairs: Iterable[tuple[str, str]], volume: int) -> Self:
        """Return those of the chosen pairs that are offered, with a volume from 0 to 100."""
        wanted = set(pairs)
        offered = ((kind, channel) for kind, channels in OFFERED.items() for channel in channels)
        return cls(frozenset(pair for pair in offered if pair in wanted), max(0, min(_LOUDEST, volume)))

    def wants(self, kind: Kind, channel: Channel) -> bool:
        """Return whether the guest wants to be told of this kind in this way."""
        return (kind, channel) in self.chosen

    def kinds(self, channel: Channel) -> tuple[Kind, ...]:
        """Return the kinds that are told in this way."""
        return tuple(kind for kind in OFFERED if self.wants(kind, channel))

    def stored(self) -> dict[str, Any]:
        """Return the choices as the guest's row stores them."""
        return {channel: list(self.kinds(channel)) for channel in CHANNELS} | {"volume": self.volume}
