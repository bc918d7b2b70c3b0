"""Answers questions of the queue `calculator` until it gets SIGTERM or SIGINT."""

import asyncio
from typing import Any

from switchyard import AsyncSwitchyard, Context


async def answer(item: dict[str, Any], context: Context) -> dict[str, Any]:
    question = item["payload"]
    return {"product": question["a"] * question["b"]}


async def main() -> None:
    async with AsyncSwitchyard() as sy:
        await sy.worker("calculator", answer)


asyncio.run(main())
