"""A worker: takes items of a pool, gives each to a handler, and settles it once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from ._call import pause_of
from ._errors import SwitchyardError, connection_lost, error_of
from ._outcome import completion, failure, sendable_progress, unsendable
from ._socket import NoUpgrade

#: Between two messages of progress of one item.
PROGRESS_EVERY = 1.0
CONCURRENCY_MAX = 1_000
HEARTBEAT_EVERY = 10.0
CLAIM_WAIT = 20
#: How long handlers that were told to stop may still take.
AFTER_ABORT = 1.0
SETTLE_TOGETHER = 100
SETTLE_WITHIN = 0.010
#: Until an extension or a settlement that was refused for now is sent again.
AGAIN_MS = 500
#: Of the settlements of one message, as JSON: the server reads 4 MiB.
SETTLE_BYTES = 3 * 1_024 * 1_024
#: A connection that lasted so long was a good one.
STABLE = 10.0


@dataclass(eq=False)
class Work:
    """One lease, from its item to its settlement."""

    item: dict[str, Any]
    token: str
    #: By the clock of the loop.
    expires: float
    length: float
    task: asyncio.Task[None] | None = None
    #: What is to be sent, once the handler has ended.
    settlement: dict[str, Any] | None = None
    sent: bool = False
    #: It is sent in a message of its own, because one that it was in was refused.
    alone: bool = False
    #: Its settlement says already that the first one was refused.
    told_refused: bool = False
    lost: bool = False
    released: bool = False
    progress: tuple[float | None, str | None, Any] | None = None
    progress_at: float = 0.0
    extended_at: float = 0.0
    wants_extension: bool = False
    #: An extension was sent, and is not answered.
    extending: bool = False

    @property
    def id(self) -> str:
        return str(self.item["id"])

    @property
    def until(self) -> float:
        """The lease has ended by then also where the server took an extension whose answer was lost."""
        return max(self.expires, self.extended_at + self.length)


class Context:
    """What a handler may ask of its worker. Its task is cancelled when the lease is lost."""

    def __init__(self, work: Work, worker: Worker) -> None:
        self._work = work
        self._worker = worker

    @property
    def cancelled(self) -> bool:
        """The lease is lost or the worker stops: what is done from now on is in vain."""
        return self._work.lost or self._work.released

    def progress(self, percent: float | None = None, note: str | None = None, data: Any = None) -> None:
        """Shown with the item. One a second is sent, the newest; it harms no item."""
        self._work.progress = (percent, note, data)
        self._worker.wake_soon()

    def extend(self) -> None:
        """Asks for a whole lease again, now."""
        self._work.wants_extension = True
        self._worker.wake_soon()


class Door(Protocol):
    """How a worker speaks with the server: `Work`, or claims where no WebSocket comes through."""

    async def hello(self, credit: int) -> None: ...
    async def credit(self, items: int) -> None: ...
    async def settle(self, settlements: list[dict[str, Any]]) -> None: ...
    async def extend(self, leases: list[dict[str, Any]]) -> None: ...
    async def finish(self) -> None:
        """Nothing more is asked for or settled here: what was assigned still comes, then the end."""

    async def receive(self) -> dict[str, Any] | None: ...
    async def close(self) -> None: ...


Handler = Callable[[dict[str, Any], Context], Awaitable[Any]]


@dataclass
class WorkerOptions:
    concurrency: int = 10
    lease_seconds: int | None = None
    grace_ms: int = 20_000

    def __post_init__(self) -> None:
        if not 1 <= self.concurrency <= CONCURRENCY_MAX:
            raise ValueError(f"concurrency must be 1 to {CONCURRENCY_MAX}, not {self.concurrency}")


@dataclass
class Worker:
    """Runs until it is stopped or refused. `heartbeat` says that the recipient is there."""

    handler: Handler
    options: WorkerOptions
    #: Makes a connection: for items, or only to settle those that are here.
    open_door: Callable[[bool], Awaitable[Door]]
    heartbeat: Callable[[], Awaitable[None]]
    _works: dict[str, Work] = field(default_factory=dict)
    #: Handlers that were cancelled and have not ended: their places are not free.
    _leaving: set[asyncio.Task[None]] = field(default_factory=set)
    _granted: int = 0
    _stopping: bool = False
    #: No item may be on its way to this worker.
    _drained: bool = True
    #: This session has brought items or answers.
    _heard: bool = False
    _loop: asyncio.AbstractEventLoop | None = None
    _ending: asyncio.Future[None] | None = None
    _wake: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        self._wake.set()

    def wake_soon(self) -> None:
        """From any thread: handlers may run in one of their own."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake.set)

    def stop(self) -> None:
        """No further items; what is under way may end within the grace, then it is released."""
        if not self._stopping:
            self._stopping = True
            self._ending = asyncio.ensure_future(self._end())
        self.wake()

    async def run(self) -> None:
        self._loop = asyncio.get_running_loop()
        beat = asyncio.create_task(self._beat())
        failures = 0
        try:
            while not self._done():
                since = self._now()
                self._heard = False
                try:
                    await self._session()
                    failures = 0
                except SwitchyardError as error:
                    if self._heard or self._now() - since >= STABLE:
                        failures = 0
                    if _is_fatal(error, failures):
                        raise
                    if self._done():
                        return
                    await self._pause(pause_of(failures, error))
                    failures = 0 if error.reason == "GO_AWAY" else failures + 1
        finally:
            beat.cancel()
            if self._ending is not None:
                self._ending.cancel()
            for work in self._works.values():
                self._cancel(work)

    def _done(self) -> bool:
        """Nothing is left to settle."""
        return self._stopping and self._drained and not self._works

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def _pause(self, seconds: float) -> None:
        """Between two connections: leases are lost meanwhile, and a stop is heard."""
        end = self._now() + seconds
        while (left := end - self._now()) > 0 and not self._done():
            await self._woken(min(left, 1.0))
            self._expire()

    async def _woken(self, seconds: float) -> None:
        """Until something happened, or so long. `asyncio.wait_for` before Python 3.12 may swallow a cancellation."""
        timer = asyncio.get_running_loop().call_later(seconds, self._wake.set)
        try:
            await self._wake.wait()
        finally:
            timer.cancel()
        self._wake.clear()

    async def _beat(self) -> None:
        while True:
            with suppress(SwitchyardError):
                await self.heartbeat()
            await asyncio.sleep(HEARTBEAT_EVERY)

    async def _end(self) -> None:
        await asyncio.sleep(self.options.grace_ms / 1000)
        for work in self._works.values():
            if work.settlement is None and work.task is not None:
                work.released = True
                work.task.cancel()
        await asyncio.sleep(AFTER_ABORT)
        for work in self._works.values():
            if work.settlement is None:
                self._settle(work, {"outcome": "release"})

    async def _session(self) -> None:
        """One connection, until it is lost or nothing is left to do."""
        settles_only = self._stopping
        door = await self.open_door(settles_only)
        try:
            self._granted = self._free()
            self._drained = settles_only
            for work in self._works.values():
                # What a lost connection may have taken with it.
                work.sent = False
                work.wants_extension |= work.extending
            await door.hello(self._granted)
            tasks = [asyncio.create_task(self._read(door)), asyncio.create_task(self._write(door))]
            try:
                # A message that nobody takes may wait for long: leases end meanwhile.
                while not (await asyncio.wait(tasks, timeout=1, return_when=asyncio.FIRST_COMPLETED))[0]:
                    self._expire()
            finally:
                for task in tasks:
                    task.cancel()
                ends = await asyncio.gather(*tasks, return_exceptions=True)
            errors = [end for end in ends if isinstance(end, Exception)]
            if errors:
                raise errors[0]
        finally:
            self._granted = 0
            self._drained = True
            with suppress(SwitchyardError):
                await door.close()

    def _free(self) -> int:
        running = sum(1 for work in self._works.values() if work.settlement is None) + len(self._leaving)
        return 0 if self._stopping else max(0, self.options.concurrency - running - self._granted)

    async def _read(self, door: Door) -> None:
        while (message := await door.receive()) is not None:
            self._take(message)
        if not self._stopping:
            raise connection_lost("the server ended the stream")

    def _take(self, message: dict[str, Any]) -> None:
        match message:
            case {"assigned": {"items": items}}:
                self._heard = True
                for leased in items:
                    self._begin(leased)
            case {"settled": {"results": results}}:
                self._heard = True
                for result in results:
                    self._settled(result)
            case {"lease_lost": lost}:
                work = self._works.get(lost["queue_item_id"])
                if work is not None and lost.get("lease_token", work.token) == work.token:
                    self._lose(work)
            case {"go_away": away}:
                raise SwitchyardError(
                    "UNAVAILABLE",
                    f"the server asks to connect again: {away.get('reason', '')}",
                    reason="GO_AWAY",
                    retryable=True,
                    retry_after_ms=int(away.get("retry_after_ms") or 0) or None,
                )
            case {"refused": refused}:
                self._refused(refused)
        self.wake()

    def _begin(self, leased: dict[str, Any]) -> None:
        item = leased["item"]
        self._granted = max(0, self._granted - 1)
        older = self._works.get(item["id"])
        if older is not None:
            self._lose(older)
        length = _seconds_between(leased, self.options.lease_seconds)
        work = Work(item, leased["lease_token"], self._now() + length, length, extended_at=self._now())
        self._works[work.id] = work
        if self._stopping:
            self._settle(work, {"outcome": "release"})
        else:
            work.task = asyncio.create_task(self._handle(work))

    async def _handle(self, work: Work) -> None:
        context = Context(work, self)
        try:
            settlement = completion(await self.handler(work.item, context))
        except asyncio.CancelledError:
            if work.lost or not work.released:
                return
            settlement = {"outcome": "release"}
        except Exception as error:
            settlement = failure(error)
        if not work.lost:
            # What it does after it was told to stop may be half of its work: the item is for another worker.
            self._settle(work, {"outcome": "release"} if work.released else settlement)

    def _settle(self, work: Work, settlement: dict[str, Any]) -> None:
        work.settlement = {"queue_item_id": work.id, "lease_token": work.token, **settlement}
        self.wake()

    def _settled(self, result: dict[str, Any]) -> None:
        work = self._works.get(result["queue_item_id"])
        if work is None:
            return
        error = result.get("error")
        if error is not None:
            self._unsettled(work, error_of(error))
        elif result.get("state") == "leased":
            work.expires = self._now() + work.length
            work.extending = False
        elif work.sent:
            self._forget(work)

    def _unsettled(self, work: Work, error: SwitchyardError) -> None:
        if work.settlement is None or not work.sent:
            # An extension. What is refused for another reason is asked for again.
            if error.code in _OVER:
                self._lose(work)
            else:
                self._later(error, self._extend_again, work)
        elif error.retryable:
            self._later(error, self._settle_again, work)
        elif error.code in _UNSENDABLE and not work.told_refused:
            work.sent, work.told_refused = False, True
            self._settle(work, unsendable(error.detail))
        else:
            self._forget(work)

    def _later(self, error: SwitchyardError, again: Callable[[Work], None], work: Work) -> None:
        asyncio.get_running_loop().call_later((error.retry_after_ms or AGAIN_MS) / 1_000, again, work)

    def _extend_again(self, work: Work) -> None:
        work.wants_extension = True
        self.wake()

    def _settle_again(self, work: Work) -> None:
        work.sent = False
        self.wake()

    def _refused(self, refused: dict[str, Any]) -> None:
        """All of a message, for the sake of one: each is sent by itself."""
        ids = refused.get("queue_item_ids", [])
        for item_id in ids:
            work = self._works.get(item_id)
            if work is None:
                continue
            if len(ids) > 1 and work.settlement is not None and work.sent:
                work.sent, work.alone = False, True
            else:
                self._unsettled(work, error_of(refused.get("error", {})))

    def _lose(self, work: Work) -> None:
        self._cancel(work)
        self._forget(work)

    def _cancel(self, work: Work) -> None:
        """What its handler still does is in vain."""
        work.lost = True
        if work.task is not None and not work.task.done():
            self._leaving.add(work.task)
            work.task.add_done_callback(self._left)
            work.task.cancel()

    def _left(self, task: asyncio.Task[None]) -> None:
        self._leaving.discard(task)
        self.wake()

    def _forget(self, work: Work) -> None:
        if self._works.get(work.id) is work:
            del self._works[work.id]
        self.wake()

    def _expire(self) -> None:
        """A lease that has run out belongs to somebody else; one that may have is given back."""
        now = self._now()
        for work in [one for one in self._works.values() if one.expires <= now]:
            if work.until <= now:
                self._lose(work)
            elif work.settlement is None:
                self._cancel(work)
                self._settle(work, {"outcome": "release"})

    async def _write(self, door: Door) -> None:
        while not self._done():
            self._expire()
            if self._stopping and not self._drained:
                # The end of the session comes from the server, behind what it had assigned.
                await door.finish()
                await asyncio.Event().wait()
            await self._send_settlements(door)
            await self._send_extensions(door)
            free = self._free()
            if free > 0:
                self._granted += free
                await door.credit(free)
            if self._done():
                return
            await self._woken(self._next())

    async def _send_settlements(self, door: Door) -> None:
        ready = [one for one in self._works.values() if one.settlement is not None and not one.sent]
        for work in ready:
            work.sent = True
        together = [work.settlement for work in ready if work.settlement is not None and not work.alone]
        alone = [[work.settlement] for work in ready if work.settlement is not None and work.alone]
        for part in [*grouped(together, 1_000), *alone]:
            await door.settle(part)

    async def _send_extensions(self, door: Door) -> None:
        now = self._now()
        leases = []
        for work in self._works.values():
            if work.settlement is not None:
                continue
            told = work.progress is not None and now - work.progress_at >= PROGRESS_EVERY
            due = work.wants_extension or now - work.extended_at >= work.length / 2
            if not told and not due:
                continue
            work.wants_extension, work.extending = False, True
            lease: dict[str, Any] = {"queue_item_id": work.id, "lease_token": work.token}
            if work.progress is not None:
                lease["progress"] = sendable_progress(*work.progress)
                work.progress, work.progress_at = None, now
            work.extended_at = now
            leases.append(lease)
        if leases:
            await door.extend(leases)

    def _next(self) -> float:
        """Until something is due by itself."""
        now = self._now()
        times = [1.0]
        for work in self._works.values():
            if work.settlement is None:
                times.append(work.extended_at + work.length / 2 - now)
                if work.progress is not None:
                    times.append(work.progress_at + PROGRESS_EVERY - now)
        return max(0.001, min(times))


