"""Findings of ``meadhall doctor``."""

from __future__ import annotations

from collections.abc import Iterator

from meadhall.server.doctor import Finding


def about(check: str, found: Iterator[Finding] | list[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.check == check]


def troubles(found: Iterator[Finding] | list[Finding]) -> list[Finding]:
    """Return what is not as it should be, except that these tests may interpret the rules."""
    return [finding for finding in found if finding.status != "ok" and finding.check != "cache"]


def the_only(found: Iterator[Finding] | list[Finding], status: str, words: str) -> Finding:
    """Check that one thing is not as it should be, and return it."""
    (finding,) = troubles(found)
    assert finding.status == status
    assert words in finding.text
    assert finding.advice
    return finding
