"""The worker against a server that loses connections, leases and patience, by seed."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from typing import Any

import pytest
from switchyard import Context, PermanentError, RetryLater, SwitchyardError
from switchyard._errors import connection_lost
from switchyard._worker import Worker, WorkerOptions

from .virtual_time import run

SEEDS = int(os.environ.get("WORKER_SEEDS", "500"))
LEASE = 30.0
ITEMS = 30


class Lease:
    def __init__(self, token: str, expires: float) -> None:
        self.token = token
        self.expires = expires


class Server:
    """Items, leases, and what a connection may do to its messages."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.ready = [f"item-{number}" for number in range(ITEMS)]
        self.leases: dict[str, Lease] = {}
        self.completed: Counter[str] = Counter()
        self.results: dict[str, Any] = {}
        self.failed: set[str] = set()
        self.tokens = 0
        #: Tokens that came to the worker.
        self.delivered: set[str] = set()
        self.doors: list[FakeDoor] = []

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def expire(self) -> None:
        for item, lease in list(self.leases.items()):
            if lease.expires <= self.now():
                del self.leases[item]
                self.ready.append(item)
                self.tell({"lease_lost": {"queue_item_id": item, "reason": "expired", "lease_token": lease.token}})

    def tell(self, message: dict[str, Any]) -> None:
        for door in self.doors:
            door.frames.put_nowait(message)

    def settle(self, entry: dict[str, Any]) -> dict[str, Any]:
        self.expire()
        item, outcome = entry["queue_item_id"], entry["outcome"]
        lease = self.leases.get(item)
        # What was settled with this token already is answered alike.
        if self.results.get((item, entry["lease_token"])) is not None:
            return {"queue_item_id": item, "state": "completed"}
        if lease is None or lease.token != entry["lease_token"]:
            return {"queue_item_id": item, "error": {"error_code": "LEASE_LOST", "retryable": False}}
        if outcome == "extend":
            lease.expires = self.now() + LEASE
            return {"queue_item_id": item, "state": "leased"}
        del self.leases[item]
        if outcome == "complete":
            self.completed[item] += 1
            self.results[(item, entry["lease_token"])] = entry.get("result")
        elif outcome == "fail" and entry.get("retryable") is False:
            self.failed.add(item)
        else:
            self.ready.append(item)
        return {"queue_item_id": item, "state": "settled"}

    def assign(self, credit: int) -> list[dict[str, Any]]:
        self.expire()
        given = []
        while credit > len(given) and self.ready:
            item = self.ready.pop(0)
            self.tokens += 1
            self.leases[item] = Lease(f"token-{self.tokens}", self.now() + LEASE)
            given.append({"item": {"id": item}, "lease_token": f"token-{self.tokens}"})
        return given

    async def open(self, settles_only: bool) -> FakeDoor:
        await asyncio.sleep(self.rng.random() * 0.1)
        if self.rng.random() < 0.2:
            raise connection_lost("refused")
        if self.rng.random() < 0.05:
            raise SwitchyardError("FAILED_PRECONDITION", "the recipient is paused")
        return FakeDoor(self)


