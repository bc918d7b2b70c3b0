import test from "ava";
import { startModules } from "../../../test/support/modules.ts";
import { pools } from "../index.ts";

type Message = Record<string, unknown>;

test("a stream answers every request with its ref, whatever pool it names", async (t) => {
  const { createPool, inPool, context } = await startModules(t);
  const [first, second] = [await createPool(), await createPool()];
  for (const id of [first, second]) await inPool(id, "RecipientService.CreateRecipient", { name: "x" });
  async function* requests(): AsyncIterable<never> {
    for (let i = 0; i < 500; i++) {
      const pool_id = i % 50 === 7 ? "01JVVVVVVVVVVVVVVVVVVVVVVV" : i % 2 === 0 ? first : second;
      yield { ref: `r${i}`, route: { pool_id } } as never;
    }
  }
  const answers = new Map<string, Message>();
  for await (const answer of pools.streams!["RoutingService.RouteStream"]!(requests(), context()))
    answers.set((answer as Message).ref as string, answer as Message);
  t.is(answers.size, 500);
  t.like(answers.get("r7"), { error: { error_code: "NOT_FOUND" } });
  t.is((answers.get("r2")!.routing as Message).pool_id, first);
  t.is((answers.get("r3")!.routing as Message).pool_id, second);
});

test("a stream of large requests is routed in parts that a pool takes", async (t) => {
  const { createPool, inPool, context } = await startModules(t);
  const pool_id = await createPool();
  await inPool(pool_id, "RecipientService.CreateRecipient", { name: "x" });
  const attributes = { text: "x".repeat(1_000_000) };
  let sent = 0;
  let ahead = 0;
  async function* requests(): AsyncIterable<never> {
    for (; sent < 24; sent++) yield { ref: `${sent}`, route: { pool_id, attributes } } as never;
  }
  const errors: unknown[] = [];
  let answered = 0;
  for await (const answer of pools.streams!["RoutingService.RouteStream"]!(requests(), context())) {
    ahead = Math.max(ahead, sent - answered++);
    if ((answer as Message).error) errors.push((answer as Message).error);
  }
  t.is(answered, 24);
  t.deepEqual(errors, []);
  t.true(ahead < 12, `${ahead} were read ahead`);
});

test("a stream whose sender fails ends with that failure, after answering what came before", async (t) => {
  const { createPool, inPool, context } = await startModules(t);
  const first = await createPool();
  await inPool(first, "RecipientService.CreateRecipient", { name: "x" });
  async function* requests(): AsyncIterable<never> {
    yield { ref: "a", route: { pool_id: first } } as never;
    throw new Error("gone");
  }
  const seen: unknown[] = [];
  await t.throwsAsync(
    async () => {
      for await (const answer of pools.streams!["RoutingService.RouteStream"]!(requests(), context()))
        seen.push((answer as Message).ref);
    },
    { message: "gone" },
  );
  t.deepEqual(seen, ["a"]);
});

test("a stream whose reader leaves lets its sender go, also one it had held back", async (t) => {
  const { createPool, inPool, context } = await startModules(t);
  const pool_id = await createPool();
  await inPool(pool_id, "RecipientService.CreateRecipient", { name: "x" });
  let sent = 0;
  const released = new Promise<void>((resolve) => {
    async function* requests(): AsyncIterable<never> {
      try {
        for (; sent < 100_000; sent++) yield { ref: `${sent}`, route: { pool_id } } as never;
      } finally {
        resolve();
      }
    }
    const read = async () => {
      for await (const _ of pools.streams!["RoutingService.RouteStream"]!(requests(), context())) break;
    };
    void read();
  });
  await released;
  t.true(sent < 10_000, `${sent} were read ahead`);
});
