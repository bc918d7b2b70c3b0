"""The worker against a server that loses connections, leases and patience, by seed."""

from __future__ import annotations

import asyncio
import math
import os
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from switchyard import Context, PermanentError, RetryLater, SwitchyardError
from switchyard._errors import connection_lost
from switchyard._socket import PING_EVERY
from switchyard._worker import Door, PollingDoor, Worker, WorkerOptions

from .virtual_time import run

SEEDS = int(os.environ.get("WORKER_SEEDS", "500"))
LEASE = 30.0
#: What a worker does at once is done within this.
SOON = 2.0
ITEMS = 30
BUSY_MS = 200


class Lease:
    def __init__(self, token: str, expires: float) -> None:
        self.token = token
        self.expires = expires


class Run:
    """One call of a handler."""

    def __init__(self, item: str, token: str, since: float) -> None:
        self.item = item
        self.token = token
        self.since = since
        #: It was cancelled.
        self.told = False
        self.ended = False


class Server:
    """Items, leases, and what a connection may do to its messages."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        #: No WebSocket comes through.
        self.polls = rng.random() < 0.2
        self.ready = [f"item-{number}" for number in range(ITEMS)]
        self.leases: dict[str, Lease] = {}
        self.completed: Counter[str] = Counter()
        self.results: dict[str, Any] = {}
        self.failed: set[str] = set()
        self.tokens = 0
        #: Tokens that came to the worker.
        self.delivered: set[str] = set()
        self.doors: list[FakeDoor] = []
        #: By token.
        self.runs: dict[str, Run] = {}
        #: What the worker has done wrong. An error in a handler would only be the failure of its item.
        self.problems: list[str] = []

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def later(self, seconds: float, check: Callable[..., None], *given: Any) -> None:
        asyncio.get_running_loop().call_later(seconds, check, *given)

    def holds(self, item: str, token: str) -> bool:
        lease = self.leases.get(item)
        return lease is not None and lease.token == token

    def watch(self, item: str, token: str) -> None:
        """A lease ends on a timer of the server."""
        if not self.holds(item, token):
            return
        if (left := self.leases[item].expires - self.now()) > 0:
            self.later(left, self.watch, item, token)
        else:
            self.take_away(item, "expired")

    def take_away(self, item: str, reason: str) -> None:
        token = self.leases.pop(item).token
        self.ready.append(item)
        telling = [door for door in self.doors if door.lose(item, token, reason)]
        run = self.runs.get(token)
        if run is None or run.ended:
            return
        if reason == "expired" and not run.told:
            self.must_be_extended(run)
        for door in telling:
            self.later(SOON, self.must_be_told, run, door)
        # Where no connection tells it, it finds out by its own clock.
        self.later(SOON + (0 if reason == "expired" else LEASE), self.must_be_told, run, None)

    def cancel_some(self) -> None:
        """Cancelled and put back, as an operator may do."""
        if self.rng.random() < 0.1 and self.leases:
            self.take_away(self.rng.choice(sorted(self.leases)), "cancelled")

    def must_be_told(self, run: Run, door: FakeDoor | None) -> None:
        if (door is None or door.is_good()) and not (run.told or run.ended):
            self.problems.append(f"{run.token} is lost, and its handler is not cancelled")

    def must_be_extended(self, run: Run) -> None:
        """It ends while it is handled: no connection that was good for a while may have been there."""
        for door in self.doors:
            since = max(door.since, self.now() - LEASE / 2)
            if door.is_good() and door.since < self.now() - SOON and door.extended.get(run.token, -1.0) < since:
                self.problems.append(f"{run.token} is handled, and its lease is not extended")

    def must_be_settled(self, run: Run, door: FakeDoor) -> None:
        if door.is_good() and self.holds(run.item, run.token) and run.token not in door.settled:
            self.problems.append(f"the handler of {run.token} has ended, and its settlement is not sent")

    def begun(self, run: Run) -> None:
        if run.token in self.runs:
            self.problems.append(f"{run.token} is handled twice")
        self.runs[run.token] = run

    def ended(self, run: Run) -> None:
        run.ended = True
        if not run.told:
            for door in self.doors:
                self.later(SOON, self.must_be_settled, run, door)

    def greeted(self, door: FakeDoor) -> None:
        for run in self.runs.values():
            if run.ended and not run.told and self.holds(run.item, run.token):
                self.later(SOON, self.must_be_settled, run, door)

    def settle(self, entry: dict[str, Any]) -> dict[str, Any]:
        item, token, outcome = entry["queue_item_id"], entry["lease_token"], entry["outcome"]
        # What was settled with this token already is answered alike.
        if self.results.get((item, token)) is not None:
            return {"queue_item_id": item, "state": "completed"}
        if not self.holds(item, token):
            return {"queue_item_id": item, "error": {"error_code": "LEASE_LOST", "retryable": False}}
        if self.rng.random() < 0.02:
            busy = {"error_code": "RATE_LIMITED", "retryable": True, "retry_after_ms": BUSY_MS}
            return {"queue_item_id": item, "error": busy}
        if outcome == "extend":
            self.leases[item].expires = self.now() + LEASE
            return {"queue_item_id": item, "state": "leased"}
        if outcome in ("complete", "fail") and token in self.runs and self.runs[token].told:
            self.problems.append(f"{token}: {outcome} by a handler that was cancelled")
        del self.leases[item]
        if outcome == "complete":
            self.completed[item] += 1
            self.results[(item, token)] = entry.get("result")
        elif outcome == "fail" and entry.get("retryable") is False:
            self.failed.add(item)
        else:
            self.ready.append(item)
        return {"queue_item_id": item, "state": "settled"}

    def assign(self, credit: int) -> list[dict[str, Any]]:
        given = []
        while credit > len(given) and self.ready:
            item = self.ready.pop(0)
            self.tokens += 1
            token = f"token-{self.tokens}"
            self.leases[item] = Lease(token, self.now() + LEASE)
            self.watch(item, token)
            given.append({"item": {"id": item, "payload": token}, "lease_token": token})
        return given

    async def open(self, settles_only: bool) -> Door:
        if settles_only or self.polls:
            return FakePolling(self)
        await asyncio.sleep(self.rng.random() * 0.1)
        if self.rng.random() < 0.2:
            raise connection_lost("refused")
        if self.rng.random() < 0.05:
            raise SwitchyardError("FAILED_PRECONDITION", "the recipient is paused")
        return FakeDoor(self)

    async def call(self, method: str, request: dict[str, Any]) -> Any:
        """A request over HTTP, and its answer."""
        await self.way()
        if method == "QueueService.SettleBatch":
            results = [self.settle(entry) for entry in request["settlements"]]
            answer = {"results": [{"index": index, **result} for index, result in enumerate(results)]}
        else:
            end = self.now() + request["wait_seconds"]
            while not (items := self.assign(request["max_items"])) and self.now() < end:
                await asyncio.sleep(0.5)
                self.cancel_some()
            answer = {"items": items}
        await self.way()
        return answer

    async def way(self) -> None:
        await asyncio.sleep(self.rng.random() * 0.05)
        if self.rng.random() < 0.1:
            raise connection_lost("cut")

    def deliver(self, frame: dict[str, Any] | None) -> None:
        for leased in (frame or {}).get("assigned", {}).get("items", []):
            self.delivered.add(leased["lease_token"])


class FakePolling(PollingDoor):
    """The real one: only its requests are not."""

    def __init__(self, server: Server) -> None:
        super().__init__(server.call, "pool", "recipient", None)
        self.server = server

    async def receive(self) -> dict[str, Any] | None:
        frame = await super().receive()
        self.server.deliver(frame)
        return frame


class FakeDoor:
    def __init__(self, server: Server) -> None:
        self.server = server
        self.frames: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self.wanted = 0
        self.lost = False
        #: Half-open: messages that still go out, into nothing.
        self.room: int | None = None
        self.finished = False
        #: When it was greeted.
        self.since = math.inf
        #: Tokens by item: of their end it is told.
        self.held: dict[str, str] = {}
        #: Tokens whose settlement was sent, and when the last extension was.
        self.settled: set[str] = set()
        self.extended: dict[str, float] = {}
        #: Tokens whose settlement was refused for a time.
        self.busy_until: dict[str, float] = {}
        server.doors.append(self)
        self.pump = asyncio.ensure_future(self._pump())

    def is_good(self) -> bool:
        return self.since < math.inf and not self.lost and not self.finished and self.room is None

    async def _pump(self) -> None:
        """Items as there is credit, and the ends that a connection may have."""
        rng = self.server.rng
        while not self.lost:
            await asyncio.sleep(rng.random() * 2)
            items = self.server.assign(self.wanted)
            self.wanted -= len(items)
            self.give(items)
            if rng.random() < 0.05:
                self.tell({"go_away": {"reason": "moved", "retry_after_ms": rng.randrange(2_000)}})
            if rng.random() < 0.05:
                self.break_off()
            if rng.random() < 0.02:
                self.half_open()
            self.server.cancel_some()

    def tell(self, message: dict[str, Any]) -> None:
        if self.room is None:
            self.frames.put_nowait(message)

    def give(self, items: list[dict[str, Any]]) -> None:
        if items:
            self.held |= {leased["item"]["id"]: leased["lease_token"] for leased in items}
            self.tell({"assigned": {"items": items}})

    def lose(self, item: str, token: str, reason: str) -> bool:
        """Whether it has brought this lease, and says that it is lost."""
        if self.held.get(item) != token:
            return False
        del self.held[item]
        self.tell({"lease_lost": {"queue_item_id": item, "reason": reason, "lease_token": token}})
        return True

    def break_off(self) -> None:
        self.lost = True
        self.frames.put_nowait(None)

    def half_open(self) -> None:
        """Nothing comes through, and neither side is told: the worker finds out by its pings."""
        if self.room is None:
            self.room = self.server.rng.randrange(1, 4)
            self.server.later(PING_EVERY * (1 + self.server.rng.random()), self.break_off)

    async def hello(self, credit: int) -> None:
        await self.credit(credit)
        self.since = self.server.now()
        self.server.greeted(self)

    async def credit(self, items: int) -> None:
        if await self._deliver():
            self.wanted += items

    async def settle(self, settlements: list[dict[str, Any]]) -> None:
        before = self.server.rng.random() < 0.1
        if not await self._deliver(fails=before):
            return
        for entry in settlements:
            if entry["outcome"] == "extend":
                self.extended[entry["lease_token"]] = self.server.now()
                self.held[entry["queue_item_id"]] = entry["lease_token"]
            else:
                self.settled.add(entry["lease_token"])
                if self.server.now() < self.busy_until.get(entry["lease_token"], 0):
                    self.server.problems.append(f"the settlement of {entry['lease_token']} is sent again too soon")
        results = [self.server.settle(entry) for entry in settlements]
        for entry, result in zip(settlements, results, strict=True):
            if result.get("error", {}).get("retryable"):
                self.refuse(entry)
            elif "error" in result:
                lease = {name: entry[name] for name in ("queue_item_id", "lease_token")}
                self.tell({"lease_lost": {**lease, "reason": "expired"}})
        if self.server.rng.random() < 0.1:
            self.break_off()
            raise connection_lost("cut after it was applied")
        told = [one for one in results if one.get("error", {}).get("error_code") != "LEASE_LOST"]
        self.tell({"settled": {"results": told}})

    def refuse(self, entry: dict[str, Any]) -> None:
        """For now: it has to come again."""
        token = entry["lease_token"]
        if entry["outcome"] == "extend":
            del self.extended[token]
        else:
            self.settled.remove(token)
            self.busy_until[token] = self.server.now() + BUSY_MS / 1_000 - 0.001
            if token in self.server.runs:
                self.server.later(SOON, self.server.must_be_settled, self.server.runs[token], self)

    async def extend(self, leases: list[dict[str, Any]]) -> None:
        await self.settle([{**lease, "outcome": "extend"} for lease in leases])

    async def _deliver(self, fails: bool = False) -> bool:
        """Whether the message comes to the server."""
        await asyncio.sleep(self.server.rng.random() * 0.05)
        if self.room == 0 and not self.lost:
            await asyncio.Event().wait()
        if self.lost or fails:
            self.break_off()
            raise connection_lost("cut")
        if self.room is not None:
            self.room -= 1
        return self.room is None

    async def finish(self) -> None:
        if not await self._deliver():
            return
        self.finished = True
        # What is assigned meanwhile comes before the end.
        items = self.server.assign(self.wanted if self.server.rng.random() < 0.5 else 0)
        self.wanted = 0
        self.pump.cancel()
        self.give(items)
        self.tell({"end": {}})

    async def receive(self) -> dict[str, Any] | None:
        frame = await self.frames.get()
        if frame is None:
            raise connection_lost("cut")
        self.server.deliver(frame)
        return None if "end" in frame else frame

    async def close(self) -> None:
        self.lost = True
        self.pump.cancel()
        if self in self.server.doors:
            self.server.doors.remove(self)


async def play(seed: int) -> None:
    rng = random.Random(seed)
    # Pauses of the client are drawn from this one.
    random.seed(seed)
    server = Server(rng)
    problems = server.problems
    running = most = 0
    concurrency = rng.randrange(1, 12)
    stopped_at = math.inf
    grace_ms = rng.choice([0, 5_000, 60_000])

    async def handler(item: dict[str, Any], context: Context) -> Any:
        nonlocal running, most
        run = Run(item["id"], item["payload"], server.now())
        if context.cancelled or stopped_at < math.inf:
            problems.append(f"{run.token} begins, and is over")
        server.begun(run)
        running += 1
        most = max(most, running)
        try:
            if rng.random() < 0.3:
                context.progress(rng.randrange(100))
            await asyncio.sleep(rng.choice([0.01, 1.0, 20.0, 70.0]) * rng.random())
        except asyncio.CancelledError:
            cancelled(run, context)
            # Some have to tidy up, and some go on as if they had not heard.
            if rng.random() < 0.3:
                await asyncio.sleep(rng.random() * 5)
            if rng.random() < 0.7:
                raise
        finally:
            running -= 1
            server.ended(run)
        dice = rng.random()
        if dice < 0.05:
            raise ValueError("no")
        if dice < 0.10:
            raise RetryLater(10)
        if dice < 0.13:
            raise PermanentError("never")
        return {"by": item["id"]}

    def cancelled(run: Run, context: Context) -> None:
        run.told = True
        if not context.cancelled:
            problems.append(f"{run.token} is cancelled, and its context does not say so")
        if server.holds(run.item, run.token) and server.now() < stopped_at + grace_ms / 1000:
            server.must_be_extended(run)
            if server.now() < run.since + LEASE - SOON:
                problems.append(f"{run.token} is cancelled, and its lease has not ended")

    async def heartbeat() -> None:
        if rng.random() < 0.1:
            raise connection_lost("cut")

    worker = Worker(handler, WorkerOptions(concurrency, None, grace_ms), server.open, heartbeat)
    work = asyncio.create_task(worker.run())
    early = rng.random() < 0.4
    while not work.done():
        await asyncio.sleep(0.5)
        over = len(server.completed) + len(server.failed) == ITEMS
        if over or (early and server.now() > 20):
            worker.stop()
            break
        assert server.now() < 50_000, "the worker does not get on"
    stopped_at = server.now()
    await work
    ended_at = server.now()
    untold = [run.token for run in server.runs.values() if not (run.ended or run.told)]
    held = {lease.token for lease in server.leases.values()}
    assert not held & server.delivered, f"the worker has left with leases {held & server.delivered}"
    # Every check that is still to come.
    await asyncio.sleep(LEASE + 2 * SOON)
    assert not problems, problems
    assert all(count == 1 for count in server.completed.values()), server.completed
    assert not set(server.completed) & server.failed
    assert all(result == {"by": item} for (item, _), result in server.results.items())
    assert not untold, "a handler outlives its worker and is not told"
    assert running == 0
    assert most <= concurrency, "more handlers than allowed"
    assert ended_at - stopped_at < grace_ms / 1000 + LEASE * 3 + 60, "the end takes too long"


@pytest.mark.parametrize("part", range(10))
def test_every_item_is_completed_once_whatever_is_lost(part: int) -> None:
    for seed in range(part, SEEDS, 10):
        try:
            run(play(seed))
        except BaseException:
            print(f"seed {seed}")
            raise


def test_what_a_worker_holds_at_its_end_is_released() -> None:
    async def main() -> None:
        server = Server(random.Random(1))

        async def quiet(settles_only: bool) -> FakeDoor:
            door = FakeDoor(server)
            door.pump.cancel()
            door.pump = asyncio.ensure_future(once(door))
            return door

        async def once(door: FakeDoor) -> None:
            await asyncio.sleep(1)
            items = server.assign(door.wanted)
            door.give(items)

        async def handler(item: dict[str, Any], context: Context) -> None:
            await asyncio.sleep(1_000)

        async def heartbeat() -> None:
            return None

        server.rng.random = lambda: 0.5  # type: ignore[method-assign]
        worker = Worker(handler, WorkerOptions(5, None, 3_000), quiet, heartbeat)
        work = asyncio.create_task(worker.run())
        await asyncio.sleep(10)
        assert len(server.leases) == 5
        worker.stop()
        await work
        assert server.leases == {}
        assert len(server.ready) == ITEMS

    run(main())


def test_given_a_message_that_is_refused_for_one_settlement_then_the_others_are_taken() -> None:
    async def main() -> None:
        server = Server(random.Random(1))
        server.rng.random = lambda: 0.5  # type: ignore[method-assign]

        class Picky(FakeDoor):
            async def settle(self, settlements: list[dict[str, Any]]) -> None:
                if any(one.get("result") == "item-3" for one in settlements):
                    ids = [one["queue_item_id"] for one in settlements]
                    error = {"error_code": "INVALID_ARGUMENT", "detail": "no such result"}
                    self.frames.put_nowait({"refused": {"queue_item_ids": ids, "error": error}})
                else:
                    await super().settle(settlements)

        async def open_door(_: bool) -> FakeDoor:
            return Picky(server)

        async def handler(item: dict[str, Any], context: Context) -> str:
            await asyncio.sleep(10)
            return str(item["id"])

        async def heartbeat() -> None:
            return None

        worker = Worker(handler, WorkerOptions(10, None, 3_000), open_door, heartbeat)
        work = asyncio.create_task(worker.run())
        await asyncio.sleep(15)
        assert set(server.completed) == {f"item-{number}" for number in range(10)} - {"item-3"}
        assert server.failed == {"item-3"}
        worker.stop()
        await work

    run(main())
