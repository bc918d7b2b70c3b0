import test, { type ExecutionContext } from "ava";
import pino from "pino";
import type { MemberChange, MemberStore, StoredMember } from "#storage";
import { eventually } from "../../test/support/eventually.ts";
import { loadConfig } from "../config/index.ts";
import { ClusterNode } from "./cluster-node.ts";

/** A node on a store of this format, which knows formats up to 3. */
function startNode(t: ExecutionContext, format: number) {
  const store = { format, used: 0, usedAtViews: [] as number[], list: listOf() };
  const formats = {
    known: 3,
    read: async () => store.format,
    raise: async () => undefined,
    use: (used: number) => {
      store.used = used;
    },
  };
  const { config } = loadConfig({ profile: "dev", environment: {}, set: ["cluster.node_id=a"] });
  const node = new ClusterNode(config, { members: store.list, formats }, 1, pino({ level: "silent" }));
  t.teardown(() => node.stop());
  const supervisor = {
    ready: () => [0],
    drain: async () => undefined,
    setView: ({ version }: { version: number }) => {
      store.usedAtViews.push(store.used);
      node.heard({ version, held: 256, unheld: 0, moving: [], links: [] });
    },
  };
  return { node, store, join: () => node.join(supervisor, {}) };
}

test("a node that starts where the newest format is in use writes it before it is given a shard", async (t) => {
  const { store, join } = startNode(t, 3);
  await join();
  t.true(store.usedAtViews.length > 0);
  t.deepEqual(new Set(store.usedAtViews), new Set([3]));
});

test("a node that was taken for dead does not join again when the others have gone on to a format that it does not know", async (t) => {
  const { node, store, join } = startNode(t, 3);
  await join();
  const lose = async () => {
    const { version, members } = await store.list.read();
    t.is(members.length, 1);
    await store.list.change(version, { type: "remove", member: members[0]! });
  };
  await lose();
  await eventually("it joins again", async () => (await store.list.read()).members.length === 1 || undefined);
  store.format = 4;
  await lose();
  await eventually("it is out", () => node.component()?.detail?.includes("(out)") || undefined);
  for (let looks = 0; looks < 4; looks++) await store.list.round();
  t.deepEqual((await store.list.read()).members, []);
});

function listOf(): MemberStore & { round(): Promise<void> } {
  const members = new Map<string, StoredMember>();
  let version = 0;
  const beats: (() => void)[] = [];
  return {
    read: async () => ({ version, members: [...members.values()] }),
    change: async (at: number, { type, member }: MemberChange) => {
      if (at !== version) return false;
      version++;
      if (type === "put") members.set(member.node, member);
      else members.delete(member.node);
      return true;
    },
    beat: async () => {
      for (const heard of beats.splice(0)) heard();
    },
    beats: async () => new Map(),
    /** Resolves with the next heartbeat. */
    round: () => new Promise((resolve) => beats.push(resolve)),
  };
}
