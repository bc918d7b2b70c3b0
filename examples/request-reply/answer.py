"""Answers questions of the queue `calculator` until it gets SIGTERM or SIGINT."""

import asyncio

from switchyard import AsyncSwitchyard


async def answer(item, context):
    question = item["payload"]
    return {"product": question["a"] * question["b"]}


async def main():
    async with AsyncSwitchyard() as sy:
        await sy.worker("calculator", answer)


asyncio.run(main())