#: A recipient that is paused or draining, a pool that is disabled: somebody will put it right.
_ENDS_BY_ITSELF = frozenset({"FAILED_PRECONDITION"})
#: The lease is over.
_OVER = frozenset({"LEASE_LOST", "NOT_FOUND"})
#: What the server says of a result that it will not take, however often it is sent.
_UNSENDABLE = frozenset({"PAYLOAD_TOO_LARGE", "INVALID_ARGUMENT"})


def _is_fatal(error: SwitchyardError, failures: int) -> bool:
    """Nothing will change by itself. A credential may have been renewed since: it is tried once more."""
    if error.retryable or error.code in _ENDS_BY_ITSELF:
        return False
    return error.code != "UNAUTHENTICATED" or failures > 0


def grouped(settlements: list[dict[str, Any]], count: int) -> list[list[dict[str, Any]]]:
    """What one message may have: by number, and by size."""
    groups: list[list[dict[str, Any]]] = []
    size = 0
    for one in settlements:
        length = len(json.dumps(one))
        if not groups or len(groups[-1]) == count or size + length > SETTLE_BYTES:
            groups.append([])
            size = 0
        groups[-1].append(one)
        size += length
    return groups


def _seconds_between(leased: dict[str, Any], asked: int | None) -> float:
    """How long the lease is: by the server's clock, from its own two times, since ours may be another."""
    from datetime import datetime

    def time_of(text: str) -> datetime:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))

    started = leased["item"].get("updated_at")
    ends = leased.get("lease_expires_at")
    if started and ends:
        return max(1.0, (time_of(ends) - time_of(started)).total_seconds())
    return float(asked or 30)


