import test from "ava";
import { limits } from "#base";
import type { ActorFilter, ListedActor, ThreadStats } from "#runtime";
import type { Call } from "../calls/call.ts";
import { runtimeHandlers } from "./runtime-handlers.ts";

const call = {} as Call;

function listed(key: string, shard: number, parts: Partial<ListedActor> = {}): ListedActor {
  return {
    address: { kind: "pool", tenant: "t", key },
    shard,
    status: "ready",
    mailboxDepth: 0,
    parked: 0,
    failures: 0,
    lastFailure: "",
    ...parts,
  };
}

function runtimeOf(actors: readonly ListedActor[], asked: ActorFilter[] = []) {
  const shard = { shard: 3, status: "ready", epoch: 7, decidedSeq: 9, durableSeq: 8, cells: 2, terms: 1 };
  const stats = { worker: 1, shards: [shard] } as unknown as ThreadStats;
  const old = { ...shard, epoch: 6, status: "dropped" };
  const replaced = { worker: 0, shards: [old] } as unknown as ThreadStats;
  const runtime: Parameters<typeof runtimeHandlers>[0] = {
    clusterStats: async () => [
      { node: "a", allStats: [stats] },
      { node: "b", allStats: [replaced] },
    ],
    cluster: async () => undefined,
    drainNode: async () => undefined,
    actors: async (filter) => {
      asked.push(filter);
      return actors;
    },
  };
  return runtimeHandlers(runtime);
}

test("every shard has a line, also one whose thread does not answer; of two nodes that claim it the later counts", async (t) => {
  const answer = await runtimeOf([])["RuntimeService.ListShards"]!({}, call);
  const { shards } = answer as { shards: unknown[] };
  t.is(shards.length, limits.shardCount);
  t.like(shards[3], {
    number: 3,
    status: "ready",
    node_id: "a",
    thread: 1,
    epoch: 7,
    head: 9,
    durable_head: 8,
    entities: 2,
  });
  t.deepEqual(shards[4], { number: 4, status: "away" });
});

test("a list of actors is filtered where they are, sorted, bounded, and says when there are more", async (t) => {
  const asked: ActorFilter[] = [];
  const handlers = runtimeOf([listed("c", 2), listed("b", 1), listed("a", 1)], asked);
  const list = handlers["RuntimeService.ListActors"]!;
  const two = await list({ failing: true, kind: "pool", tenant_id: "t", limit: 2 }, call);
  t.deepEqual(asked, [{ failing: true, kind: "pool", tenant: "t", max: 3 }]);
  t.like(two, { truncated: true, actors: [{ key: "a" }, { key: "b" }] });
  const all = await list({ failing: false, limit: 0 }, call);
  t.deepEqual(asked[1], { failing: false, max: limits.pageSizeDefault + 1 });
  t.like(all, { truncated: false, actors: { length: 3 } });
});

test("an isolated actor is shown with what it failed of and until when it rests", async (t) => {
  const isolated = listed("a", 1, {
    status: "isolated",
    failures: 6,
    lastFailure: "boom",
    isolatedUntilMs: Date.UTC(2026, 0, 1),
  });
  const answer = await runtimeOf([isolated])["RuntimeService.ListActors"]!({ failing: true, limit: 0 }, call);
  t.like(answer, {
    actors: [
      { status: "isolated", failures: 6, last_failure: "boom", isolated_until: "2026-01-01T00:00:00.000Z" },
    ],
  });
});
