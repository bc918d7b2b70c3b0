"""What a server, a proxy or a caller may do wrong, and must not make worse: secrets, redirects, endless answers, ended tokens."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from switchyard import AsyncSwitchyard, CallOptions, Switchyard, SwitchyardError
from switchyard._consume import consume
from switchyard._errors import connection_lost
from switchyard._settings import settings_of
from switchyard._socket import Link
from switchyard._sse import EVENT_LENGTH_MAX, EventReader
from switchyard._worker import Worker, WorkerOptions, grouped

KEY = "swk_the-secret"


@contextmanager
def answering(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer(self)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def events(request: BaseHTTPRequestHandler, *said: tuple[str, object]) -> None:
    request.send_response(200)
    request.send_header("content-type", "text/event-stream")
    request.send_header("connection", "close")
    request.end_headers()
    for event, data in said:
        request.wfile.write(f"event: {event}\ndata: {json.dumps(data)}\n\n".encode())
    request.close_connection = True


def refused(code: str) -> dict[str, object]:
    return {"errorCode": code, "detail": "said by the server", "retryable": False}


@pytest.mark.parametrize("key", [f"{KEY}\n", f"  {KEY}\r\n"])
def test_a_key_with_blanks_around_it_is_sent_without_them(key: str) -> None:
    assert settings_of(api_key=key, variables={}).headers()["x-api-key"] == KEY


@pytest.mark.parametrize("key", [f"{KEY}\nx", f"{KEY}\0", f"{KEY}…"])
def test_a_credential_that_no_header_may_have_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(TypeError) as raised:
        settings_of(api_key=key, variables={})
    assert KEY not in str(raised.value)
    with Switchyard("http://127.0.0.1:1", token=lambda: key) as sy:
        with pytest.raises(SwitchyardError) as error:
            sy.whoami()
    assert error.value.code == "UNAUTHENTICATED" and KEY not in str(error.value)


def test_settings_do_not_show_the_key() -> None:
    assert KEY not in repr(settings_of(api_key=KEY, variables={}))


def test_the_key_of_a_context_goes_to_the_service_of_that_context_only(tmp_path: Path) -> None:
    (tmp_path / "switchyard").mkdir()
    contexts = f"contexts:\n  a:\n    url: http://a:8080/\n    api_key: {KEY}\n"
    (tmp_path / "switchyard/contexts.yaml").write_text(contexts)
    variables = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert settings_of(context="a", variables=variables).api_key == KEY
    assert settings_of("http://A:8080", context="a", variables=variables).api_key == KEY
    for other in ("http://b:8080", "http://a:8081", "https://a:8080", "http://a:8080.evil.example"):
        assert settings_of(other, context="a", variables=variables).api_key is None
    stray = {**variables, "SWITCHYARD_CONTEXT": "a", "SWITCHYARD_URL": "http://b"}
    assert settings_of(variables=stray).api_key is None


def test_a_redirect_is_not_followed_with_the_credential() -> None:
    asked: list[str] = []

    def elsewhere(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        request.send_error(404)

    with answering(elsewhere) as other:

        def redirect(request: BaseHTTPRequestHandler) -> None:
            request.send_response(302)
            request.send_header("location", f"{other}{request.path}")
            request.send_header("content-length", "0")
            request.end_headers()

        with answering(redirect) as url:
            with Switchyard(url, api_key=KEY, retries=0) as sy, pytest.raises(SwitchyardError):
                sy.whoami()

            async def open_link() -> None:
                with pytest.raises(SwitchyardError):
                    await Link.open(settings_of(url, api_key=KEY), "RoutingService/RouteStream")

            asyncio.run(open_link())
    assert asked == []


@pytest.mark.parametrize("text", ["data: " + "x" * 1_000, "data: x\n" * 100])
def test_an_event_without_an_end_is_given_up(text: str) -> None:
    reader = EventReader()
    with pytest.raises(SwitchyardError, match="PAYLOAD_TOO_LARGE"):
        for _ in range(EVENT_LENGTH_MAX // 100):
            list(reader.feed(text.encode()))


def test_events_of_a_credential_that_ended_go_on_with_its_next_one() -> None:
    tokens: list[str] = []
    said = {"reading": [{"record": 1}, {"record": 2}]}

    def stream(request: BaseHTTPRequestHandler) -> None:
        tokens.append(str(request.headers["authorization"]))
        assert request.headers["x-of-the-call"] == "yes"
        if len(tokens) == 1:
            events(request, ("record", said["reading"][0]), ("error", refused("UNAUTHENTICATED")))
        elif len(tokens) == 2:
            events(request, ("record", said["reading"][1]), ("error", refused("PERMISSION_DENIED")))

    with answering(stream) as url, Switchyard(url, token=lambda: f"t{len(tokens)}") as sy:
        options = CallOptions(headers={"x-of-the-call": "yes"})
        following = iter(sy.streams.subscribe(options, run_id="r", stream_id="s"))
        assert [next(following).data, next(following).data] == said["reading"]
        with pytest.raises(SwitchyardError, match="PERMISSION_DENIED"):
            next(following)
    assert tokens == ["Bearer t0", "Bearer t1"]


def test_events_are_not_asked_for_again_with_a_credential_that_is_refused() -> None:
    asked: list[str] = []

    def stream(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        body = json.dumps(refused("UNAUTHENTICATED")).encode()
        request.send_response(401)
        request.send_header("content-length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    with answering(stream) as url, Switchyard(url, api_key=KEY) as sy:
        with pytest.raises(SwitchyardError, match="UNAUTHENTICATED"):
            next(iter(sy.streams.subscribe(run_id="r", stream_id="s")))
    assert len(asked) == 1


class Door:
    """A connection that ends in one way."""

    def __init__(self, ends: SwitchyardError) -> None:
        self.ends = ends

    async def receive(self) -> dict[str, Any] | None:
        raise self.ends

    async def hello(self, credit: int) -> None: ...
    async def credit(self, items: int) -> None: ...
    async def settle(self, settlements: list[dict[str, Any]]) -> None: ...
    async def extend(self, leases: list[dict[str, Any]]) -> None: ...
    async def finish(self) -> None: ...
    async def close(self) -> None: ...


@pytest.mark.parametrize(
    ("ends", "opened"),
    [(["UNAUTHENTICATED", "UNAUTHENTICATED"], 2), (["UNAUTHENTICATED", "UNAVAILABLE", "PERMISSION_DENIED"], 3)],
)
def test_a_worker_whose_token_ended_connects_with_the_next_one(ends: list[str], opened: int) -> None:
    doors: list[Door] = []

    async def open_door(_: bool) -> Door:
        code = ends[len(doors)]
        doors.append(Door(SwitchyardError(code, "said", retryable=code == "UNAVAILABLE")))
        return doors[-1]

    async def nothing(*_: Any) -> None: ...

    async def main() -> None:
        with pytest.raises(SwitchyardError, match=ends[-1]):
            await Worker(nothing, WorkerOptions(), open_door, nothing).run()

    asyncio.run(main())
    assert len(doors) == opened


def test_settlements_are_sent_in_messages_that_the_server_reads() -> None:
    results = [{"queue_item_id": str(number), "result": "x" * 250_000} for number in range(50)]
    groups = grouped(results, 1_000)
    assert [one for group in groups for one in group] == results
    assert all(len(json.dumps(group)) < 4 * 1_024 * 1_024 for group in groups)
    assert [len(group) for group in grouped([{"n": n} for n in range(250)], 100)] == [100, 100, 50]


def test_a_consumer_outlives_a_server_that_takes_no_acknowledgement_for_a_while() -> None:
    acknowledged: list[int] = []
    failures = [connection_lost("gone")] * 3

    class Streams:
        async def put_consumer(self, **_: Any) -> dict[str, int]:
            return {"acknowledged_sequence": 0}

        async def ack(self, *, sequence: int, **_: Any) -> None:
            if failures:
                raise failures.pop()
            acknowledged.append(sequence)

    def stream(request: BaseHTTPRequestHandler) -> None:
        events(request, *[("record", {"sequence": n}) for n in (1, 2, 3)], ("end", {}))

    handled: list[int] = []

    async def handler(record: dict[str, Any]) -> None:
        handled.append(record["sequence"])

    async def main(url: str) -> None:
        async with AsyncSwitchyard(url) as sy:
            client: Any = type("Client", (), {"streams": Streams(), "_transport": sy._transport})
            await consume(client, "r", "s", handler, consumer="c", batch=1)

    with answering(stream) as url:
        asyncio.run(main(url))
    assert handled == [1, 2, 3]
    assert acknowledged[-1] == 3


def test_a_message_is_not_waited_with_when_the_stream_has_ended() -> None:
    from websockets.asyncio.server import ServerConnection, serve

    async def answer(connection: ServerConnection) -> None:
        await connection.recv()
        await connection.send(json.dumps({"error": refused("NOT_FOUND")}))

    async def main() -> None:
        async with serve(answer, "127.0.0.1", 0, subprotocols=["service.v1.json"]) as server:  # type: ignore[list-item]
            port = server.sockets[0].getsockname()[1]
            link = await Link.open(settings_of(f"http://127.0.0.1:{port}"), "RoutingService/RouteStream")
            sending = asyncio.create_task(link.send({"ref": "1"}))
            with pytest.raises(SwitchyardError, match="NOT_FOUND"):
                await link.receive()
            with pytest.raises(SwitchyardError, match="NOT_FOUND"):
                await asyncio.wait_for(sending, 5)
            await link.close()

    asyncio.run(main())
