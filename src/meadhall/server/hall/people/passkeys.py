"""Passkeys: what a browser is asked to make or to sign, and the check of its answer (WebAuthn Level 3).

A passkey is a discoverable credential: its owner signs in without typing a name. The hall asks for no attestation, so it learns
nothing about the device. The library ``webauthn`` checks the answers. It takes 28 MB and a quarter of a second to import, so a
process imports it when the first passkey is used, in a thread.
"""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import msgspec

from meadhall.engine.text.language import gettext as _
from meadhall.server.errors import BadPasskey
from meadhall.server.store.accounts import Account, Passkey

_TIMEOUT: Final = 5 * 60 * 1000
"""Milliseconds in which a person can answer."""

_Base64Url = Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]+$", max_length=1400)]

_TRANSPORTS: Final = frozenset({"ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"})


@dataclass(frozen=True)
class RelyingParty:
    """The hall as authenticators know it (WebAuthn, 4): its name, its host, and the origin of its pages."""

    id: str
    origin: str
    name: str

    @classmethod
    def at(cls, url: str, name: str) -> RelyingParty:
        """Return the relying party of a hall that a browser reaches at this address."""
        parts = urlsplit(url)
        return cls(parts.hostname or "", f"{parts.scheme}://{parts.netloc}", name)

    @property
    def is_possible(self) -> bool:
        """Whether browsers make passkeys for this address: only in a secure context, and never for an IP address."""
        try:
            ip_address(self.id)
        except ValueError:
            return self.origin.startswith("https:") or self.id == "localhost" or self.id.endswith(".localhost")
        return False


class Answer(msgspec.Struct, rename="camel"):
    """The parts of a browser's answer that are read here (``PublicKeyCredential.toJSON``, WebAuthn 5.1.6)."""

    id: _Base64Url
    response: Response

    @property
    def challenge(self) -> str:
        """The challenge that it answers, in base64url. Raises BadPasskey."""
        try:
            return msgspec.json.decode(_decoded(self.response.client_data_json), type=ClientData).challenge
        except ValueError:
            raise _unreadable() from None


class Response(msgspec.Struct, rename={"client_data_json": "clientDataJSON", "user_handle": "userHandle"}):
    """The authenticator's part of an answer."""

    client_data_json: str
    user_handle: str | None = None
    transports: list[str] = []


class ClientData(msgspec.Struct):
    """The data that an authenticator signs (WebAuthn, 5.8.1)."""

    challenge: _Base64Url


def read_answer(text: str) -> Answer:
    """Return an answer from its JSON. Raises BadPasskey."""
    try:
        return msgspec.json.decode(text, type=Answer)
    except (msgspec.DecodeError, UnicodeError):
        raise _unreadable() from None


def _unreadable() -> BadPasskey:
    return BadPasskey(_("Your device's answer can't be read. Please try again."))


def new_challenge() -> str:
    """Return a challenge, in base64url."""
    return secrets.token_urlsafe(32)


def new_handle() -> str:
    """Return a user handle, in base64url."""
    return secrets.token_urlsafe(32)


def creation_options(party: RelyingParty, challenge: str, handle: str, name: str, existing: Sequence[Passkey]) -> dict[str, Any]:
    """Return what ``navigator.credentials.create`` needs to make a passkey (as ``PublicKeyCredentialCreationOptionsJSON``)."""
    import webauthn  # noqa: PLC0415 - see above
    from webauthn.helpers import structs  # noqa: PLC0415

    options = webauthn.generate_registration_options(
        rp_id=party.id,
        rp_name=party.name,
        user_name=name,
        user_id=_decoded(handle),
        user_display_name=name,
        challenge=_decoded(challenge),
        timeout=_TIMEOUT,
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED,
            user_verification=structs.UserVerificationRequirement.PREFERRED,
        ),
        exclude_credentials=[structs.PublicKeyCredentialDescriptor(id=_decoded(each.id)) for each in existing],
    )
    return _as_json(options)


def request_options(party: RelyingParty, challenge: str) -> dict[str, Any]:
    """Return what ``navigator.credentials.get`` needs to sign in (as ``PublicKeyCredentialRequestOptionsJSON``)."""
    import webauthn  # noqa: PLC0415

    return _as_json(webauthn.generate_authentication_options(rp_id=party.id, challenge=_decoded(challenge), timeout=_TIMEOUT))


def made_passkey(party: RelyingParty, text: str, challenge: str, guest: str, label: str, at: datetime) -> Passkey:
    """Return the passkey that a browser has made. Raises BadPasskey."""
    import webauthn  # noqa: PLC0415
    from webauthn.helpers.exceptions import WebAuthnException  # noqa: PLC0415

    try:
        verified = webauthn.verify_registration_response(
            credential=text, expected_challenge=_decoded(challenge), expected_rp_id=party.id, expected_origin=party.origin
        )
    except WebAuthnException as error:
        raise BadPasskey(_("The passkey can't be used here: {reason}.").format(reason=_first_line(error))) from None
    transports = tuple(sorted(_TRANSPORTS.intersection(read_answer(text).response.transports)))
    id = urlsafe_b64encode(verified.credential_id).rstrip(b"=").decode()
    return Passkey(id, guest, verified.credential_public_key, verified.sign_count, transports, label, at)


def check_signature(party: RelyingParty, text: str, challenge: str, passkey: Passkey, account: Account) -> int:
    """Check that a passkey has signed a challenge for its account. Return its new counter. Raises BadPasskey."""
    import webauthn  # noqa: PLC0415
    from webauthn.helpers.exceptions import WebAuthnException  # noqa: PLC0415

    handle = read_answer(text).response.user_handle
    if handle is not None and handle.rstrip("=") != account.handle:
        raise BadPasskey(_("The passkey belongs to another account."))
    try:
        verified = webauthn.verify_authentication_response(
            credential=text,
            expected_challenge=_decoded(challenge),
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
        )
    except WebAuthnException as error:
        raise BadPasskey(_("The passkey can't be used here: {reason}.").format(reason=_first_line(error))) from None
    return verified.new_sign_count


def _as_json(options: Any) -> dict[str, Any]:
    from webauthn.helpers import options_to_json_dict  # noqa: PLC0415

    return options_to_json_dict(options)


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".")
