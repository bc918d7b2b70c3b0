"""Completes the items of a pool, and says twenty times a second how many: `url pool concurrency`."""

import asyncio
import sys
from typing import Any

from switchyard import AsyncSwitchyard


async def main(url: str, pool: str, concurrency: int) -> None:
    completed = 0

    async def complete(_item: dict[str, Any], _context: object) -> None:
        nonlocal completed
        completed += 1

    async def tell() -> None:
        nonlocal completed
        while True:
            await asyncio.sleep(0.05)
            count, completed = completed, 0
            print(count, flush=True)

    async with AsyncSwitchyard(url) as sy:
        telling = asyncio.create_task(tell())
        await sy.worker(pool, complete, recipient="r", concurrency=concurrency)
        telling.cancel()


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
