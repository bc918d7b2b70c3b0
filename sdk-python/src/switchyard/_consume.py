"""Reading a workflow stream as a consumer: each record once, acknowledged after it was handled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ._call import pause_of
from ._errors import Gone, SwitchyardError
from ._follow import AsyncEvents

if TYPE_CHECKING:
    from ._client import AsyncSwitchyard

RecordHandler = Callable[[dict[str, Any]], Awaitable[None]]
GoneHandler = Callable[[dict[str, Any]], Awaitable[int]]


async def consume(
    client: AsyncSwitchyard,
    run_id: str,
    stream_id: str,
    handler: RecordHandler,
    *,
    consumer: str,
    after: int | None = None,
    batch: int = 100,
    on_gone: GoneHandler | None = None,
) -> None:
    """Returns when the stream is closed and all of it was handled."""
    of = {"run_id": run_id, "stream_id": stream_id}

    async def put_consumer() -> Any:
        return await client.streams.put_consumer(run_id=run_id, stream_id=stream_id, consumer_id=consumer)

    stored = await _persistently(put_consumer)
    acknowledged = int(stored["acknowledged_sequence"])
    position = acknowledged if after is None else after

    async def acknowledge() -> None:
        """One that gets no answer is made up for by the next."""
        try:
            await must_acknowledge()
        except SwitchyardError as error:
            if not error.retryable:
                raise

    async def must_acknowledge() -> None:
        nonlocal acknowledged
        if position > acknowledged:
            await client.streams.ack(run_id=run_id, stream_id=stream_id, consumer_id=consumer, sequence=position)
            acknowledged = position

    while True:
        request = {**of, "after_sequence": position, "gone": "event"}
        try:
            async for event in _with_pauses(client, request, acknowledge):
                if event.event == "record":
                    # After a connection was lost, what was handled already may come again.
                    if event.data["sequence"] <= position:
                        continue
                    await handler(event.data)
                    position = event.data["sequence"]
                    if position - acknowledged >= batch:
                        await acknowledge()
                elif event.event == "gone":
                    if on_gone is None:
                        raise Gone(event.data)
                    position = await on_gone(event.data)
                    break
            else:
                await _persistently(must_acknowledge)
                return
        finally:
            await acknowledge()


async def _persistently(attempt: Callable[[], Awaitable[Any]]) -> Any:
    """The same however often it takes: a consumer outlives its server."""
    tries = 0
    while True:
        try:
            return await attempt()
        except SwitchyardError as error:
            if not error.retryable:
                raise
            pause = pause_of(tries, error)
        await asyncio.sleep(pause)
        tries += 1


async def _with_pauses(client: AsyncSwitchyard, request: dict[str, Any], idle: Callable[[], Awaitable[None]]) -> Any:
    """The events; where none is waiting, what was handled is acknowledged first."""
    events = AsyncEvents(client._transport, "WorkflowStreamService.Subscribe", request).__aiter__()
    following: asyncio.Future[Any] | None = None
    try:
        while True:
            following = asyncio.ensure_future(events.__anext__())
            done, _ = await asyncio.wait({following}, timeout=0.05)
            if not done:
                await idle()
            try:
                yield await following
            except StopAsyncIteration:
                return
    finally:
        if following is not None and not following.done():
            following.cancel()
            try:
                await following
            except (asyncio.CancelledError, SwitchyardError, StopAsyncIteration):
                pass
        await events.aclose()
