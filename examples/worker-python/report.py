"""Waits until every order has ended, and counts."""

from collections import Counter

from switchyard import Switchyard

with Switchyard() as sy:
    pool = sy.pools.create(name="orders", if_absent=True)
    states: Counter[str] = Counter()
    for item in list(sy.items.list(pool_id=pool["id"])):
        reached = False
        while not reached:
            answer = sy.items.await_(pool_id=pool["id"], queue_item_id=item["id"])
            reached = answer["reached"]
        states[answer["item"]["state"]] += 1
    print(", ".join(f"{count} {state}" for state, count in sorted(states.items())))
