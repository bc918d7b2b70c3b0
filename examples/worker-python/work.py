"""Handles orders of the queue `orders` until it gets SIGTERM or SIGINT."""

import asyncio

from switchyard import AsyncSwitchyard, PermanentError, RetryLater


async def handle(item, context):
    order = item["payload"]
    if order["amount"] < 0:
        raise PermanentError("the amount is negative")
    if order["number"] == 5 and item["attempts"] == 0:
        raise RetryLater(100)
    context.progress(50, note="charging")
    return {"charged": order["amount"]}


async def main():
    async with AsyncSwitchyard() as sy:
        await sy.worker("orders", handle, concurrency=4)


asyncio.run(main())
