import {
  collectionOf,
  fromRow,
  type Item,
  isWaiting,
  itemStates,
  parkedKey,
  readyKey,
} from "../../actors/queues/item.ts";
import type { QueueBench } from "./queue.ts";

/** Recomputes from the item rows alone what every index, counter and slot must be, and lists the differences. */
export function queueProblems(bench: QueueBench): string[] {
  const problems: string[] = [];
  const items = liveItems(bench);
  const expect = (name: string, found: readonly string[], wanted: readonly string[]) => {
    const [a, b] = [[...found].sort().join(" "), [...wanted].sort().join(" ")];
    if (a !== b) problems.push(`${name}: found ${a || "none"}, wanted ${b || "none"}`);
  };
  const ready = items.filter((item) => item.state === "ready");
  expect(
    "ready",
    keys(bench, "ready"),
    ready.filter((item) => item.list).map((item) => text(readyKey(item))),
  );
  expect(
    "parked",
    keys(bench, "parked"),
    ready.filter((item) => item.hold).map((item) => text(parkedKey(item))),
  );
  for (const item of ready)
    if ((item.list === "") === (item.hold === "")) problems.push(`${item.id} is in no line or in two`);
  const due = keys(bench, "due").filter((key) => !key.includes("throttle:"));
  expect("due", due, items.flatMap(duesOf));
  const { state } = bench;
  for (const name of itemStates) {
    const count = items.filter((item) => item.state === name).length;
    if (state.counts[name] !== count)
      problems.push(`${name} counted ${state.counts[name]}, there are ${count}`);
  }
  const slots = new Map<string, number>();
  for (const item of items)
    if (item.lease)
      for (const { id, cost } of item.groups.concurrency) slots.set(id, (slots.get(id) ?? 0) + cost);
  expect("slots", [...state.inUse].map(String), [...slots].map(String));
  const bytes = items
    .filter((item) => isWaiting(item.state) || item.lease)
    .reduce((sum, item) => sum + item.bytes, 0);
  if (bytes !== state.bytes) problems.push(`${state.bytes} bytes counted, there are ${bytes}`);
  const held = ready.filter((item) => item.hold).length;
  if (held !== state.held) problems.push(`${state.held} held counted, there are ${held}`);
  if (state.armedAt === 0 && (state.leases.size > 0 || due.length > 0))
    problems.push("nothing will wake the queue");
  return problems;
}

/** Every item in its newest form: a leased one is described by its lease's row. */
export function liveItems(bench: QueueBench): Item[] {
  const leases = new Map(rowsOf(bench, "lease").map((item) => [item.id, item]));
  const stored = ["item", "done", "dead", "quarantined"].flatMap((collection) =>
    rowsOf(bench, collection).map((item) => {
      const newest = leases.get(item.id) ?? item;
      if (collectionOf(newest) !== collection)
        throw new Error(`${item.id} is ${newest.state} in ${collection}`);
      return newest;
    }),
  );
  return stored;
}

function duesOf(item: Item): string[] {
  if (!isWaiting(item.state)) return [];
  return [
    ...(item.state === "ready" ? [] : [text([item.notBefore, 0, item.id])]),
    ...(item.expiresAt > 0 ? [text([item.expiresAt, 1, item.id])] : []),
    ...(item.list && !item.list.startsWith("c") ? [text([item.readyAt + 5_000, 3, item.id])] : []),
  ];
}

function rowsOf(bench: QueueBench, collection: string): Item[] {
  const rows = bench.driver.rows(bench.at("queue"), collection);
  return rows.scan({ collection, limit: Number.MAX_SAFE_INTEGER }).map((row) => fromRow(row.value));
}

function keys(bench: QueueBench, collection: string): string[] {
  const rows = bench.driver.rows(bench.at("queue"), collection);
  return rows.scan({ collection, limit: Number.MAX_SAFE_INTEGER }).map((row) => text(row.key));
}

function text(key: readonly (string | number)[]): string {
  return key.join("/");
}
