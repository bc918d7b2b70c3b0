"""Calls of the client for a test in another language: a line of JSON in, a line of JSON out, in order."""

from __future__ import annotations

import json
import keyword
import sys
from typing import Any

from switchyard import CallOptions, Switchyard, SwitchyardError
from switchyard._pages import Pages

clients: dict[str, Switchyard] = {}


def name_of(word: str) -> str:
    name = word.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    url = asked["url"]
    target: Any = clients.setdefault(url, Switchyard(url, retries=0))
    for word in asked["words"]:
        target = getattr(target, name_of(word))
    try:
        said = target(CallOptions(headers=asked["headers"]), **asked["request"])
        data = said.page()["data"] if isinstance(said, Pages) else said
        return {"data": data.decode() if isinstance(data, bytes) else data}
    except SwitchyardError as error:
        return {"error": {"code": error.code, "detail": error.detail}}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
