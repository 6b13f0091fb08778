"""Comparison of the hall's OpenAPI document with its responses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import httpx
import jsonschema

Validator = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _checker, value: type(value) is int),
)
"""The JSON Schema dialect of OpenAPI 3.1, with integers written without a decimal point, as the document states."""


class Described:
    """The OpenAPI document."""

    def __init__(self, document: str) -> None:
        self.document = json.loads(document)

    def operations(self) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """Yield all operations as (method, path, operation)."""
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                yield method.upper(), path, operation

    def operation(self, request: httpx.Request) -> Mapping[str, Any]:
        """Return the operation of a request."""
        for method, path, operation in self.operations():
            if method == request.method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), request.url.path):
                return operation
        raise AssertionError(f"{request.method} {request.url.path} is not described")

    def check_answer(self, answer: httpx.Response) -> None:
        """Check that status, media type and content of a response are described."""
        described = self.operation(answer.request)["responses"]
        assert str(answer.status_code) in described, (answer.request.url, answer.status_code, answer.text)
        if answer.status_code == HTTPStatus.NO_CONTENT:
            assert answer.content == b""
            return
        (media_type, content), *_ = described[str(answer.status_code)]["content"].items()
        assert answer.headers["content-type"] == media_type
        assert self._faults(content["schema"], answer.json()) == []

    def fits(self, path: str, body: Any) -> bool:
        """Return whether a request body matches the document."""
        content = self.document["paths"][path]["post"]["requestBody"]["content"]["application/json"]
        return not self._faults(content["schema"], body)

    def _faults(self, schema: Mapping[str, Any], value: Any) -> list[str]:
        """Return the places where a value violates a schema. References are resolved in the document's components."""
        validator = Validator({**schema, "components": self.document["components"]})
        return [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(value)]
