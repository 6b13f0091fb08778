"""An authenticator in software (WebAuthn Level 3): it makes passkeys and signs with them, correctly or not."""

from __future__ import annotations

import hashlib
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

_PRESENT, _VERIFIED, _ATTESTED = 0x01, 0x04, 0x40


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class SoftAuthenticator:
    """One passkey on a device, for pages of one origin."""

    origin: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    handle: str = ""
    count: int = 0

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        """Make the passkey."""
        self.handle = options["user"]["id"]
        numbers = self.key.public_key().public_numbers()
        public_key = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        attested = bytes(16) + len(self.id).to_bytes(2) + self.id + cbor2.dumps(public_key)
        data = self._data(options["rp"]["id"], _PRESENT | _VERIFIED | _ATTESTED) + attested
        response = {
            "clientDataJSON": self._client_data("webauthn.create", options["challenge"]),
            "attestationObject": encoded(cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})),
            "transports": ["internal", "telepathy"],
        }
        return self._answer(response)

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        """Sign with the passkey."""
        self.count += 1
        client_data = self._client_data("webauthn.get", options["challenge"])
        data = self._data(options["rpId"], _PRESENT | _VERIFIED)
        signed = self.key.sign(data + hashlib.sha256(decoded(client_data)).digest(), ec.ECDSA(hashes.SHA256()))
        response = {
            "clientDataJSON": client_data,
            "authenticatorData": encoded(data),
            "signature": encoded(signed),
            "userHandle": self.handle,
        }
        return self._answer(response)

    def _answer(self, response: dict[str, Any]) -> dict[str, Any]:
        id = encoded(self.id)
        return {"id": id, "rawId": id, "type": "public-key", "clientExtensionResults": {}, "response": response}

    def _data(self, party: str, flags: int) -> bytes:
        return hashlib.sha256(party.encode()).digest() + bytes([flags]) + self.count.to_bytes(4)

    def _client_data(self, kind: str, challenge: str) -> str:
        return encoded(json.dumps({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}).encode())
