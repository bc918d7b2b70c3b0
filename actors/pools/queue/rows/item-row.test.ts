import test from "ava";
import fc from "fast-check";
import { pack, unpack } from "msgpackr";
import { bodies, keys } from "../../../../test/support/arbitraries.ts";
import { same } from "../../../../test/support/same.ts";
import { empty } from "../state.ts";
import { type Change, type ChangeRow, fromChangeRow, isFiring, toChangeRow } from "./change.ts";
import { type Item, itemStates, noGroups } from "./item.ts";
import { bodyInRow, fromRow, toRow } from "./item-row.ts";

const createdAt = 1_700_000_000_000;
const time = fc.oneof(fc.constant(0), fc.integer({ min: createdAt, max: createdAt + 10 ** 9 }));
const count = fc.nat({ max: 1_000 });
const text = fc.oneof(fc.constant(""), fc.string({ minLength: 1, maxLength: 8 }));
const state = fc.constantFrom(...itemStates);
const settlement = fc.record({ state, attempts: count, deliveries: count, notBefore: time, at: time });

const item: fc.Arbitrary<Item> = fc
  .record({
    id: fc.string({ minLength: 1 }),
    key: text,
    state,
    quarantined: fc.boolean(),
    band: fc.integer({ min: 1, max: 5 }),
    cost: fc.integer({ min: 1, max: 100 }),
    bytes: fc.nat({ max: 5_000 }),
    dedupId: text,
    attempts: count,
    deliveries: count,
    retries: count,
    coalesced: count,
    createdAt: fc.constant(createdAt),
    updatedAt: fc.integer({ min: createdAt, max: createdAt + 10 ** 9 }),
    finishedAt: time,
    notBefore: time,
    expiresAt: time,
    version: fc.integer({ min: 1, max: 1_000 }),
    classNo: fc.nat({ max: 64 }),
    list: fc.constantFrom("", "class", "recipient-1"),
    recent: fc.boolean(),
    heldBy: text,
    tag: fc.nat(),
    order: fc.nat(),
    readyAt: time,
    flow: text,
    sticky: text,
    groups: fc.oneof(
      fc.constant(noGroups),
      fc.record({
        singleton: text,
        debounce: text,
        throttle: fc.constant("g_1"),
        concurrency: fc.array(fc.record({ id: text, control: count, cost: count }), { maxLength: 2 }),
      }),
      fc.record({
        singleton: fc.constantFrom("", "g_1"),
        debounce: fc.constantFrom("", "g_1"),
        throttle: fc.constantFrom("", "g_1"),
        concurrency: fc.constantFrom([], [{ id: "g_1", control: 0, cost: 1 }]),
      }),
    ),
    tells: fc.boolean(),
    lease: fc.option(
      fc.record({
        recipient: text,
        token: text,
        leasedAt: fc.constant(createdAt + 5),
        expiresAt: fc.constant(createdAt + 30_005),
        tat: fc.constantFrom(0, createdAt + 5.25),
        progress: fc.constantFrom(null, { percent: 7, note: "n", data: { a: 1 } }),
      }),
    ),
    ended: fc.option(
      fc.record({
        token: text,
        by: fc.constantFrom("complete", "expired"),
        answer: settlement,
        recipient: text,
      }),
    ),
    error: fc.option(fc.record({ message: text, type: text, at: time })),
    traceparent: text,
    history: count,
  })
  .map(
    (one) =>
      ({
        ...one,
        list: one.list === "class" ? `c${one.classNo}` : one.list,
        recent: (one.list === "class" || one.list === "") && one.recent,
        tells: one.tells && one.groups.singleton !== "",
      }) as Item,
  );

const body = fc.record(
  {
    payload: bodies(),
    attributes: fc.dictionary(keys(), fc.string(), { noNullPrototype: true }),
  },
  { noNullPrototype: true },
);

function stored<T>(row: T): T {
  return unpack(pack(row)) as T;
}

test("an item reads back from its row as it was, and so does the payload stored with it", (t) => {
  fc.assert(
    fc.property(item, fc.option(body, { nil: undefined }), (one, payload) => {
      const row = stored(toRow(one, payload));
      t.deepEqual(fromRow(row), one);
      same(t, bodyInRow(row), payload);
    }),
  );
  t.pass();
});

test("an answer that the item itself tells is not written, and is told again", (t) => {
  fc.assert(
    fc.property(item, (one) => {
      const { state, attempts, deliveries, updatedAt } = one;
      const notBefore = state === "retry_wait" ? one.notBefore : 0;
      const answer = { state, attempts, deliveries, notBefore, at: updatedAt };
      const ended = { token: "t", by: "complete" as const, answer, recipient: "r" };
      const row = toRow({ ...one, ended });
      t.deepEqual(row[18], ["t", "complete", 0, "r"]);
      t.deepEqual(fromRow(stored(row)).ended, ended);
    }),
  );
  t.pass();
});

const nowhere = empty({ kind: "queue", tenant: "t", key: "k" });

test("a change reads back from its event: where the item was, and what it is", (t) => {
  const sameItem = fc.tuple(item, item).map(([from, after]) => ({ ...from, id: after.id }));
  fc.assert(
    fc.property(item, fc.option(sameItem), fc.boolean(), (after, other, near) => {
      const from: Item | null =
        other && (near ? { ...after, state: other.state, list: "", recent: false } : other);
      if (isFiring(from, after)) return;
      const change: Change = { cause: "held", from, item: after, result: near ? { a: 1 } : undefined };
      const read = fromChangeRow(stored(toChangeRow(change, nowhere)) as ChangeRow, nowhere, 0);
      t.deepEqual(read.item, after);
      t.deepEqual(read.result, change.result);
      if (from === null) return t.is(read.from, null);
      const { state, list, heldBy, order, tag, band, classNo, bytes, quarantined } = from;
      t.like(read.from, { state, list, heldBy, order, tag, band, classNo, bytes, quarantined });
      if (state === "dead") t.is(read.from!.finishedAt, from.finishedAt);
      t.deepEqual(
        [read.from!.notBefore, read.from!.expiresAt, read.from!.readyAt],
        [from.notBefore, from.expiresAt, from.readyAt],
      );
    }),
  );
  t.pass();
});
