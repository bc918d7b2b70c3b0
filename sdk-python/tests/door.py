"""Calls of the client for a test in another language: a line of JSON in, a line of JSON out, in order."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import keyword
import sys
from typing import Any

from switchyard import AsyncSwitchyard, CallOptions, Switchyard, SwitchyardError
from switchyard._pages import Pages

clients: dict[str, Switchyard] = {}


def name_of(word: str) -> str:
    name = word.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def called(asked: dict[str, Any]) -> Any:
    url = asked["url"]
    target: Any = clients.setdefault(url, Switchyard(url, retries=0))
    for word in asked["words"]:
        target = getattr(target, name_of(word))
    request = asked["request"]
    if "data" in asked:
        request["data"] = base64.b64decode(asked["data"])
    said = target(CallOptions(headers=asked["headers"]), **request)
    if asked.get("events"):
        events = itertools.islice(said, asked.get("take"))
        if asked["words"][0] == "events":
            return [{"cursor": event.id, "event": event.data} for event in events]
        return [{event.event: event.data} for event in events]
    data = said.page()["data"] if isinstance(said, Pages) else said
    return base64.b64encode(data).decode() if isinstance(data, bytes) else data


async def conversed(asked: dict[str, Any]) -> list[Any]:
    async with AsyncSwitchyard(asked["url"]) as sy:
        link = await sy.open(asked["open"], CallOptions(headers=asked["headers"]))

        async def send() -> None:
            for message in asked["messages"]:
                await link.send(message)
            if "take" not in asked:
                await link.end()

        sending = asyncio.create_task(send())
        answers: list[Any] = []
        try:
            while len(answers) != asked.get("take") and (answer := await link.receive()) is not None:
                answers.append(answer)
            return answers
        finally:
            sending.cancel()
            await link.close()


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"data": asyncio.run(conversed(asked)) if "open" in asked else called(asked)}
    except SwitchyardError as error:
        return {"error": {"code": error.code, "detail": error.detail}}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