class SocketDoor:
    """`QueueService.Work` over a WebSocket."""

    def __init__(self, link: Any, pool_id: str, recipient_id: str, lease_seconds: int | None) -> None:
        self._link = link
        self._hello = {"pool_id": pool_id, "recipient_id": recipient_id}
        self._lease = {} if lease_seconds is None else {"lease_seconds": lease_seconds}

    async def hello(self, credit: int) -> None:
        # The first credit for messages comes only while somebody reads.
        self._first = {"hello": {**self._hello, **self._lease, "credit": min(credit, 1_000)}}
        self._greeting = asyncio.create_task(self._link.send(self._first))

    async def credit(self, items: int) -> None:
        await self._send({"credit": {"items": min(items, 1_000)}})

    async def settle(self, settlements: list[dict[str, Any]]) -> None:
        await self._send({"settle": {"settlements": settlements}})

    async def extend(self, leases: list[dict[str, Any]]) -> None:
        await self._send({"extend": {"leases": leases, **self._lease}})

    async def finish(self) -> None:
        await self._greeting
        await self._link.end()

    async def _send(self, message: dict[str, Any]) -> None:
        await self._greeting
        await self._link.send(message)

    async def receive(self) -> dict[str, Any] | None:
        message: dict[str, Any] | None = await self._link.receive()
        return message

    async def close(self) -> None:
        self._greeting.cancel()
        await self._link.close()


