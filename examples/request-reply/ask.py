"""Asks the queue `calculator` for the product of two numbers, and waits for the answer."""

import sys

from switchyard import ItemFailed, Switchyard

a, b = int(sys.argv[1]), int(sys.argv[2])

with Switchyard() as sy:
    pool = sy.pools.create(name="calculator", if_absent=True)
    try:
        item = sy.enqueue_and_wait(pool["id"], {"a": a, "b": b}, timeout_ms=60_000)
    except ItemFailed as failed:
        sys.exit(f"no answer: {failed}")
    print(f"{a} * {b} = {item['result']['product']}")
