"""Streams of events that go on over lost connections."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator
from typing import Any

from ._call import CallOptions, pause_of
from ._errors import SwitchyardError, connection_lost, error_of
from ._sse import EventReader, ServerEvent
from ._transport import AsyncTransport, Transport

#: Events after which nothing comes.
LAST = frozenset({"end", "gone"})


class _Following:
    """Where a stream is, and how long to wait before it is opened again."""

    def __init__(self, method: str, request: dict[str, Any], options: CallOptions | None) -> None:
        self.method = method
        self.request = request
        self.last_id = ""
        self.failures = 0
        self.was_open = False
        self._own = {} if options is None else dict(options.headers)

    def headers(self) -> dict[str, str]:
        return {**self._own, **({"last-event-id": self.last_id} if self.last_id else {})}

    def opened(self) -> EventReader:
        self.was_open = True
        return EventReader()

    def take(self, event: ServerEvent) -> ServerEvent:
        """Notes where the stream is; an event that is an error of the server is raised."""
        if event.event == "error":
            raise error_of(event.data)
        self.last_id = event.id
        self.failures = 0
        return event

    def pause(self, error: SwitchyardError) -> float:
        """What cannot succeed later is raised again."""
        # A credential that ran out meanwhile may be renewed for the next connection.
        if not error.retryable and not (self.was_open and error.code == "UNAUTHENTICATED"):
            raise error
        self.was_open = False
        pause = pause_of(self.failures, error)
        self.failures += 1
        return pause


class Events:
    """Iterate over the events; a lost connection is opened again behind the last one."""

    def __init__(
        self, transport: Transport, method: str, request: dict[str, Any], options: CallOptions | None = None
    ) -> None:
        self._transport = transport
        self._at = _Following(method, request, options)

    def __iter__(self) -> Iterator[ServerEvent]:
        at = self._at
        while True:
            try:
                with self._transport.stream(at.method, at.request, at.headers()) as chunks:
                    reader = at.opened()
                    for chunk in chunks:
                        for event in reader.feed(chunk):
                            yield at.take(event)
                            if event.event in LAST:
                                return
                raise connection_lost("the stream ended without an end")
            except SwitchyardError as error:
                if error.status == 204:
                    return
                time.sleep(at.pause(error))


class AsyncEvents:
    def __init__(
        self, transport: AsyncTransport, method: str, request: dict[str, Any], options: CallOptions | None = None
    ) -> None:
        self._transport = transport
        self._at = _Following(method, request, options)

    async def __aiter__(self) -> AsyncGenerator[ServerEvent, None]:
        at = self._at
        while True:
            try:
                async with self._transport.stream(at.method, at.request, at.headers()) as chunks:
                    reader = at.opened()
                    async for chunk in chunks:
                        for event in reader.feed(chunk):
                            yield at.take(event)
                            if event.event in LAST:
                                return
                raise connection_lost("the stream ended without an end")
            except SwitchyardError as error:
                if error.status == 204:
                    return
                await asyncio.sleep(at.pause(error))
