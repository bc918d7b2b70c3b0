import test from "ava";
import { cassandraMissing } from "../support/cassandra.ts";
import { eventually } from "../support/eventually.ts";
import { startProxy } from "../support/proxy.ts";
import { startCassandra } from "./cassandra.ts";
import { Server } from "./server.ts";

const missing = cassandraMissing();
const onCassandra = missing === undefined ? test.serial : test.serial.skip;

onCassandra(
  "replaced by a start with the same name while it heard nothing of its commits: it takes no shard back and is not ready",
  async (t) => {
    t.timeout(300_000);
    const cassandra = await startCassandra();
    t.teardown(() => cassandra.stop());
    const proxy = await startProxy(cassandra.node);
    t.teardown(() => proxy.close());
    const others = cassandra.settings.filter((setting) => !setting.includes("contact_points"));
    const name = "cluster.node_id=one";
    const replaced = new Server([
      ...others,
      name,
      `storage.cassandra.contact_points=127.0.0.1:${proxy.port}`,
    ]);
    t.teardown(() => replaced.remove());
    const fresh = new Server([...cassandra.settings, name]);
    t.teardown(() => fresh.remove());

    await replaced.start();
    const pools: string[] = [];
    for (const name of ["a", "b", "c", "d"]) {
      const { body } = await post(replaced, "/api/pools", { name });
      pools.push((body.data as { id: string }).id);
    }
    const enqueue = (server: Server, pool: string) =>
      post(server, `/api/queues/${pool}/items`, { payload: {} });
    proxy.loseAnswers();
    const unanswered = pools.map((pool) => enqueue(replaced, pool));
    await fresh.start();
    proxy.pass();
    proxy.cutClients();
    for (const answer of await Promise.all(unanswered)) t.is(answer.status, 503);
    await eventually("the replaced service is not ready", async () => {
      const answer = await fetch(`${replaced.url}/ready`);
      return answer.status === 503 || undefined;
    });
    for (let round = 0; round < 20; round++)
      for (const pool of pools) t.is((await enqueue(fresh, pool)).status, 201);
    t.is((await fetch(`${fresh.url}/ready`)).status, 200);
    t.is((await fetch(`${replaced.url}/ready`)).status, 503);
  },
);

async function post(server: Server, path: string, body: unknown) {
  const answer = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
