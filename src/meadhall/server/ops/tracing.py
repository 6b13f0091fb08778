"""Traces for OpenTelemetry: where the time of a request goes. They are off unless a setting names a collector.

A span is named after the route of a request, and never after its address: a trace has no id of a table, a match or a guest, and
no key. Nothing that a client sends begins a trace or joins one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final

from meadhall.engine.errors import MeadhallError, how_to_install
from meadhall.server.ops.log_limit import OncePerInterval

SERVICE: Final = "meadhall"

_END_TIMEOUT: Final = 500
"""Milliseconds that the last spans have to reach the collector when the hall closes."""


class NoTraces(MeadhallError):
    """The package for traces is not installed."""


class Span:
    """A span that a block can describe. It does nothing while traces are off."""

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def route(self, method: str, template: str, status: int) -> None:
        """Name the span after the route of a request, with the status of its answer."""
        if self._span is not None:
            from opentelemetry.trace import StatusCode  # noqa: PLC0415

            self._span.update_name(f"{method} {template}")
            self._span.set_attribute("http.request.method", method)
            self._span.set_attribute("http.route", template)
            self._span.set_attribute("http.response.status_code", status)
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                self._span.set_status(StatusCode.ERROR)


_NOTHING: Final = Span()


class Traces:
    """The traces of this process."""

    def __init__(self) -> None:
        self._provider: Any = None
        self._tracer: Any = None

    def begin(self, collector: str, process: str) -> None:
        """Send spans to a collector.

        Args:
            collector: its address for OTLP by HTTP, for example ``http://127.0.0.1:4318/v1/traces``.
            process: the name of this process.

        Raises:
            NoTraces: the package for traces is not installed.
        """
        try:
            from opentelemetry.exporter.otlp.proto.http import trace_exporter  # noqa: PLC0415
            from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
            from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
            from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        except ImportError as error:
            raise NoTraces(f"MEADHALL_TRACES needs more packages: {how_to_install('hall,traces')}") from error
        logging.getLogger(trace_exporter.__name__).addFilter(OncePerInterval())  # a collector that is away
        resource = Resource.create({"service.name": SERVICE, "service.instance.id": process})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(trace_exporter.OTLPSpanExporter(collector)))
        self._tracer = self._provider.get_tracer(SERVICE)

    def end(self) -> None:
        """Send the last spans. It may wait for the collector, so call it in a thread."""
        provider, self._provider, self._tracer = self._provider, None, None
        if provider is not None:
            provider.force_flush(_END_TIMEOUT)
            provider.shutdown()

    @contextmanager
    def span(self, name: str) -> Iterator[Span]:
        """Measure the block, as a part of the span around it. An exception is not recorded: its text may have a secret."""
        if self._tracer is None:
            yield _NOTHING
            return
        with self._tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
            yield Span(span)


TRACES: Final = Traces()
"""The traces of this process."""
