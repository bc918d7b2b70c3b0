"""Server-sent events, as the HTML standard has them."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


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
        self._rest = ""
        self._event = ""
        self._data: list[str] = []
        self._id = ""

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        text = self._rest + self._decoder.decode(chunk)
        # A CR at the end may be the first half of CR LF.
        held = "\r" if text.endswith("\r") else ""
        lines = text.removesuffix(held).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._rest = lines.pop() + held
        for line in lines:
            if line == "":
                if self._data:
                    yield ServerEvent(self._event or "message", _parsed("\n".join(self._data)), self._id)
                self._event, self._data = "", []
                continue
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                self._event = value
            elif name == "data":
                self._data.append(value)
            elif name == "id" and "\0" not in value:
                self._id = value


def _parsed(data: str) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data
