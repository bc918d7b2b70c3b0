"""Handles orders of the queue `orders` until it gets SIGTERM or SIGINT."""

import asyncio
from typing import Any

from switchyard import AsyncSwitchyard, Context, PermanentError, RetryLater


async def handle(item: dict[str, Any], context: Context) -> dict[str, Any]:
    order = item["payload"]
    if order["amount"] < 0:
        raise PermanentError("the amount is negative")
    if order["number"] == 5 and item["attempts"] == 0:
        raise RetryLater(100)
    context.progress(50, note="charging")
    return {"charged": order["amount"]}


async def main() -> None:
    async with AsyncSwitchyard() as sy:
        await sy.worker("orders", handle, concurrency=4)


asyncio.run(main())
