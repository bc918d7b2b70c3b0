import test from "ava";
import { ProofReader, ProofWriter } from "./proof.ts";
import { ownersOf } from "./rendezvous.ts";
import type { Member } from "./view.ts";

const shardCount = 16;
const members = ["a", "b"].map(memberOf);
const owners = ownersOf(members, shardCount);
const own = owners.indexOf("a");
const other = owners.indexOf("b");

test("a heartbeat proves the shards that the list gives to this node, and no other that it still holds", (t) => {
  const { writer, proves } = start();
  writer.write({ ageMs: 0, reachesStore: true, version: 2 });
  t.true(proves(own));
  t.false(proves(other));
});

test("the list that was read with a heartbeat is newer than the one that this thread knows: it proves nothing yet", (t) => {
  const { writer, reader, proves } = start();
  writer.write({ ageMs: 0, reachesStore: true, version: 3 });
  t.false(proves(own));
  reader.setView({ version: 3, members });
  t.true(proves(own));
});

function start() {
  const writer = new ProofWriter();
  const reader = new ProofReader(writer.buffer, "a", shardCount);
  reader.setView({ version: 2, members });
  const proves = (shard: number) => Number.isFinite(reader.provenMs(shard, performance.now()));
  return { writer, reader, proves };
}

function memberOf(node: string): Member {
  const versions = { protocol: 1, format: 1 };
  return { node, incarnation: node, address: node, zone: "", workers: 1, versions };
}
