import test from "ava";
import { refuse } from "#base";
import { testCaller } from "../../../../test/support/entity.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { startModules } from "../../../../test/support/modules.ts";
import { tenant } from "../../../../test/support/pool.ts";
import type { CallContext } from "../../../module.ts";
import { sample } from "../../queue/handlers/questions.ts";
import { type LivePool, LivePools, type Told } from "./sampler.ts";
import { watchPools } from "./watch.ts";

type Message = Record<string, unknown>;
const ids = Array.from(
  { length: 60 },
  (_, index) => `01J0000000000000000000${String(index).padStart(4, "0")}`,
);

/** Pools whose clock and answers the test has in its hand. */
function start({ poolsMax = 100 } = {}) {
  const asked: string[] = [];
  const resting: (() => void)[] = [];
  let nowMs = 0;
  const totals = { enqueued: 0, claimed: 0, completed: 0, failed: 0, dead: 0 };
  const state = { totals, depth: 0, refused: undefined as ReturnType<typeof refuse> | undefined };
  const live = new LivePools(poolsMax, () => new Promise<void>((resolve) => resting.push(resolve)));
  const call = {
    caller: { ...testCaller(tenant), environment: "staging" },
    clock: { now: () => nowMs, monotonic: () => nowMs },
    signal: new AbortController().signal,
    asker: {
      async ask({ method, request, caller }: { method: string; request: Message; caller: Message }) {
        if (method !== sample.name) return { response: {}, replayed: false };
        asked.push(`${request.pool_id}${request.recipients ? " with recipients" : ""}`);
        if (caller.environment !== undefined || state.refused)
          return state.refused ?? refuse("NOT_FOUND", "other");
        return { response: { queue: { depth: state.depth }, totals: { ...state.totals } }, replayed: false };
      },
    },
  } as unknown as CallContext;
  /** A second goes by. */
  const second = async () => {
    nowMs += 1_000;
    for (const go of resting.splice(0)) go();
    await settled();
  };
  return { live, call, asked, state, second };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("20 watchers of three pools: each pool is asked once a second, and no more once they have left", async (t) => {
  const { live, call, asked, second } = start();
  const watching: LivePool[] = [];
  for (let i = 0; i < 20; i++) watching.push(...live.join(ids.slice(0, 3), false, call));
  await settled();
  t.is(asked.length, 3);
  for (let i = 1; i <= 5; i++) {
    await second();
    t.is(asked.length, 3 + 3 * i);
  }
  t.is(live.size, 3);
  for (const pool of watching) pool.leave(false);
  t.is(live.size, 0);
  await second();
  await second();
  t.is(asked.length, 18);
});

test("rates are those of the last ten seconds, and a pool that stays as it is has no new version", async (t) => {
  const { live, call, state, second } = start();
  const [pool] = live.join([ids[0]!], false, call);
  await pool!.ready;
  const first = pool!.version;
  await second();
  t.is(pool!.version, first);
  for (let i = 0; i < 12; i++) {
    state.totals.enqueued += 5;
    if (i === 2) state.totals.failed += 20;
    await second();
  }
  t.deepEqual(pool!.told.rates, { enqueued: 5, claimed: 0, completed: 0, failed: 2, dead: 0 });
  t.not(pool!.version, first);
  state.refused = refuse("UNAVAILABLE", "moves");
  await second();
  t.like(pool!.told, { pool_id: ids[0], error: { error_code: "UNAVAILABLE" } });
  state.refused = undefined;
  await second();
  t.is(pool!.told.error, undefined);
});

test("recipients are asked for as long as one watcher wants them", async (t) => {
  const { live, call, asked, second } = start();
  const [pool] = live.join([ids[0]!], false, call);
  live.join([ids[0]!], true, call);
  await settled();
  await second();
  t.deepEqual(asked, [ids[0], `${ids[0]} with recipients`]);
  pool!.leave(true);
  await second();
  t.is(asked.at(-1), ids[0]);
});

test("over live.pools_max a watcher is refused as a whole; pools that are watched already count once", async (t) => {
  const { live, call } = start({ poolsMax: 50 });
  live.join(ids.slice(0, 50), false, call);
  live.join(ids.slice(0, 50), false, call);
  const error = t.throws(() => live.join(ids.slice(49, 51), false, call));
  t.like((error as unknown as { refusal: object }).refusal, { code: "RATE_LIMITED", reason: "CONCURRENCY" });
  t.is(live.size, 50);
});

test("a watcher gets all pools, then those that change, and why a pool tells nothing", async (t) => {
  const { createPool, inPool, inQueue, context } = await startModules(t);
  const [pool_id, quiet] = [await createPool({ name: "busy" }), await createPool({ name: "quiet" })];
  const { id: recipient } = await inPool(pool_id, "RecipientService.CreateRecipient", { name: "ada" });
  const live = new LivePools(10);
  const request = { pool_ids: [pool_id, quiet, ids[0]!], include_recipients: true, interval_ms: 500 };
  const call = context();
  const answers: Told[][] = [];
  const read = (async () => {
    for await (const answer of watchPools(live)(just(request), call)) {
      if (typeof answer === "symbol") continue;
      const { pools } = (answer as { pools: { pools: Told[] } }).pools;
      answers.push(pools);
      if (pools.some(({ queue }) => (queue as Message | undefined)?.depth === 1)) return;
    }
  })();
  await eventually("the first answer is there", async () => (answers.length > 0 ? true : undefined));
  await inQueue(pool_id, "QueueService.Enqueue", { key: "k" });
  await read;
  const first = new Map(answers[0]!.map((told) => [told.pool_id, told]));
  t.is(first.size, 3);
  t.like(first.get(ids[0]!), { error: { error_code: "NOT_FOUND" } });
  t.like(first.get(quiet), { queue: { depth: 0, name: "quiet" }, recipients: [], rates: { enqueued: 0 } });
  t.like(first.get(pool_id)!.recipients, [
    { recipient_id: recipient, name: "ada", status: "STATUS_ACTIVE", in_flight: 0 },
  ]);
  t.deepEqual(
    answers.at(-1)!.map((told) => told.pool_id),
    [pool_id],
  );
  t.is(live.size, 0, "it has left");
});

async function* just<T>(value: T): AsyncGenerator<T> {
  yield value;
}
