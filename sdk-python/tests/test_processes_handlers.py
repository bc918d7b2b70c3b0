"""What a handler may do wrong stays with its own item: the items beside it are completed, and the worker goes on."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from switchyard import Context, PermanentError, Reject, RetryLater, Switchyard

from .server import Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    one = Server()
    try:
        one.start()
        yield one
    finally:
        one.close()


class NoText(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


class NoReject(NoText, Reject):
    pass


def deep(levels: int) -> Any:
    return 1 if levels == 0 else [deep(levels - 1)]


def raises(error: Exception) -> Callable[[], Any]:
    def handle() -> Any:
        raise error

    return handle


#: What it does, and the state, result or error of the item.
HANDLERS: dict[str, tuple[Callable[[], Any], str, Any]] = {
    "returns": (lambda: {"a": [1, "ä"]}, "completed", {"a": [1, "ä"]}),
    "tuple": (lambda: (1, 2), "completed", [1, 2]),
    "deep": (lambda: deep(59), "completed", deep(59)),
    "too deep": (lambda: deep(60), "dead", "nested deeper than 59"),
    "much too deep": (lambda: deep(900), "dead", "nested deeper than 59"),
    "proto": (lambda: {"__proto__": 1}, "dead", "__proto__"),
    "half": (lambda: "\ud83d", "dead", "surrogates"),
    "not a number": (lambda: float("nan"), "dead", "not JSON"),
    "object": (object, "dead", "not JSON"),
    "too large": (lambda: "x" * 300_000, "dead", "300002 bytes"),
    "error": (raises(ValueError("wrong")), "dead", "ValueError: wrong"),
    "half in an error": (raises(ValueError("\ud83d name")), "dead", "ValueError: ? name"),
    "long error": (raises(ValueError("ä" * 5_000)), "dead", "ää"),
    "no text": (raises(NoText()), "dead", "NoText"),
    "reject without text": (raises(NoReject()), "dead", "NoReject"),
    "permanent": (raises(PermanentError("never")), "dead", "never"),
    "reject": (raises(Reject("not mine")), "dead", "not mine"),
    "negative delay": (raises(RetryLater(-5)), "dead", "later"),
    "odd delay": (raises(RetryLater(1.5)), "dead", "later"),
    "no delay": (raises(RetryLater(float("nan"))), "dead", "later"),
    "endless delay": (raises(RetryLater(float("inf"))), "dead", "later"),
    "end of an iterator": (raises(StopIteration()), "dead", "StopIteration"),
}


@pytest.mark.parametrize("polling", [False, True])
def test_each_item_ends_as_its_own_handler_says(server: Server, polling: bool) -> None:
    with Switchyard(server.url) as sy:
        pool_id = str(sy.pools.create(name=f"handlers-{polling}", config={"max_attempts": 1})["id"])
        sy.items.enqueue_batch(pool_id=pool_id, items=[{"key": key} for key in HANDLERS])
        with working(sy, pool_id, lambda item, _: HANDLERS[item["key"]][0](), polling=polling):
            ended(sy, pool_id, len(HANDLERS))
        for item in sy.items.list(pool_id=pool_id):
            _, state, says = HANDLERS[item["key"]]
            assert item["state"] == state, item
            if state == "completed":
                assert item["result"] == says
            else:
                assert says in item["last_error"]["message"], item


#: What is said of how far it is, and what is shown of it.
PROGRESS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "long note": ({"note": "n" * 600}, {"note": "n" * 512}),
    "half a character": ({"note": "\ud83d"}, {"note": "?"}),
    "more than all": ({"percent": 150}, {"percent": 100}),
    "not a number": ({"percent": float("nan"), "note": "b"}, {"note": "b"}),
    "a set": ({"data": {1, 2}, "note": "c"}, {"note": "c"}),
    "too large": ({"data": "x" * 4_095, "note": "d"}, {"note": "d"}),
    "as large as may be": ({"data": "x" * 4_094}, {"data": "x" * 4_094}),
    "too deep": ({"data": deep(59), "note": "e"}, {"note": "e"}),
    "deep": ({"data": deep(58)}, {"data": deep(58)}),
}


@pytest.mark.parametrize("polling", [False, True])
def test_progress_that_cannot_be_sent_harms_no_item(server: Server, polling: bool) -> None:
    with Switchyard(server.url) as sy:
        pool_id = str(sy.pools.create(name=f"progress-{polling}", config={"max_attempts": 1})["id"])
        sy.items.enqueue_batch(pool_id=pool_id, items=[{"key": key} for key in PROGRESS])

        def handler(item: dict[str, Any], context: Context) -> Any:
            context.progress(**PROGRESS[item["key"]][0])
            while True:
                lease: Any = sy.items.get(pool_id=pool_id, queue_item_id=item["id"])["lease"]
                if "progress" in lease:
                    return lease["progress"]
                time.sleep(0.05)

        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            with working(sy, pool_id, handler, polling=polling):
                ended(sy, pool_id, len(PROGRESS))
        assert len([one for one in told if "without its data" in str(one.message)]) == 3
        for item in sy.items.list(pool_id=pool_id):
            shown = PROGRESS[item["key"]][1]
            assert item["state"] == "completed", item
            assert {name: item["result"].get(name) for name in shown} == shown


def test_given_a_thread_whose_lease_is_lost_then_its_place_is_taken_until_it_ends(server: Server) -> None:
    with Switchyard(server.url) as sy:
        pool_id = str(sy.pools.create(name="threads")["id"])
        lost: Any = sy.items.enqueue(pool_id=pool_id, payload="lost")["item"]
        told, may_end = threading.Event(), threading.Event()

        def handler(item: dict[str, Any], context: Context) -> Any:
            while item["payload"] == "lost" and not may_end.wait(0.05):
                if context.cancelled:
                    told.set()

        def state_of(item: Any) -> Any:
            return sy.items.get(pool_id=pool_id, queue_item_id=item["id"])["state"]

        with working(sy, pool_id, handler, concurrency=1):
            until(lambda: state_of(lost) == "leased")
            sy.items.cancel(pool_id=pool_id, queue_item_id=lost["id"])
            assert told.wait(60)
            waits: Any = sy.items.enqueue(pool_id=pool_id, payload="waits")["item"]
            time.sleep(1)
            assert state_of(waits) == "ready"
            may_end.set()
            until(lambda: state_of(waits) == "completed")
        assert state_of(lost) == "cancelled"


class working:
    """A worker with room for all items, while this is open."""

    def __init__(self, sy: Switchyard, pool: str, handler: Callable[..., Any], **given: Any) -> None:
        self.stop = threading.Event()
        given = {"stop": self.stop, "concurrency": 40, **given}
        self.thread = threading.Thread(target=sy.worker, args=(pool, handler), kwargs=given, daemon=True)

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join(60)
        assert not self.thread.is_alive()


def ended(sy: Switchyard, pool_id: str, count: int) -> None:
    def all_are() -> bool:
        states: Any = sy.queues.status(pool_id=pool_id)["by_state"]
        return bool(states["completed"] + states["dead"] == count)

    until(all_are)


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "it does not come true"
        time.sleep(0.05)
