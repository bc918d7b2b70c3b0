import test from "ava";
import pino from "pino";
import type { MemberChange, MemberStore, StoredMember } from "#storage";
import { loadConfig } from "../config/index.ts";
import { ClusterNode } from "./cluster-node.ts";

test("a node that starts where the newest format is in use writes it before it is given a shard", async (t) => {
  const seen: number[] = [];
  let used = 0;
  const formats = {
    known: 3,
    read: async () => 3,
    raise: async () => undefined,
    use: (format: number) => {
      used = format;
    },
  };
  const { config } = loadConfig({ profile: "dev", environment: {}, set: ["cluster.node_id=a"] });
  const node = new ClusterNode(config, { members: listOf(), formats }, 1, pino({ level: "silent" }));
  t.teardown(() => node.stop());
  const supervisor = {
    ready: () => [0],
    drain: async () => undefined,
    setView: ({ version }: { version: number }) => {
      seen.push(used);
      node.heard({ version, held: 256, unheld: 0, moving: [], links: [] });
    },
  };
  await node.join(supervisor, {});
  t.true(seen.length > 0);
  t.deepEqual(new Set(seen), new Set([3]));
});

function listOf(): MemberStore {
  const members = new Map<string, StoredMember>();
  let version = 0;
  return {
    read: async () => ({ version, members: [...members.values()] }),
    change: async (at: number, { type, member }: MemberChange) => {
      if (at !== version) return false;
      version++;
      if (type === "put") members.set(member.node, member);
      else members.delete(member.node);
      return true;
    },
    beat: async () => undefined,
    beats: async () => new Map(),
  };
}
