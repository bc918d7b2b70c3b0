import { setTimeout as sleep } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
import test, { type ExecutionContext } from "ava";
import { isRefusal } from "#base";
import type { Storage } from "#storage";
import { MemoryStore, openMemory } from "../../storage/memory/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { callerOf } from "../../test/support/runtime/fixture.ts";
import { cover, type NotebookCommand, notebook } from "../../test/support/runtime/notebook.ts";
import type { Answer, Ask } from "../ask.ts";
import { hashOf } from "../placement.ts";
import { statsOf } from "../stats.ts";
import type { RuntimeLimits } from "../thread/limits.ts";
import { Thread } from "../thread/thread.ts";
import { Peers } from "../workers/peers.ts";
import { systemWorld, type World } from "../world.ts";
import type { OnServed } from "./answers.ts";
import { Bridge, missedTopic } from "./bridge.ts";
import { ProofReader, ProofWriter } from "./proof.ts";
import { ownersOf } from "./rendezvous.ts";
import type { Member, View } from "./view.ts";

const shardCount = 8;
const hourMs = 3_600_000;
const names = ["a", "b"] as const;

interface NodesOptions {
  /** The two do not reach each other. */
  readonly isCut?: boolean;
  readonly limits?: Partial<RuntimeLimits>;
}

/** Two nodes over one store, linked as threads are; the clock of the second is an hour ahead. */
function startNodes(t: ExecutionContext, { isCut = false, limits }: NodesOptions = {}) {
  const store = new MemoryStore();
  const served: { method: string; trace: string; code: string }[] = [];
  const onServed: OnServed = (method, trace) => (code) => void served.push({ method, trace, code });
  const members = names.map(memberOf);
  const bridges = new Map<string, Bridge>();
  const start = (node: string, world: World) => {
    const peers = new Peers(world, { worker: 0, workers: 1 });
    const heartbeat = new ProofWriter();
    const proof = new ProofReader(heartbeat.buffer, node, shardCount);
    const thread = new Thread({
      storage: slowToOpen(openMemory(store)),
      definitions: [notebook, cover],
      world,
      limits: { ...limits, shardCount },
      routes: peers,
      retries: true,
      provenMs: (shard) => proof.provenMs(shard, world.clock.monotonic()),
    });
    peers.serve(thread);
    const bridge = new Bridge({
      bootstrap: { node, proof: heartbeat.buffer, movesAtOnce: 1 },
      workers: 1,
      peers,
      thread,
      listedMs: () => proof.listedMs(world.clock.monotonic()),
      dial: async (member) => {
        if (isCut) throw new Error("no answer");
        const { port1, port2 } = new MessageChannel();
        bridges.get(member.node)!.accept(node, port2);
        return port1;
      },
      onServed,
      look: () => undefined,
      tell: () => undefined,
      leave: () => undefined,
      own: { stats: async () => [], actors: async () => [] },
    });
    peers.joinCluster({ routes: bridge, far: bridge.far, bridge });
    bridges.set(node, bridge);
    t.teardown(() => {
      bridge.close();
      thread.stop();
    });
    const setView = (view: View) => {
      proof.setView(view);
      bridge.setView(view);
    };
    const beat = (version: number, ageMs = 0) => heartbeat.write({ ageMs, reachesStore: true, version });
    return { thread, bridge, setView, beat };
  };
  const world = systemWorld();
  const ahead = {
    ...systemWorld(),
    clock: { now: () => Date.now() + hourMs, monotonic: () => performance.now() },
  };
  const [a, b] = [start("a", world), start("b", ahead)];
  const owners = ownersOf(members, shardCount);
  let key = "k";
  while (owners[hashOf({ kind: "notebook", tenant: "t", key }) % shardCount] !== "b") key += "k";
  const askOf = (command: NotebookCommand, more: Partial<Ask> = {}): Ask => ({
    to: { kind: "notebook", tenant: "t", key },
    method: "Notebook.Do",
    request: { command },
    caller: callerOf("t"),
    deadlineMs: Date.now() + 60_000,
    ...more,
  });
  const askAt = (node: { thread: Thread }, command: NotebookCommand, more?: Partial<Ask>) =>
    new Promise<Answer>((resolve) => node.thread.ask(askOf(command, more), resolve));
  return { a, b, members, askAt, served };
}

/** How often a node was told that it misses broadcasts. */
function missedBy({ thread }: Started): () => number {
  let missed = 0;
  thread.broadcastListeners.add((topic) => {
    if (topic === missedTopic) missed++;
  });
  return () => missed;
}

type Started = ReturnType<typeof startNodes>["a"];

/** Callers connect to the first, and what they ask for is owned by the second. */
async function twoNodes(t: ExecutionContext) {
  const { a, b, members, askAt, served } = startNodes(t);
  for (const { setView } of [a, b]) setView({ version: 1, members });
  const report = await eventually("each node has its shards", () => {
    const now = a.bridge.report();
    return now.unheld === 0 && now.nodes.every(({ held, share }) => held === share) ? now : undefined;
  });
  const ask = (command: NotebookCommand, more?: Partial<Ask>) => askAt(a, command, more);
  return { a, b, ask, served, report };
}

test("the owner is a node whose clock is an hour ahead: a deadline goes over as the time that is left", async (t) => {
  const { ask } = await twoNodes(t);
  t.like(await ask({ type: "add", amount: 1 }), { response: { sum: 1 } });
});

