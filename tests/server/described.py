"""The hall's OpenAPI document, held against what the hall does: a validator of the JSON Schema that the document uses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

TYPES: dict[str, Any] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),  # without a point, as the document says
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
SAYS_NOTHING = {"title", "description", "default"}
APPLIES_TO_OBJECTS = {"properties", "required", "additionalProperties"}


class Described:
    """What the document says."""

    def __init__(self, document: str) -> None:
        self.document = json.loads(document)

    def operations(self) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        """All there is: method, path, operation."""
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                yield method.upper(), path, operation

    def operation(self, request: httpx.Request) -> Mapping[str, Any]:
        """What is said of what was asked for."""
        for method, path, operation in self.operations():
            if method == request.method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", path), request.url.path):
                return operation
        raise AssertionError(f"{request.method} {request.url.path} is not described")

    def check_answer(self, answer: httpx.Response) -> None:
        """The answer's status, type and content are among those described."""
        described = self.operation(answer.request)["responses"]
        assert str(answer.status_code) in described, (answer.request.url, answer.status_code, answer.text)
        (media_type, content), *_ = described[str(answer.status_code)]["content"].items()
        assert answer.headers["content-type"] == media_type
        assert list(self.faults(content["schema"], answer.json())) == []

    def fits(self, path: str, body: Any) -> bool:
        """Whether a body is one that the document describes."""
        content = self.document["paths"][path]["post"]["requestBody"]["content"]["application/json"]
        return not any(self.faults(content["schema"], body))

    def faults(self, schema: Mapping[str, Any], value: Any, place: str = "$") -> Iterator[str]:
        """Where the value is not what the schema asks for."""
        for keyword, asked in schema.items():
            yield from self._faults(keyword, asked, schema, value, place)

    def _faults(self, keyword: str, asked: Any, schema: Mapping[str, Any], value: Any, place: str) -> Iterator[str]:
        match keyword:
            case "$ref":
                yield from self.faults(self.document["components"]["schemas"][asked.rpartition("/")[2]], value, place)
            case "type":
                if not TYPES[asked](value):
                    yield f"{place}: {value!r} is no {asked}"
            case "enum":
                if value not in asked:
                    yield f"{place}: {value!r} is none of {asked}"
            case "oneOf":
                if sum(not any(self.faults(one, value, place)) for one in asked) != 1:
                    yield f"{place}: {value!r} is not just one of {asked}"
            case "minLength" | "maxLength":
                if isinstance(value, str) and (len(value) < asked if keyword == "minLength" else len(value) > asked):
                    yield f"{place}: {value!r} is too short or too long"
            case "items":
                for index, item in enumerate(value if isinstance(value, list) else []):
                    yield from self.faults(asked, item, f"{place}[{index}]")
            case _ if keyword in APPLIES_TO_OBJECTS:
                if isinstance(value, dict):
                    yield from self._faults_of_object(keyword, asked, schema.get("properties", {}), value, place)
            case _:
                assert keyword in SAYS_NOTHING, f"{keyword} is not checked here"

    def _faults_of_object(
        self, keyword: str, asked: Any, known: Mapping[str, Any], value: Mapping[str, Any], place: str
    ) -> Iterator[str]:
        match keyword:
            case "properties":
                for name in value.keys() & asked.keys():
                    yield from self.faults(asked[name], value[name], f"{place}.{name}")
            case "required":
                yield from (f"{place}.{name} is missing" for name in asked if name not in value)
            case _:
                for name in value.keys() - known.keys():
                    if asked is False:
                        yield f"{place}.{name} is unknown"
                    else:
                        yield from self.faults(asked, value[name], f"{place}.{name}")
