import test from "ava";
import { History, type HistoryOptions, type StoredItem } from "./history.ts";

const at = (beganMs: number, endedMs = beganMs + 10) => ({ beganMs, endedMs });

/**
 * Two items of one client: the first is leased twice and then completed; a register is written and read. Nothing is
 * wrong.
 */
function sound(options: HistoryOptions = { leaseMs: 2_000 }) {
  const history = new History(options);
  for (const [key, id] of [
    ["k1", "01A"],
    ["k2", "01B"],
  ] as const) {
    history.enqueues(key, "pool", 0);
    history.enqueued(key, id);
  }
  history.leased("01A", { token: "t1", ...at(1_000) });
  history.leased("01A", { token: "t2", ...at(3_100) });
  history.settled("01A", { token: "t2", state: "completed", ...at(3_200) });
  for (const [value, beganMs] of [
    [1, 1_000],
    [2, 2_000],
  ] as const) {
    history.writes("r", value, beganMs);
    history.written("r", { value, ...at(beganMs) });
  }
  history.read("r", { value: 1, ...at(1_500) });
  history.read("r", { value: 2, ...at(9_000) });
  const stored: StoredItem[] = [
    { id: "01A", key: "k1", state: "completed" },
    { id: "01B", key: "k2", state: "ready" },
  ];
  return { history, stored };
}

test("a consistent history has no broken promise", (t) => {
  const { history, stored } = sound();
  t.deepEqual(history.check(stored), []);
});

const violations: Record<string, [RegExp, (one: ReturnType<typeof sound>) => void]> = {
  "an acknowledged item is not stored": [/k2 was lost/, ({ stored }) => void stored.pop()],
  "an item is stored twice": [
    /k2 is there 2 times/,
    ({ stored }) => void stored.push({ id: "01C", key: "k2", state: "ready" }),
  ],
  "a repeated enqueue is acknowledged with another id": [
    /k2 was acknowledged with 2 ids/,
    ({ history }) => history.enqueued("k2", "01C"),
  ],
  "a completed item is ready again": [
    /k1 was completed and is ready/,
    ({ stored }) => void stored.splice(0, 1, { id: "01A", key: "k1", state: "ready" }),
  ],
  "the later of two items of one client is stored before the earlier": [
    /k3 \(010\) is before 01B/,
    ({ history, stored }) => {
      history.enqueues("k3", "pool", 0);
      history.enqueued("k3", "010");
      stored.push({ id: "010", key: "k3", state: "ready" });
    },
  ],
  "one lease is given to two claims": [
    /one lease of 01B was given to two claims/,
    ({ history }) => {
      history.leased("01B", { token: "t3", ...at(1_000) });
      history.leased("01B", { token: "t3", ...at(9_000) });
    },
  ],
  "an item is leased to a second worker while the first holds it": [
    /01B was leased to a second worker 890 ms too early/,
    ({ history }) => {
      history.leased("01B", { token: "t3", ...at(1_000) });
      history.leased("01B", { token: "t4", ...at(2_000) });
    },
  ],
  "an old lease settles an item after a new one was given": [
    /01B was settled by a lease and leased again after it/,
    ({ history, stored }) => {
      history.leased("01B", { token: "t3", ...at(1_000) });
      history.leased("01B", { token: "t4", ...at(9_000) });
      history.settled("01B", { token: "t3", state: "completed", ...at(9_100) });
      stored.splice(1, 1, { id: "01B", key: "k2", state: "completed" });
    },
  ],
  "two leases settle one item": [
    /01A was settled by 2 leases/,
    ({ history }) => history.settled("01A", { token: "t1", state: "completed", ...at(3_300) }),
  ],
  "an old owner answers a read long after the new one has acknowledged a write": [
    /r: 1 was read more than 2000 ms after 2 was acknowledged/,
    ({ history }) => history.read("r", { value: 1, ...at(4_100) }),
  ],
  "a read shows what was not yet written": [
    /r: 2 was read before it was written/,
    ({ history }) => history.read("r", { value: 2, ...at(1_800) }),
  ],
};

for (const [name, [sentence, plant]] of Object.entries(violations))
  test(`the checker finds: ${name}`, (t) => {
    const planted = sound();
    plant(planted);
    const broken = planted.history.check(planted.stored);
    t.true(
      broken.some((one) => sentence.test(one)),
      broken.join("; "),
    );
  });

test("with wrong clocks, leases are checked by their tokens only", (t) => {
  const { history, stored } = sound({});
  history.leased("01B", { token: "t3", ...at(1_000) });
  history.leased("01B", { token: "t4", ...at(2_000) });
  t.deepEqual(history.check(stored), []);
});
