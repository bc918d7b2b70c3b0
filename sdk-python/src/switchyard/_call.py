"""One call, without a socket: what is sent, and what comes after an answer. Both clients drive it."""

from __future__ import annotations

import json
import random
import time
import uuid
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote, urlencode

from ._errors import SwitchyardError, error_of, timed_out
from ._methods import METHODS, Method

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
#: What the server adds to its own wait before it gives up.
WAIT_MORE = 5.0


@dataclass(frozen=True)
class CallOptions:
    """What a caller may say of one call."""

    timeout_ms: int | None = None
    #: Default: a new one. Give one of your own to repeat a call from another process.
    idempotency_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """The caller's count, however they write the names: of two names the platform would send both."""
        object.__setattr__(self, "headers", {name.lower(): value for name, value in self.headers.items()})


@dataclass(frozen=True)
class Request:
    verb: str
    #: With its query.
    path: str
    headers: Mapping[str, str]
    content: bytes | None
    #: Until the deadline of the call, in seconds.
    timeout: float


@dataclass(frozen=True)
class Answer:
    status: int
    content: bytes


#: What a driver does: send the request and come back with the answer or the error, or pause so many seconds.
Step = tuple[Literal["send"], Request] | tuple[Literal["pause"], float]
Steps = Generator[Step, Any, Answer]


def encode(method: Method, request: Mapping[str, Any]) -> tuple[str, dict[str, str], bytes | None]:
    """Path with query, headers and body."""
    rest = dict(request)
    headers: dict[str, str] = {}
    for name in method.headers:
        value = rest.pop(name.lower().removeprefix("x-").replace("-", "_"), None)
        if value is not None:
            headers[name] = str(value)
    path = method.path
    for name in method.in_path:
        if rest.get(name) in (None, "", ".", ".."):
            raise TypeError(f"{method.id} needs {name}, and not a step in an address")
        path = path.replace("{" + name + "}", quote(str(rest.pop(name)), safe=""))
    if method.upload:
        data = rest.pop("data", b"")
        return path, {**headers, "content-type": "application/octet-stream"}, bytes(data)
    if method.body is None:
        pairs = [pair for name, value in rest.items() for pair in _query(name, value)]
        return path + (f"?{urlencode(pairs)}" if pairs else ""), headers, None
    body = rest if method.body == "*" else rest.get(method.body, {})
    text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    return path, {**headers, "content-type": "application/json"}, text.encode()


def _query(name: str, value: object) -> list[tuple[str, str]]:
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [pair for key, inner in value.items() for pair in _query(f"{name}.{key}", inner)]
    if isinstance(value, (list, tuple)):
        return [pair for inner in value for pair in _query(name, inner)]
    if isinstance(value, bool):
        return [(name, "true" if value else "false")]
    return [(name, str(value))]


def pause_of(tries: int, error: SwitchyardError, draw: Callable[[], float] = random.random) -> float:
    """What the server asks for, else full jitter under a bound that doubles."""
    if error.retry_after_ms:
        return error.retry_after_ms / 1000
    return draw() * min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**tries)


def steps_of(
    method_id: str,
    request: Mapping[str, Any],
    options: CallOptions | None,
    *,
    timeout: float,
    retries: int,
    now: Callable[[], float] = time.monotonic,
) -> Steps:
    """The one retry rule: what may succeed later is repeated, with growing pauses, within the deadline."""
    method = METHODS[method_id]
    options = options or CallOptions()
    path, headers, content = encode(method, request)
    key = {"idempotency-key": options.idempotency_key or str(uuid.uuid4())} if method.repeat == "key" else {}
    headers = {**headers, **key, **options.headers}
    if options.timeout_ms is not None:
        timeout = options.timeout_ms / 1000
    elif method.wait is not None:
        timeout = max(timeout, float(request.get(method.wait[0]) or 0) * method.wait[1] + WAIT_MORE)
    deadline = now() + timeout
    tries = 0
    while True:
        left = deadline - now()
        error = timed_out(timeout)
        if left > 0:
            answer = yield ("send", Request(method.verb, path, headers, content, left))
            if isinstance(answer, Answer) and answer.status < 300:
                return answer
            error = answer if isinstance(answer, SwitchyardError) else error_of(_json(answer.content), answer.status)
        if method.repeat is None or tries >= retries or not error.retryable:
            raise error
        pause = pause_of(tries, error)
        if now() + pause >= deadline:
            raise error
        yield ("pause", pause)
        tries += 1


def _json(content: bytes) -> object:
    try:
        return json.loads(content)
    except ValueError:
        return None


def result_of(method_id: str, answer: Answer) -> Any:
    """What the caller gets: without the envelope; of a list its page, whole."""
    method = METHODS[method_id]
    if method.download:
        return answer.content
    if method.envelope == "none":
        parsed = _json(answer.content)
        return answer.content if parsed is None else parsed
    body = _json(answer.content)
    if not isinstance(body, dict):
        raise error_of(None, 502)
    return body if method.items is not None else body["data"]