class FakeDoor:
    def __init__(self, server: Server) -> None:
        self.server = server
        self.frames: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self.wanted = 0
        self.lost = False
        server.doors.append(self)
        self.pump = asyncio.ensure_future(self._pump())

    async def _pump(self) -> None:
        """Items as there is credit, and the ends that a connection may have."""
        rng = self.server.rng
        while not self.lost:
            await asyncio.sleep(rng.random() * 2)
            items = self.server.assign(self.wanted)
            self.wanted -= len(items)
            if items:
                self.frames.put_nowait({"assigned": {"items": items}})
            if rng.random() < 0.05:
                self.frames.put_nowait({"go_away": {"reason": "moved", "retry_after_ms": rng.randrange(2_000)}})
            if rng.random() < 0.05:
                self.break_off()
            if rng.random() < 0.1 and self.server.leases:
                # Cancelled and put back, as an operator may do.
                item = rng.choice(sorted(self.server.leases))
                lease = self.server.leases.pop(item)
                self.server.ready.append(item)
                lost = {"queue_item_id": item, "reason": "cancelled", "lease_token": lease.token}
                self.server.tell({"lease_lost": lost})

    def break_off(self) -> None:
        self.lost = True
        self.frames.put_nowait(None)

    async def hello(self, credit: int) -> None:
        await self.credit(credit)

    async def credit(self, items: int) -> None:
        await self._deliver()
        self.wanted += items

    async def settle(self, settlements: list[dict[str, Any]]) -> None:
        before = self.server.rng.random() < 0.1
        await self._deliver(fails=before)
        results = [self.server.settle(entry) for entry in settlements]
        if self.server.rng.random() < 0.1:
            self.break_off()
            raise connection_lost("cut after it was applied")
        self.frames.put_nowait({"settled": {"results": results}})

    async def extend(self, leases: list[dict[str, Any]]) -> None:
        await self.settle([{**lease, "outcome": "extend"} for lease in leases])

    async def _deliver(self, fails: bool = False) -> None:
        await asyncio.sleep(self.server.rng.random() * 0.05)
        if self.lost or fails:
            self.break_off()
            raise connection_lost("cut")

    async def finish(self) -> None:
        await self._deliver()
        # What is assigned meanwhile comes before the end.
        items = self.server.assign(self.wanted if self.server.rng.random() < 0.5 else 0)
        self.wanted = 0
        self.pump.cancel()
        if items:
            self.frames.put_nowait({"assigned": {"items": items}})
        self.frames.put_nowait({"end": {}})

    async def receive(self) -> dict[str, Any] | None:
        frame = await self.frames.get()
        if frame is None:
            raise connection_lost("cut")
        for leased in frame.get("assigned", {}).get("items", []):
            self.server.delivered.add(leased["lease_token"])
        return None if "end" in frame else frame

    async def close(self) -> None:
        self.lost = True
        self.pump.cancel()
        if self in self.server.doors:
            self.server.doors.remove(self)


async def play(seed: int) -> None:
    rng = random.Random(seed)
    server = Server(rng)
    running: Counter[str] = Counter()
    most = 0
    concurrency = rng.randrange(1, 12)

    async def handler(item: dict[str, Any], context: Context) -> Any:
        nonlocal most
        assert not context.cancelled
        running[item["id"]] += 1
        most = max(most, running.total())
        try:
            if rng.random() < 0.3:
                context.progress(rng.randrange(100))
            await asyncio.sleep(rng.choice([0.01, 1.0, 20.0, 70.0]) * rng.random())
            dice = rng.random()
            if dice < 0.05:
                raise ValueError("no")
            if dice < 0.10:
                raise RetryLater(10)
            if dice < 0.13:
                raise PermanentError("never")
            return {"by": item["id"]}
        finally:
            running[item["id"]] -= 1

    async def heartbeat() -> None:
        if rng.random() < 0.1:
            raise connection_lost("cut")

    grace_ms = rng.choice([0, 5_000, 60_000])
    worker = Worker(handler, WorkerOptions(concurrency, None, grace_ms), server.open, heartbeat)  # type: ignore[arg-type]
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
    assert all(count == 1 for count in server.completed.values()), server.completed
    assert not set(server.completed) & server.failed
    assert all(result == {"by": item} for (item, _), result in server.results.items())
    assert running.total() == 0, "a handler outlives its worker"
    assert most <= concurrency, "more handlers than allowed"
    held = {lease.token for lease in server.leases.values() if lease.expires > server.now()}
    assert not held & server.delivered, "the worker has left with leases"
    assert server.now() - stopped_at < grace_ms / 1000 + LEASE * 3 + 60, "the end takes too long"


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
            door.frames.put_nowait({"assigned": {"items": items}})

        async def handler(item: dict[str, Any], context: Context) -> None:
            await asyncio.sleep(1_000)

        async def heartbeat() -> None:
            return None

        server.rng.random = lambda: 0.5  # type: ignore[method-assign]
        worker = Worker(handler, WorkerOptions(5, None, 3_000), quiet, heartbeat)  # type: ignore[arg-type]
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

        worker = Worker(handler, WorkerOptions(10, None, 3_000), open_door, heartbeat)  # type: ignore[arg-type]
        work = asyncio.create_task(worker.run())
        await asyncio.sleep(15)
        assert set(server.completed) == {f"item-{number}" for number in range(10)} - {"item-3"}
        assert server.failed == {"item-3"}
        worker.stop()
        await work

    run(main())
