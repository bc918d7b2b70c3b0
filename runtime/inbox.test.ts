import test from "ava";
import { type Interference, MemoryStore, openMemory } from "../storage/memory/index.ts";
import { callerOf, ManualWorld, settle } from "../test/support/runtime/fixture.ts";
import { cover, type NotebookCommand, notebook } from "../test/support/runtime/notebook.ts";
import type { Answer } from "./ask.ts";
import { shardOf } from "./placement.ts";
import type { Delivery } from "./shard/outbox.ts";
import { Thread } from "./thread/thread.ts";

const shardCount = 8;
const limits = { shardCount, inboxListedMs: 10_000 };
/** The period is over, and its list was looked at. */
const longMs = 30_000;

interface Bench {
  readonly thread: Thread;
  readonly world: ManualWorld;
  readonly store: MemoryStore;
  /** Every delivery, in order. */
  readonly sent: Delivery[];
  ask(key: string, command: NotebookCommand): Promise<Answer>;
}

async function start(
  interference: Interference = {},
  store = new MemoryStore(),
  world = new ManualWorld(),
): Promise<Bench> {
  const storage = openMemory(store, interference);
  const thread = new Thread({ storage, definitions: [notebook, cover], world, limits });
  const sent: Delivery[] = [];
  const deliver = thread.deliver.bind(thread);
  thread.deliver = (delivery, reply) => {
    sent.push(delivery);
    deliver(delivery, reply);
  };
  await thread.open([...Array(shardCount).keys()], 1);
  const ask = (key: string, command: NotebookCommand) =>
    new Promise<Answer>((resolve) =>
      thread.ask(
        {
          to: { kind: "notebook", tenant: "t", key },
          method: "Notebook.Do",
          request: { command },
          caller: callerOf("t"),
          deadlineMs: world.nowMs + 60_000,
        },
        resolve,
      ),
    );
  return { thread, world, store, sent, ask };
}

/** How many rows collections of this name have. */
function rows(store: MemoryStore, collection: string): number {
  let count = 0;
  for (const [name, { keys }] of store.partitions) if (name.includes(collection)) count += keys.length;
  return count;
}

function repeat({ thread }: Bench, delivery: Delivery): Promise<unknown> {
  return new Promise((resolve) => thread.deliver(delivery, resolve));
}

test("given messages that arrived, when the period is over, then their numbers are forgotten, and a late repeat is not applied", async (t) => {
  const first = await start();
  await first.ask("a", { type: "add", amount: 5, send: "b", delivered: true });
  await first.world.advance(2_000);
  t.is(rows(first.store, "~inbox"), 2, "the number, and the list of where to look");
  await first.world.advance(longMs);
  t.is(rows(first.store, "~inbox"), 0);
  t.is(rows(first.store, "~floor"), 1);
  const [late] = first.sent;
  t.is(await repeat(first, late!), undefined, "its sender is told that it arrived");
  t.like(await first.ask("b", { type: "read" }), { response: { messages: 1, sum: 5 } });
  first.thread.stop();

  const second = await start({}, first.store, first.world);
  t.is(await repeat(second, late!), undefined);
  t.like(await second.ask("b", { type: "read" }), { response: { messages: 1, sum: 5 } });
  await second.ask("a", { type: "add", amount: 7, send: "b", delivered: true });
  t.like(await second.ask("b", { type: "read" }), { response: { messages: 2, sum: 12 } });
});

test("given a message that its target does not take, then later numbers of its sender stay; when it is taken, then they go", async (t) => {
  const of = (key: string) => shardOf({ kind: "notebook", tenant: "t", key }, "key", shardCount);
  const stuck = ["c", "d", "e", "f", "g"].find((key) => of(key) !== of("a") && of(key) !== of("b"))!;
  let fails = true;
  const bench = await start({
    before: (operation) =>
      fails && operation.type === "append" && operation.shard === of(stuck)
        ? { type: "fail", kind: "unavailable" }
        : "proceed",
  });
  await bench.ask("a", { type: "add", amount: 1, send: stuck });
  await bench.ask("a", { type: "add", amount: 1, send: "b", delivered: true });
  await bench.world.advance(longMs);
  t.is(rows(bench.store, "~inbox"), 2);
  t.is(rows(bench.store, "~floor"), 0);
  fails = false;
  await bench.world.advance(longMs);
  await bench.world.advance(longMs);
  t.is(rows(bench.store, "~inbox"), 0);
  t.like(await bench.ask(stuck, { type: "read" }), { response: { messages: 1, sum: 1 } });
  await settle();
});