Call = Callable[[str, dict[str, Any]], Awaitable[Any]]


class PollingDoor:
    """Claims and batches of settlements, where no WebSocket comes through. It looks like `Work`."""

    def __init__(self, call: Call, pool_id: str, recipient_id: str, lease_seconds: int | None) -> None:
        self._call = call
        self._pool = {"pool_id": pool_id}
        self._claim = {**self._pool, "recipient_id": recipient_id}
        self._lease = {} if lease_seconds is None else {"lease_seconds": lease_seconds}
        self._wanted = 0
        self._more = asyncio.Event()
        self._frames: asyncio.Queue[dict[str, Any] | SwitchyardError | None] = asyncio.Queue()
        self._outbox: list[dict[str, Any]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._claiming: asyncio.Task[None] | None = None

    async def hello(self, credit: int) -> None:
        self._wanted = credit
        self._claiming = asyncio.create_task(self._claims())

    async def credit(self, items: int) -> None:
        self._wanted += items
        self._more.set()

    async def _claims(self) -> None:
        try:
            while True:
                while self._wanted == 0:
                    self._more.clear()
                    await self._more.wait()
                claim = {**self._claim, **self._lease, "max_items": min(self._wanted, 100), "wait_seconds": CLAIM_WAIT}
                items = (await self._call("QueueService.Claim", claim))["items"]
                self._wanted -= len(items)
                if items:
                    await self._frames.put({"assigned": {"items": items}})
        except SwitchyardError as error:
            await self._frames.put(error)

    async def settle(self, settlements: list[dict[str, Any]]) -> None:
        self._outbox += settlements
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._flush())

    async def extend(self, leases: list[dict[str, Any]]) -> None:
        kept = ("queue_item_id", "lease_token", "progress")
        await self.settle(
            [{**{k: v for k, v in lease.items() if k in kept}, "outcome": "extend", **self._lease} for lease in leases]
        )

    async def finish(self) -> None:
        # A claim that its caller gives up is given nothing.
        if self._claiming is not None:
            self._claiming.cancel()
            await asyncio.gather(self._claiming, return_exceptions=True)
        await self._frames.put(None)

    async def _flush(self) -> None:
        try:
            while self._outbox:
                if len(self._outbox) < SETTLE_TOGETHER:
                    await asyncio.sleep(SETTLE_WITHIN)
                part = grouped(self._outbox, SETTLE_TOGETHER)[0]
                self._outbox = self._outbox[len(part) :]
                for frame in await self._answers(part):
                    await self._frames.put(frame)
        except SwitchyardError as error:
            await self._frames.put(error)

    async def _answers(self, part: list[dict[str, Any]]) -> list[dict[str, Any]]:
        try:
            answer = await self._call("QueueService.SettleBatch", {**self._pool, "settlements": part})
        except SwitchyardError as error:
            if error.code not in _UNSENDABLE:
                raise
            why = {"error_code": error.code, "detail": error.detail}
            return [{"refused": {"queue_item_ids": [one["queue_item_id"] for one in part], "error": why}}]
        settled: list[dict[str, Any]] = []
        lost: list[dict[str, Any]] = []
        for one in answer["results"]:
            if (one.get("error") or {}).get("error_code") == "LEASE_LOST":
                # The item may be here again by now, with another lease: this one is named by its token.
                lost.append({"lease_lost": part[one["index"]]})
            else:
                settled.append(one)
        return [{"settled": {"results": settled}}, *lost]

    async def receive(self) -> dict[str, Any] | None:
        frame = await self._frames.get()
        if isinstance(frame, SwitchyardError):
            raise frame
        return frame

    async def close(self) -> None:
        for task in (self._claiming, self._flushing):
            if task is not None:
                task.cancel()


async def first_door(socket: Callable[[], Awaitable[Door]], polling: Callable[[], Door]) -> Door:
    """A WebSocket, or claims where there is none to be had."""
    try:
        return await socket()
    except NoUpgrade:
        return polling()


