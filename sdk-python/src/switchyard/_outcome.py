"""What a handler did, as the server takes it. What cannot be sent stays with its own item."""

from __future__ import annotations

import json
import math
import re
import traceback
import warnings
from contextlib import suppress
from typing import Any

#: As the server takes them.
RESULT_BYTES = 256 * 1024
ERROR_LENGTH = 4_096
ERROR_TYPE_LENGTH = 128
NOTE_LENGTH = 512
DATA_BYTES = 4 * 1024
DELAY_MS = 86_400_000
#: The server reads 64 levels; the frame and its settlement are five of them, those of progress six.
RESULT_DEPTH = 59


class PermanentError(Exception):
    """Raise it where a further try would fail too."""


class RetryLater(Exception):
    """Raise it to be given the item again after so long."""

    def __init__(self, delay_ms: float, message: str = "later") -> None:
        super().__init__(message)
        self.delay_ms = delay_ms


class Reject(Exception):
    """Raise it where the item is not for this recipient."""


def completion(result: Any) -> dict[str, Any]:
    """A result that cannot be sent will not be better next time."""
    if result is None:
        return {"outcome": "complete"}
    try:
        size = _size(result, RESULT_DEPTH)
    except ValueError as error:
        return unsendable(f"the result is not JSON: {error}")
    if size > RESULT_BYTES:
        return unsendable(f"the result has {size} bytes, {RESULT_BYTES} are allowed")
    return {"outcome": "complete", "result": result}


def failure(error: Exception) -> dict[str, Any]:
    """What an exception makes of the item."""
    told: dict[str, Any] = {
        "outcome": "reject" if isinstance(error, Reject) else "fail",
        "error": _text(_said(error), ERROR_LENGTH),
        "error_type": _text(type(error).__name__, ERROR_TYPE_LENGTH),
    }
    if isinstance(error, PermanentError):
        return {**told, "retryable": False}
    delay = error.delay_ms if isinstance(error, RetryLater) else None
    if isinstance(delay, (int, float)) and not math.isnan(delay):
        told["delay_ms"] = int(min(max(0, delay), DELAY_MS))
    return told


def unsendable(why: str) -> dict[str, Any]:
    return {
        "outcome": "fail",
        "error": _text(why, ERROR_LENGTH),
        "error_type": "ResultRefused",
        "retryable": False,
    }


def sendable_progress(percent: float | None, note: str | None, data: Any) -> dict[str, Any]:
    """Progress is for people who look on, and harms no item: what the server would refuse is cut or left out."""
    shown: dict[str, Any] = {}
    if isinstance(percent, (int, float)) and not math.isnan(percent):
        shown["percent"] = min(100, max(0, percent))
    if note is not None:
        shown["note"] = _text(str(note), NOTE_LENGTH)
    if data is None:
        return shown
    try:
        size = _size(data, RESULT_DEPTH - 1)
        if size > DATA_BYTES:
            raise ValueError(f"they have {size} bytes as JSON, {DATA_BYTES} are allowed")
        # Text: a handler may go on to change what it gave.
        shown["data"] = json.loads(json.dumps(data))
    except ValueError as error:
        warnings.warn(f"progress is sent without its data: {error}", stacklevel=3)
    return shown


def _size(value: Any, depth: int) -> int:
    """In bytes, as JSON; a ValueError where the server would not read it."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(str(error)) from error
    if '"__proto__":' in text:
        raise ValueError("it has the key __proto__")
    if len(text) > 2 * depth and _depth(text) > depth:
        raise ValueError(f"it is nested deeper than {depth}")
    return size


def _depth(text: str) -> int:
    depth = deepest = 0
    for mark in re.findall(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text):
        if mark in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "]}":
            depth -= 1
    return deepest


def _said(error: Exception) -> str:
    """Also of an exception that has no text: its `__str__` may raise one of its own."""
    if isinstance(error, (PermanentError, Reject, RetryLater)):
        with suppress(Exception):
            return str(error)
    return "".join(traceback.format_exception_only(error)).strip()


def _text(text: str, length: int) -> str:
    """Without halves of characters, such as names of files have, and no longer than the server takes."""
    return text[:length].encode("utf-8", "replace").decode()
