"""Puts ten orders into the queue `orders`. An order that is there already (`dedup_id`) is not put there again."""

from switchyard import Switchyard

with Switchyard() as sy:
    pool = sy.pools.create(name="orders", if_absent=True)
    for number in range(10):
        payload = {"number": number, "amount": -1 if number == 3 else number * 10}
        sy.items.enqueue(pool_id=pool["id"], payload=payload, dedup_id=f"order-{number}")
