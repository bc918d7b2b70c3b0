"""The client against real services that are killed and stopped."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from switchyard import AsyncSwitchyard, Context, Gone, ItemFailed, PermanentError, Reject, Switchyard, SwitchyardError
from switchyard import _socket
from switchyard._worker import Worker

from .server import Server

KILLS = int(os.environ.get("CONSUME_KILLS", "3"))
ITEMS = 60


def eventually(holds: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it does not come true"
        time.sleep(0.05)


def states(sy: Switchyard, pool_id: str) -> dict[str, int]:
    counts: Any = sy.queues.status(pool_id=pool_id)
    return {state: count for state, count in counts["by_state"].items() if count > 0}


def filled(sy: Switchyard, items: int = ITEMS, **pool: Any) -> str:
    pool_id = str(sy.pools.create(name="work", **pool)["id"])
    sy.items.enqueue_batch(pool_id=pool_id, items=[{"payload": number} for number in range(items)])
    return pool_id


@pytest.mark.parametrize("polling", [False, True])
def test_items_are_completed_once_over_a_killed_server(server: Server, polling: bool) -> None:
    with Switchyard(server.url, retries=20) as sy:
        pool_id = filled(sy)
        handled: Counter[int] = Counter()
        stop = threading.Event()

        def handler(item: dict[str, Any], context: Context) -> Any:
            handled[item["payload"]] += 1
            time.sleep(0.05)
            return {"n": item["payload"]}

        given: Any = {"concurrency": 4, "stop": stop, "polling": polling}
        work = threading.Thread(target=sy.worker, args=("work", handler), kwargs=given)
        work.start()
        eventually(lambda: len(handled) > 10)
        server.kill()
        server.start()
        eventually(lambda: states(sy, pool_id).get("completed") == ITEMS)
        stop.set()
        work.join(30)
        assert not work.is_alive()
        assert set(handled) == set(range(ITEMS))
        results = {item["result"]["n"] for item in sy.items.list(pool_id=pool_id)}
        assert results == set(range(ITEMS))


@pytest.mark.parametrize("polling", [False, True])
def test_given_a_server_that_shuts_down_then_the_worker_goes_on_with_the_next_one(
    server: Server, monkeypatch: Any, polling: bool
) -> None:
    told: list[str] = []
    take = Worker._take

    def noted(worker: Worker, message: dict[str, Any]) -> None:
        if "go_away" in message:
            told.append(message["go_away"]["reason"])
        take(worker, message)

    monkeypatch.setattr(Worker, "_take", noted)
    with Switchyard(server.url, retries=20) as sy:
        pool_id = filled(sy, 4, config={"lease_seconds": 300})
        handled: Counter[int] = Counter()
        may_end, stop = threading.Event(), threading.Event()

        def handler(item: dict[str, Any], context: Context) -> Any:
            handled[item["payload"]] += 1
            assert may_end.wait(120) and not context.cancelled
            time.sleep(0.05)
            return {"n": item["payload"]}

        given: Any = {"concurrency": 8, "stop": stop, "polling": polling}
        work = threading.Thread(target=sy.worker, args=("work", handler), kwargs=given)
        work.start()
        # It has room for more, so it waits for items while these are handled.
        eventually(lambda: len(handled) == 4)
        assert server.terminate() == 0
        assert told == ([] if polling else ["DRAINING"])
        # They end while there is no server.
        may_end.set()
        time.sleep(0.5)
        server.start()
        eventually(lambda: states(sy, pool_id) == {"completed": 4})
        sy.items.enqueue_batch(pool_id=pool_id, items=[{"payload": number} for number in range(4, ITEMS)])
        eventually(lambda: len(handled) > 20)
        assert server.terminate() == 0
        server.start()
        eventually(lambda: states(sy, pool_id) == {"completed": ITEMS})
        stop.set()
        work.join(30)
        assert not work.is_alive()
        assert handled == Counter(range(ITEMS))
        for item in sy.items.list(pool_id=pool_id):
            assert (item["result"], item["deliveries"]) == ({"n": item["payload"]}, 1), item


def test_outcomes_are_what_handlers_say(server: Server) -> None:
    with Switchyard(server.url) as sy:
        pool_id = filled(sy, 5)
        stop = threading.Event()

        def handler(item: dict[str, Any], context: Context) -> Any:
            match item["payload"]:
                case 0:
                    return {"done": True}
                case 1:
                    raise PermanentError("no use")
                case 2:
                    return object()
                case 3:
                    return "x" * 300_000
                case _:
                    raise Reject("not mine")

        def ended() -> bool:
            counts = states(sy, pool_id)
            if counts.get("completed") != 1 or counts.get("dead", 0) < 3:
                return False
            stop.set()
            return True

        work = threading.Thread(target=sy.worker, args=(pool_id, handler), kwargs={"stop": stop})
        work.start()
        eventually(ended)
        work.join(30)
        errors = {item["payload"]: item["last_error"]["message"] for item in sy.dead_letters.list(pool_id=pool_id)}
        assert errors[1] == "PermanentError: no use" or "no use" in errors[1]
        assert "not JSON" in errors[2]
        assert "300002 bytes" in errors[3]


def test_sigterm_lets_handlers_end_and_releases_the_rest(server: Server, tmp_path: Path) -> None:
    with Switchyard(server.url) as sy:
        pool_id = filled(sy, 20)
        script = tmp_path / "worker.py"
        script.write_text(WORKER)
        process = subprocess.Popen(
            [sys.executable, str(script)],
            env={**os.environ, "SWITCHYARD_URL": server.url},
            stdout=subprocess.PIPE,
            text=True,
        )
        eventually(lambda: states(sy, pool_id).get("leased", 0) == 10)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
        said = json.loads(out)
        counts = states(sy, pool_id)
        assert counts.get("leased", 0) == 0, counts
        assert counts.get("completed", 0) == said["ended"]
        assert counts.get("ready", 0) == 20 - said["ended"]
        assert said["cancelled"] == 10 - said["ended"]


WORKER = """
import asyncio, json
from switchyard import AsyncSwitchyard