test("a caller on one node goes away: the command that waits for it on the other node ends", async (t) => {
  const { a, b, ask } = await twoNodes(t);
  const parked = () => statsOf(b.thread, 0).parked;
  const caller = new AbortController();
  const untilMs = Date.now() + 10 * hourMs;
  const answer = ask({ type: "await", sum: 5, untilMs }, { signal: caller.signal });
  await eventually("the command waits at its owner", () => (parked() === 1 ? true : undefined));
  const { link } = a.bridge.report().nodes.find(({ node }) => node === "b")!;
  t.is(link?.inFlight, 1);
  t.true(link!.sentBytes > 0);
  caller.abort();
  await eventually("the command is gone", () => (parked() === 0 ? true : undefined));
  await answer;
});

test("a traced call is served by another node: that node learns the trace and how the call ended", async (t) => {
  const { ask, served } = await twoNodes(t);
  const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const caller = { ...callerOf("t"), trace };
  await ask({ type: "add", amount: 1 }, { caller });
  await ask({ type: "add", amount: -1 }, { caller });
  await ask({ type: "add", amount: 1 });
  t.deepEqual(served, [
    { method: "Notebook.Do", trace, code: "OK" },
    { method: "Notebook.Do", trace, code: "INVALID_ARGUMENT" },
  ]);
});

for (const [what, end] of [
  ["is not found in the list for 2 s", ({ beat }: Started) => beat(1, 2_100)],
  ["leaves the list", ({ setView }: Started) => setView({ version: 2, members: [] })],
] as const)
  test(`a node ${what}: others may own shards without a link to it, and it is told that it misses broadcasts`, async (t) => {
    const { a, members } = startNodes(t);
    a.beat(1, -hourMs);
    a.setView({ version: 1, members: members.slice(0, 1) });
    await eventually("it has all shards", () => a.bridge.report().unheld === 0 || undefined);
    // After it has taken shards it is told once more.
    await sleep(1_500);
    const missed = missedBy(a);
    await sleep(1_000);
    t.is(missed(), 0);
    end(a);
    await eventually("it is told again and again", () => missed() >= 3 || undefined);
  });

test("a node leaves that another one never saw: it links to that one, which is told that it missed broadcasts", async (t) => {
  const { a, b, members } = startNodes(t);
  const missed = missedBy(a);
  a.beat(1, -hourMs);
  a.setView({ version: 1, members: members.slice(0, 1) });
  b.setView({ version: 2, members });
  await sleep(1_500);
  const before = missed();
  await sleep(500);
  t.is(missed(), before);
  b.setView({ version: 3, members: members.slice(0, 1) });
  const told = await eventually("it is told", () => (missed() > before ? missed() : undefined));
  a.setView({ version: 3, members: members.slice(0, 1) });
  t.true(missed() > told, "and again when it learns that there was a list that it did not see");
});

test("a shard that comes to a node is counted when it is open, by what brought it", async (t) => {
  const { a, b, report } = await twoNodes(t);
  const own = (node: string) => report.nodes.find((one) => one.node === node)!.held;
  const stats = () => a.bridge.report().stats;
  await eventually("they are open", () => stats().takeOvers.count === own("a") || undefined);
  t.true(stats().takeOvers.sumMs >= (openingMs / 2) * own("a"));
  t.is(stats().moves.count, 0);
  for (const { setView } of [a, b]) setView({ version: 2, members: [memberOf("a")] });
  await eventually("one node has all", () =>
    a.bridge.report().nodes.find(({ node }) => node === "a")!.held === shardCount ? true : undefined,
  );
  await eventually("they are open here", () => stats().moves.count === own("b") || undefined);
  const after = stats();
  t.true(after.moves.sumMs >= (openingMs / 2) * own("b"));
  t.is(
    after.moves.buckets.reduce((sum, count) => sum + count, 0),
    own("b"),
  );
  t.is(b.bridge.report().stats.given, own("b"));
});

test("a node that joins cannot reach the owner before: that one stops answering reads from memory, though its heartbeats go on", async (t) => {
  const limits = { ownershipProvenMs: 50, moveLinksMs: 50 };
  const { a, b, members, askAt } = startNodes(t, { isCut: true, limits });
  a.setView({ version: 1, members: [memberOf("a")] });
  a.beat(1);
  t.like(await askAt(a, { type: "add", amount: 1 }), { response: { sum: 1 } });
  for (const { setView } of [a, b]) setView({ version: 2, members });
  const deadlineMs = Date.now() + 2 * hourMs;
  t.like(await askAt(b, { type: "add", amount: 1 }, { deadlineMs }), { response: { sum: 2 } });
  await sleep(2 * limits.ownershipProvenMs);
  a.beat(2);
  const answer = await askAt(a, { type: "read" }, { deadlineMs: Date.now() + 200 });
  t.true(isRefusal(answer), JSON.stringify(answer));
});

const openingMs = 20;

function slowToOpen(storage: Storage): Storage {
  const { journal } = storage;
  return {
    ...storage,
    journal: {
      open: async (shards, view) => {
        await sleep(openingMs);
        return await journal.open(shards, view);
      },
      append: (batch) => journal.append(batch),
      replay: (shard, after) => journal.replay(shard, after),
      trim: (shard, epoch, upTo) => journal.trim(shard, epoch, upTo),
    },
  };
}

function memberOf(node: string): Member {
  const versions = { protocol: 1, format: 1 };
  return { node, incarnation: node, address: node, zone: "", workers: 1, versions };
}
