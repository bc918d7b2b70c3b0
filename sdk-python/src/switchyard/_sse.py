"""Server-sent events, as the HTML standard has them."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ._errors import SwitchyardError

#: Fifty pools with a hundred recipients each are a quarter of it. What is longer does not come from our server.
EVENT_LENGTH_MAX = 4 * 1_024 * 1_024


@dataclass(frozen=True)
class ServerEvent:
    event: str
    data: Any
    #: The last id that was sent so far.
    id: str


class EventReader:
    """Takes the bytes of a stream as they come and gives its events."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        #: Of a line whose end has not come.
        self._parts: list[str] = []
        self._rest_length = 0
        self._event = ""
        self._data: list[str] = []
        self._length = 0
        self._id = ""

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        text = self._decoder.decode(chunk)
        # A CR at the end may be the first half of CR LF.
        waits = bool(self._parts) and self._parts[-1].endswith("\r")
        self._parts.append(text)
        self._rest_length += len(text)
        if not waits and "\n" not in text and "\r" not in text:
            self._bound(self._rest_length)
            return
        text = "".join(self._parts)
        held = "\r" if text.endswith("\r") else ""
        lines = text.removesuffix(held).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._parts = [lines.pop() + held]
        self._rest_length = len(self._parts[0])
        self._bound(self._rest_length)
        for line in lines:
            self._length += len(line)
            self._bound(self._length)
            if line == "":
                if self._data:
                    yield ServerEvent(self._event or "message", _parsed("\n".join(self._data)), self._id)
                self._event, self._data, self._length = "", [], 0
                continue
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                self._event = value
            elif name == "data":
                self._data.append(value)
            elif name == "id" and "\0" not in value:
                self._id = value

    def _bound(self, length: int) -> None:
        """The next connection would bring the same event: it is not opened."""
        if length > EVENT_LENGTH_MAX:
            raise SwitchyardError("PAYLOAD_TOO_LARGE", f"an event has more than {EVENT_LENGTH_MAX} characters")


def _parsed(data: str) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data