said = {"ended": 0, "cancelled": 0}

async def handler(item, context):
    try:
        await asyncio.sleep(0.5 if item["payload"] % 2 == 0 else 1000)
        said["ended"] += 1
    except asyncio.CancelledError:
        said["cancelled"] += 1
        raise

async def main():
    async with AsyncSwitchyard() as sy:
        await sy.worker("work", handler, grace_ms=3000)

asyncio.run(main())
print(json.dumps(said))
"""


def test_a_worker_of_a_paused_recipient_goes_on_when_it_is_resumed(server: Server) -> None:
    with Switchyard(server.url) as sy:
        pool_id = filled(sy, 0 or 1)
        recipient: Any = sy.recipients.create(pool_id=pool_id, name="me")
        sy.recipients.pause(recipient_id=recipient["id"])
        stop = threading.Event()
        given: Any = {"recipient": "me", "stop": stop}
        work = threading.Thread(target=sy.worker, args=(pool_id, lambda item, context: None), kwargs=given)
        work.start()
        time.sleep(1)
        assert states(sy, pool_id) == {"ready": 1}
        sy.recipients.resume(recipient_id=recipient["id"])
        eventually(lambda: states(sy, pool_id) == {"completed": 1})
        stop.set()
        work.join(30)


def test_a_lost_lease_cancels_its_handler(server: Server) -> None:
    async def main() -> None:
        cancelled = asyncio.Event()
        started = asyncio.Event()

        async def handler(item: dict[str, Any], context: Context) -> None:
            started.set()
            try:
                await asyncio.sleep(1_000)
            except asyncio.CancelledError:
                assert context.cancelled
                cancelled.set()
                raise

        async with AsyncSwitchyard(server.url) as sy:
            pool: Any = await sy.pools.create(name="work")
            enqueued: Any = await sy.items.enqueue(pool_id=pool["id"], payload=1)
            work = asyncio.create_task(sy.worker("work", handler, grace_ms=0))
            await asyncio.wait_for(started.wait(), 30)
            await sy.items.cancel(pool_id=pool["id"], queue_item_id=enqueued["item"]["id"])
            await asyncio.wait_for(cancelled.wait(), 30)
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    asyncio.run(main())


def test_a_connection_that_is_dead_without_an_end_is_noticed(server: Server, monkeypatch: Any) -> None:
    monkeypatch.setattr(_socket, "PING_EVERY", 0.5)
    with Switchyard(server.url, retries=20) as sy:
        pool_id = filled(sy, 1)
        seen: list[int] = []
        stop = threading.Event()
        work = threading.Thread(
            target=sy.worker,
            args=("work", lambda item, context: seen.append(item["payload"])),
            kwargs={"stop": stop},
        )
        work.start()
        eventually(lambda: seen == [0])
        server.pause()
        time.sleep(2)
        server.resume()
        sy.items.enqueue(pool_id=pool_id, payload=1)
        eventually(lambda: seen == [0, 1])
        stop.set()
        work.join(30)


def test_enqueue_and_wait_has_the_result_or_says_how_it_ended(server: Server) -> None:
    with Switchyard(server.url) as sy:
        pool_id = str(sy.pools.create(name="work")["id"])
        stop = threading.Event()

        def handler(item: dict[str, Any], context: Context) -> Any:
            if item["payload"] == "bad":
                raise PermanentError("no")
            return item["payload"]

        work = threading.Thread(target=sy.worker, args=("work", handler), kwargs={"stop": stop})
        work.start()
        assert sy.enqueue_and_wait(pool_id, "good")["result"] == "good"
        with pytest.raises(ItemFailed) as failed:
            sy.enqueue_and_wait(pool_id, "bad")
        assert failed.value.item["state"] == "dead"
        stop.set()
        work.join(30)


def test_consume_handles_each_record_once_over_kills(server: Server) -> None:
    records = 40 * KILLS
    run_id = "01J00000000000000000000000"

    async def main() -> None:
        seen: list[int] = []
        async with AsyncSwitchyard(server.url, retries=30, timeout_ms=60_000) as sy:
            stream: Any = await sy.streams.create(run_id=run_id, name="out", content_classes=["json"])
            of: Any = {"run_id": run_id, "stream_id": stream["id"]}

            async def handler(record: dict[str, Any]) -> None:
                seen.append(record["payload"])
                await asyncio.sleep(0.002)

            consuming = asyncio.create_task(sy.consume(**of, handler=handler, consumer="c", batch=7))
            for number in range(records):
                await sy.streams.append(**of, records=[{"payload": number}])
                if number % 40 == 20:
                    await asyncio.to_thread(server.kill)
                    await asyncio.to_thread(server.start)
            await sy.streams.close(**of)
            await asyncio.wait_for(consuming, 60)
        assert seen == list(range(records))

    asyncio.run(main())


def pruned(sy: Switchyard, name: str) -> dict[str, Any]:
    """A closed stream that keeps the records 5 to 7; the consumer `c` has acknowledged 2."""
    run_id = "01J00000000000000000000000"
    retention: Any = {"max_records": 3}
    stream: Any = sy.streams.create(run_id=run_id, name=name, content_classes=["json"], retention=retention)
    of: Any = {"run_id": run_id, "stream_id": stream["id"]}
    sy.streams.append(**of, records=[{"payload": number} for number in (1, 2)])
    sy.streams.put_consumer(**of, consumer_id="c")
    sy.streams.ack(**of, consumer_id="c", sequence=2)
    sy.streams.append(**of, records=[{"payload": number} for number in (3, 4, 5, 6, 7)])
    eventually(lambda: sy.streams.get(**of)["earliest_sequence"] == 5)
    sy.streams.close(**of)
    return dict(of)


def acknowledged(sy: Switchyard, of: dict[str, Any]) -> list[int]:
    return [consumer["acknowledged_sequence"] for consumer in sy.streams.list_consumers(**of)]


GONE = {"requested_sequence": 3, "earliest_sequence": 5, "latest_sequence": 7, "resync_reason": "retention"}


def test_records_that_were_removed_before_they_were_read_are_passed_over_as_on_gone_says(server: Server) -> None:
    seen: list[int] = []
    told: list[dict[str, Any]] = []

    def take(record: dict[str, Any]) -> None:
        seen.append(record["sequence"])

    def go_on(gone: dict[str, Any]) -> int:
        told.append(gone)
        return int(gone["earliest_sequence"]) - 1

    async def handler(record: dict[str, Any]) -> None:
        take(record)

    async def on_gone(gone: dict[str, Any]) -> int:
        return go_on(gone)

    async def consumed(of: dict[str, Any]) -> None:
        async with AsyncSwitchyard(server.url) as client:
            await asyncio.wait_for(client.consume(**of, handler=handler, consumer="c", on_gone=on_gone), 60)

    with Switchyard(server.url) as sy:
        first, second = pruned(sy, "first"), pruned(sy, "second")
        asyncio.run(consumed(first))
        assert (told, seen) == ([GONE], [5, 6, 7])
        sy.consume(**second, handler=take, consumer="c", on_gone=go_on)
        assert (told, seen) == ([GONE, GONE], [5, 6, 7, 5, 6, 7])
        assert acknowledged(sy, first) == acknowledged(sy, second) == [7]


def test_records_that_were_removed_before_they_were_read_are_an_error(server: Server) -> None:
    seen: list[Any] = []

    async def handler(record: dict[str, Any]) -> None:
        seen.append(record)

    async def consumed(of: dict[str, Any]) -> None:
        async with AsyncSwitchyard(server.url) as client:
            await client.consume(**of, handler=handler, consumer="c")

    with Switchyard(server.url) as sy:
        of = pruned(sy, "gone")
        with pytest.raises(Gone) as in_loop:
            asyncio.run(consumed(of))
        with pytest.raises(Gone) as in_threads:
            sy.consume(**of, handler=seen.append, consumer="c")
        for gone in (in_loop.value, in_threads.value):
            assert (gone.code, gone.reason, gone.status, gone.retryable) == ("CURSOR_EXPIRED", "retention", 410, False)
            assert gone.data == GONE
            assert "record 3 " in gone.detail and "sequence 5" in gone.detail
        assert seen == []
        assert acknowledged(sy, of) == [2]


def test_a_refusal_is_an_error_with_its_code(server: Server) -> None:
    with Switchyard(server.url) as sy, pytest.raises(SwitchyardError) as refused:
        sy.pools.get(pool_id="01J00000000000000000000000")
    assert (refused.value.code, refused.value.status, refused.value.retryable) == ("NOT_FOUND", 404, False)
    assert refused.value.request_id
