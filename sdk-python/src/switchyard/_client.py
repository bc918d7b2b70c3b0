"""The clients: one for threads, one for a loop."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from ._call import CallOptions, pause_of
from ._consume import GoneHandler, RecordHandler, consume
from ._errors import ItemFailed, SwitchyardError
from ._follow import AsyncEvents, Events
from ._modules import AsyncModules, Modules
from ._settings import settings_of
from ._socket import Link
from ._transport import AsyncTransport, Transport
from ._worker import Context, Handler, PollingDoor, SocketDoor, Worker, WorkerOptions, first_door

#: How long one request of a wait is held open.
AWAIT_MS = 20_000


class AsyncSwitchyard(AsyncModules):
    """`async with AsyncSwitchyard() as sy: await sy.pools.create(name="support")`"""

    def __init__(self, url: str | None = None, **options: Any) -> None:
        transport = AsyncTransport(settings_of(url, **options))
        super().__init__(transport)

    async def __aenter__(self) -> AsyncSwitchyard:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._transport.close()

    def watch(self, pool_ids: list[str], *, include_recipients: bool = False, interval_ms: int = 1_000) -> AsyncEvents:
        """What changes in the queues of these pools, as it changes."""
        request = _watch(pool_ids, include_recipients, interval_ms)
        return AsyncEvents(self._transport, "LiveService.WatchPools", request)

    async def enqueue_and_wait(
        self, pool_id: str, payload: Any = None, *, timeout_ms: int = 60_000, **item: Any
    ) -> dict[str, Any]:
        """Enqueues an item and waits until it has ended: the item, or `ItemFailed`."""
        deadline = time.monotonic() + timeout_ms / 1000
        # A repeat of the whole call would be another item; a repeat of its request is not.
        enqueued = await self._transport.call(
            "QueueService.Enqueue", None, {"pool_id": pool_id, "payload": payload, **item}
        )
        while True:
            asked = _await_item(pool_id, enqueued["item"], deadline)
            try:
                ended = _ended(await self._transport.call("QueueService.AwaitItem", None, asked))
            except SwitchyardError as error:
                await asyncio.sleep(_again(error))
                continue
            if ended is not None:
                return ended

    async def consume(
        self,
        run_id: str,
        stream_id: str,
        handler: RecordHandler,
        *,
        consumer: str,
        after: int | None = None,
        batch: int = 100,
        on_gone: GoneHandler | None = None,
    ) -> None:
        """Handles each record of a workflow stream once, until the stream is closed."""
        await consume(
            self, run_id, stream_id, handler, consumer=consumer, after=after, batch=batch, on_gone=on_gone
        )

    async def worker(
        self,
        pool: str,
        handler: Handler,
        *,
        recipient: str | None = None,
        concurrency: int = 10,
        lease_seconds: int | None = None,
        grace_ms: int = 20_000,
        signals: bool = True,
        polling: bool = False,
    ) -> None:
        """Takes items of a pool, by its name or id, until SIGTERM or SIGINT, or until the task is cancelled."""
        worker = await self._worker(pool, handler, recipient, concurrency, lease_seconds, grace_ms, polling)
        loop = asyncio.get_running_loop()
        listened = []
        for number in (signal.SIGTERM, signal.SIGINT) if signals else ():
            # Not in a thread, and not on every system.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, worker.stop)
                listened.append(number)
        running = asyncio.create_task(worker.run())
        try:
            await asyncio.shield(running)
        except asyncio.CancelledError:
            worker.stop()
            await running
            raise
        finally:
            for number in listened:
                loop.remove_signal_handler(number)

    async def open(self, method: str, options: CallOptions | None = None) -> Link:
        """A streaming method in both directions over a WebSocket, such as `RoutingService/RouteStream`."""
        return await Link.open(self._transport.settings, method, None if options is None else options.headers)

    async def _worker(
        self,
        pool: str,
        handler: Handler,
        recipient: str | None,
        concurrency: int,
        lease_seconds: int | None,
        grace_ms: int,
        polling: bool,
    ) -> Worker:
        pool_id = await self.pool_id(pool)
        made: Any = await self._transport.call(
            "RecipientService.CreateRecipient",
            None,
            {"pool_id": pool_id, "name": recipient or socket.gethostname(), "if_absent": True},
        )
        recipient_id = str(made["id"])

        async def over_socket() -> SocketDoor:
            link = await Link.open(self._transport.settings, "QueueService/Work")
            return SocketDoor(link, pool_id, recipient_id, lease_seconds)

        async def call(method: str, request: dict[str, Any]) -> Any:
            return await self._transport.call(method, None, request)

        def by_claims() -> PollingDoor:
            return PollingDoor(call, pool_id, recipient_id, lease_seconds)

        async def door(settles_only: bool) -> Any:
            return by_claims() if polling or settles_only else await first_door(over_socket, by_claims)

        async def heartbeat() -> None:
            await call("RecipientService.Heartbeat", {"recipient_id": recipient_id})

        return Worker(handler, WorkerOptions(concurrency, lease_seconds, grace_ms), door, heartbeat)

    async def pool_id(self, pool: str) -> str:
        """The id of a pool that is given by its name or its id."""
        if _is_ulid(pool):
            return pool
        page = await self._transport.call("PoolService.ListPools", None, {"name": pool, "limit": 2})
        return _one(pool, [str(found["id"]) for found in page["data"]])


class Switchyard(Modules):
    """`with Switchyard() as sy: sy.pools.create(name="support")`"""

    def __init__(self, url: str | None = None, **options: Any) -> None:
        self._given = (url, options)
        super().__init__(Transport(settings_of(url, **options)))

    def __enter__(self) -> Switchyard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def watch(self, pool_ids: list[str], *, include_recipients: bool = False, interval_ms: int = 1_000) -> Events:
        """What changes in the queues of these pools, as it changes."""
        request = _watch(pool_ids, include_recipients, interval_ms)
        return Events(self._transport, "LiveService.WatchPools", request)

    def enqueue_and_wait(
        self, pool_id: str, payload: Any = None, *, timeout_ms: int = 60_000, **item: Any
    ) -> dict[str, Any]:
        """Enqueues an item and waits until it has ended: the item, or `ItemFailed`."""
        deadline = time.monotonic() + timeout_ms / 1000
        enqueued = self._transport.call("QueueService.Enqueue", None, {"pool_id": pool_id, "payload": payload, **item})
        while True:
            asked = _await_item(pool_id, enqueued["item"], deadline)
            try:
                ended = _ended(self._transport.call("QueueService.AwaitItem", None, asked))
            except SwitchyardError as error:
                time.sleep(_again(error))
                continue
            if ended is not None:
                return ended

    def consume(
        self,
        run_id: str,
        stream_id: str,
        handler: Callable[[dict[str, Any]], None],
        *,
        consumer: str,
        after: int | None = None,
        batch: int = 100,
        on_gone: Callable[[dict[str, Any]], int] | None = None,
    ) -> None:
        """Handles each record of a workflow stream once, until the stream is closed."""

        async def handle(record: dict[str, Any]) -> None:
            handler(record)

        async def gone(data: dict[str, Any]) -> int:
            assert on_gone is not None
            return on_gone(data)

        async def run(client: AsyncSwitchyard) -> None:
            await client.consume(
                run_id,
                stream_id,
                handle,
                consumer=consumer,
                after=after,
                batch=batch,
                on_gone=None if on_gone is None else gone,
            )

        self._in_loop(run)

    def worker(
        self,
        pool: str,
        handler: Callable[[dict[str, Any], Context], Any],
        *,
        recipient: str | None = None,
        concurrency: int = 10,
        lease_seconds: int | None = None,
        grace_ms: int = 20_000,
        polling: bool = False,
        stop: threading.Event | None = None,
    ) -> None:
        """Takes items of a pool until SIGTERM or SIGINT, or until `stop` is set. Handlers run in threads.

        A thread cannot be ended from outside: a handler whose lease is lost sees `context.cancelled`.
        """

        async def run(client: AsyncSwitchyard) -> None:
            loop = asyncio.get_running_loop()
            with ThreadPoolExecutor(concurrency) as threads:

                def handled(item: dict[str, Any], context: Context) -> Any:
                    try:
                        return handler(item, context)
                    except StopIteration as error:
                        # No future takes one before Python 3.12: its item would never end.
                        raise RuntimeError("the handler raised StopIteration") from error

                async def handle(item: dict[str, Any], context: Context) -> Any:
                    thread = loop.run_in_executor(threads, handled, item, context)
                    try:
                        await asyncio.wait({thread})
                    except asyncio.CancelledError:
                        # Its place is taken until it has ended.
                        await asyncio.gather(thread, return_exceptions=True)
                        raise
                    return thread.result()

                work = asyncio.create_task(
                    client.worker(
                        pool,
                        handle,
                        recipient=recipient,
                        concurrency=concurrency,
                        lease_seconds=lease_seconds,
                        grace_ms=grace_ms,
                        polling=polling,
                    )
                )
                while stop is not None and not work.done():
                    await asyncio.wait({work}, timeout=0.1)
                    if stop.is_set():
                        work.cancel()
                        break
                with suppress(asyncio.CancelledError):
                    await work

        self._in_loop(run)

    def _in_loop(self, run: Callable[[AsyncSwitchyard], Awaitable[None]]) -> None:
        async def main() -> None:
            url, options = self._given
            async with AsyncSwitchyard(url, **options) as client:
                await run(client)

        asyncio.run(main())


def _watch(pool_ids: list[str], include_recipients: bool, interval_ms: int) -> dict[str, Any]:
    return {"pool_ids": pool_ids, "include_recipients": include_recipients, "interval_ms": interval_ms}


def _await_item(pool_id: str, item: dict[str, Any], deadline: float) -> dict[str, Any]:
    left = int((deadline - time.monotonic()) * 1000)
    if left <= 0:
        raise SwitchyardError("TIMEOUT", f"item {item['id']} has not ended yet", retryable=False)
    # A rule may have sent it to another pool.
    pool = item.get("pool_id") or pool_id
    return {"pool_id": pool, "queue_item_id": item["id"], "wait_ms": min(left, AWAIT_MS), "until": "finished"}


def _again(error: SwitchyardError) -> float:
    """The item lives on without the server: it is asked for until the caller's time is over."""
    if not error.retryable:
        raise error
    return pause_of(3, error)


def _ended(answer: dict[str, Any]) -> dict[str, Any] | None:
    if not answer.get("reached"):
        return None
    item: dict[str, Any] = answer["item"]
    if item["state"] != "completed":
        raise ItemFailed(item)
    return item


def _is_ulid(text: str) -> bool:
    return len(text) == 26 and text.isalnum() and text[0] in "01234567"


def _one(name: str, ids: list[str]) -> str:
    if len(ids) == 1:
        return ids[0]
    if not ids:
        raise SwitchyardError("NOT_FOUND", f'there is no pool "{name}"', status=404)
    raise SwitchyardError("INVALID_ARGUMENT", f'more than one pool is called "{name}": {", ".join(ids)}')


