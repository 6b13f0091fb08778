"""The part of the settings page about notifications: which events are told, how, and on which devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from meadhall.engine.text.language import gettext as _
from meadhall.server.hall.hall import Hall
from meadhall.server.hall.notifications import CHANNELS, OFFERED, Channel, Kind, NotificationChoices
from meadhall.server.store.models import Guest

_SOUNDS: Final[Mapping[Kind, str]] = {
    "turn": "horn",
    "short": "drip",
    "proposal": "knock",
    "chat": "pluck",
    "end": "chime",
}
"""The sound of each kind of event that has one: a file in ``static/sounds``."""


@dataclass(frozen=True)
class ChoiceField:
    """A checkbox: whether a kind of event is told in a certain way."""

    name: str
    words: str  # of the channel
    is_chosen: bool


@dataclass(frozen=True)
class EventChoices:
    """A kind of event, with a checkbox for each channel, None where it can't be told so."""

    words: str
    fields: tuple[ChoiceField | None, ...]
    sound: str  # the sound of the event, "" without one


@dataclass(frozen=True)
class DeviceLine:
    """A device that receives push messages."""

    id: str
    name: str
    is_here: bool
    refusal: str  # why its push service has refused the last message, "" if it hasn't


@dataclass(frozen=True)
class NotificationsPanel:
    """The choices of a guest: the events to be told of, and the ways."""

    channels: tuple[str, ...]
    events: tuple[EventChoices, ...]
    volume: int
    devices: tuple[DeviceLine, ...]
    are_pushed: bool  # whether the hall sends push messages

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """Return how many kinds of events each channel tells, without push messages where the hall sends none."""
        fields = [field for event in self.events for field in event.fields if field is not None]
        told = dict.fromkeys(field.words for field in fields if self.are_pushed or not field.name.startswith("push-"))
        return tuple((words, sum(field.is_chosen for field in fields if field.words == words)) for words in told)


def notifications_panel(hall: Hall, guest: Guest, here: str) -> NotificationsPanel:
    """Return the guest's choices and devices. ``here``: the id of the session or device that looks."""
    choices = NotificationChoices.of(guest)
    channels = {"sound": _("Sound"), "notice": _("Open page"), "push": _("Push message")}

    def field(kind: Kind, channel: Channel) -> ChoiceField | None:
        if channel not in OFFERED[kind]:
            return None
        return ChoiceField(f"{channel}-{kind}", channels[channel], choices.wants(kind, channel))

    events = tuple(
        EventChoices(words, tuple(field(kind, channel) for channel in CHANNELS), _SOUNDS.get(kind, ""))
        for kind, words in _events().items()
    )
    found = hall.notifications.devices(guest)
    devices = tuple(DeviceLine(each.id, each.device, bool(here) and each.session == here, each.refusal or "") for each in found)
    return NotificationsPanel(tuple(channels.values()), events, choices.volume, devices, hall.notifications.are_pushed)


def _events() -> dict[Kind, str]:
    return {
        "turn": _("It is my turn"),
        "short": _("My time is running out"),
        "proposal": _("Someone proposes something"),
        "chat": _("Someone writes to the table"),
        "end": _("A match ends"),
        "invitation": _("Someone invites me"),
    }


def sounds() -> dict[Kind, str]:
    """Return the sounds by kind of event, as names of static files."""
    return {kind: f"sounds/{name}.wav" for kind, name in _SOUNDS.items()}
