import test from "ava";
import { startCassandra } from "../crash/cassandra.ts";
import { Server } from "../crash/server.ts";
import { cassandraMissing } from "../support/cassandra.ts";

const missing = cassandraMissing();
const onCassandra = missing === undefined ? test.serial : test.serial.skip;

onCassandra("two processes on one keyspace: each answers for the shards of both", async (t) => {
  t.timeout(300_000);
  const cassandra = await startCassandra();
  t.teardown(() => cassandra.stop());
  const nodes = ["a", "b"].map((id) => new Server([...cassandra.settings, `cluster.node_id=${id}`]));
  t.teardown(() => Promise.all(nodes.map((node) => node.remove())));
  for (const node of nodes) await node.start();
  const [a, b] = nodes as [Server, Server];
  for (let index = 0; index < 12; index++) {
    const [writer, reader] = index % 2 === 0 ? [a, b] : [b, a];
    const made = await post(writer, "/api/pools", { name: `pool-${index}` });
    t.is(made.status, 201, JSON.stringify(made.body));
    const { id } = made.body.data as { id: string };
    const read = await fetch(`${reader.url}/api/pools/${id}`);
    t.is(read.status, 200);
    const item = await post(reader, `/api/queues/${id}/items`, { payload: { index } });
    t.is(item.status, 201, JSON.stringify(item.body));
  }
  for (const node of nodes) t.is((await fetch(`${node.url}/ready`)).status, 200);
});

async function post(server: Server, path: string, body: unknown) {
  const answer = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
