"""What needs no server: errors, retries, requests, settings, events."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from switchyard import CallOptions, SwitchyardError
from switchyard._call import Answer, encode, pause_of, steps_of
from switchyard._errors import error_of
from switchyard._methods import METHODS
from switchyard._settings import settings_of
from switchyard._sse import EventReader
from switchyard._transport import _Contract

POOL = "01J00000000000000000000000"


def test_a_request_is_taken_apart_into_path_query_and_body() -> None:
    assert encode(METHODS["PoolService.GetPool"], {"pool_id": "a/b"})[0] == "/api/pools/a%2Fb"
    path, headers, body = encode(METHODS["PoolService.CreatePool"], {"name": "ä"})
    assert (path, body, headers["content-type"]) == ("/api/pools", '{"name": "ä"}'.encode(), "application/json")
    listed = encode(METHODS["QueueService.ListItems"], {"pool_id": POOL, "limit": 2, "states": ["ready", "dead"]})
    assert listed[0] == f"/api/queues/{POOL}/items?limit=2&states=ready&states=dead"
    for steps in ({}, {"pool_id": None}, {"pool_id": ".."}):
        with pytest.raises(TypeError, match="needs pool_id"):
            encode(METHODS["PoolService.GetPool"], steps)


def test_null_is_sent_in_a_body_where_it_is_a_value_or_resets_and_left_out_of_a_query() -> None:
    _, _, body = encode(METHODS["QueueService.Enqueue"], {"pool_id": POOL, "payload": None})
    assert body == b'{"payload": null}'
    assert encode(METHODS["PoolService.ListPools"], {"name": None})[0] == "/api/pools"
    _, _, body = encode(METHODS["PoolService.UpdatePool"], {"pool_id": POOL, "description": None})
    assert body == b'{"description": null}'


def _played(method: str, answers: list[Any], options: CallOptions | None = None) -> list[Any]:
    """What is sent, with what each answer is given; the last entry is the result or the error."""
    clock = [0.0]
    request: dict[str, Any] = {"pool_id": POOL, "queue_item_id": POOL, "name": "x", "lease_token": "t"}
    steps = steps_of(method, request, options, timeout=30, retries=5, now=lambda: clock[0])
    said: list[Any] = []
    try:
        step = next(steps)
        while True:
            if step[0] == "pause":
                clock[0] += step[1]
                step = next(steps)
            else:
                said.append(step[1])
                step = steps.send(answers.pop(0))
    except StopIteration as done:
        return [*said, done.value]
    except SwitchyardError as error:
        return [*said, error]


UNAVAILABLE = Answer(503, b'{"errorCode": "UNAVAILABLE", "retryable": true}')
FINE = Answer(200, b'{"data": {}}')


def test_what_may_succeed_later_is_repeated_with_the_same_key() -> None:
    first, second, answer = _played("PoolService.CreatePool", [UNAVAILABLE, FINE])
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert answer is FINE
    own = _played("PoolService.CreatePool", [FINE], CallOptions(idempotency_key="mine"))
    assert own[0].headers["idempotency-key"] == "mine"
    capital = _played("PoolService.CreatePool", [FINE], CallOptions(headers={"Idempotency-Key": "mine"}))
    assert (capital[0].headers["idempotency-key"], "Idempotency-Key" in capital[0].headers) == ("mine", False)


def test_what_is_refused_is_not_repeated_and_at_most_five_times_is_anything() -> None:
    refused = _played("PoolService.CreatePool", [Answer(400, b"{}")])
    assert len(refused) == 2 and refused[1].code == "INVALID_ARGUMENT"
    assert len(_played("PoolService.CreatePool", [UNAVAILABLE] * 9)) == 7


def test_a_method_without_a_key_or_a_token_is_sent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    once = replace(METHODS["PoolService.CreatePool"], repeat=None)
    monkeypatch.setitem(METHODS, once.id, once)
    answers = _played(once.id, [UNAVAILABLE, FINE])
    assert len(answers) == 2 and answers[1].code == "UNAVAILABLE"


def test_the_server_says_how_long_to_wait() -> None:
    assert pause_of(3, error_of({"retry_after_ms": 1_500, "retryable": True})) == 1.5
    assert 0 <= pause_of(0, error_of({}), lambda: 1.0) <= 0.1
    assert pause_of(20, error_of({}), lambda: 1.0) == 5.0


def test_a_proxy_in_between_has_the_code_of_its_status() -> None:
    error = error_of(None, 502)
    assert (error.code, error.retryable) == ("UNAVAILABLE", True)


def test_events_are_read_in_any_parts() -> None:
    text = "id: 1\r\nevent: record\r\ndata: {\"n\":\r\ndata: 1}\r\n\r\n: comment\r\nid: 2\r\ndata: ä\r\n\r\n".encode()
    for size in (1, 2, 3, 7, 100):
        reader = EventReader()
        events = [one for at in range(0, len(text), size) for one in reader.feed(text[at : at + size])]
        assert [(one.event, one.data, one.id) for one in events] == [("record", {"n": 1}, "1"), ("message", "ä", "2")]


def test_settings_come_from_options_then_variables_then_the_context(tmp_path: Path) -> None:
    folder = tmp_path / "switchyard"
    folder.mkdir()
    (folder / "contexts.yaml").write_text(
        "current: a\ncontexts:\n  a:\n    url: http://a\n    tenant: T\n    api_key_command: echo from-command\n"
    )
    variables = {"XDG_CONFIG_HOME": str(tmp_path), "SWITCHYARD_TENANT": "V"}
    stored = settings_of(context="a", variables=variables)
    assert (stored.url, stored.tenant, stored.api_key) == ("http://a", "T", "from-command")
    given = settings_of("http://b/", context="a", token=lambda: "t", variables=variables)
    elsewhere = {**variables, "SWITCHYARD_URL": "http://c", "SWITCHYARD_API_KEY": "other", "SWITCHYARD_TENANT": "U"}
    named = settings_of(context="a", variables=elsewhere)
    assert (named.url, named.tenant, named.api_key) == ("http://a", "T", "from-command")
    variable = settings_of(variables={**elsewhere, "SWITCHYARD_CONTEXT": "a"})
    assert (variable.url, variable.tenant, variable.api_key) == ("http://c", "U", "other")
    assert settings_of("http://b", context="a", variables=variables).api_key is None, "a key is for its own service"
    assert (given.url, given.api_key, given.headers()["authorization"]) == ("http://b", None, "Bearer t")
    with pytest.raises(TypeError, match='no context "b"'):
        settings_of(context="b", variables=variables)
    with pytest.raises(TypeError, match="not both"):
        settings_of(api_key="k", token=lambda: "t")


def test_a_server_with_another_contract_is_told_of_once() -> None:
    contract = _Contract()
    with pytest.warns(UserWarning, match="the server has the contract 000000000000"):
        contract.compare(httpx.Headers({"x-contract": "000000000000"}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        contract.compare(httpx.Headers({"x-contract": "000000000000"}))
        _Contract().compare(httpx.Headers({}))
