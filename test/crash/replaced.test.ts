import test from "ava";
import { eventually } from "../support/eventually.ts";
import { needing } from "../support/needing.ts";
import { startProxy } from "../support/proxy.ts";
import { startCassandra } from "./cassandra.ts";
import { Server } from "./server.ts";

const onCassandra = needing(test.serial, "cassandra");

onCassandra(
  "a service whose commits go unanswered is replaced by another with the same name: it takes no shard back and is not ready",
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
    const enqueue = (server: Server, pool: string, headers = {}) =>
      post(server, `/api/queues/${pool}/items`, { payload: {} }, headers);
    proxy.loseAnswers();
    const unanswered = pools.map((pool) => enqueue(replaced, pool));
    await fresh.start();
    proxy.pass();
    proxy.cutClients();
    const answers = await Promise.all(unanswered);
    await eventually("the replaced service is not ready", async () => {
      const answer = await fetch(`${replaced.url}/ready`);
      return answer.status === 503 || undefined;
    });
    for (let round = 0; round < 20; round++)
      // On a busy machine a node may lose its store for a moment: it says so, and the request is repeated.
      for (const pool of pools)
        await eventually("the fresh service takes an item", async () => {
          const { status } = await enqueue(fresh, pool, { "idempotency-key": `${round}` });
          return status === 201 || undefined;
        });
    for (const [i, pool] of pools.entries()) {
      const { status, body } = answers[i]!;
      const { data } = (await (await fetch(`${fresh.url}/api/queues/${pool}/items?limit=100`)).json()) as {
        data: readonly { readonly id: string }[];
      };
      // A commit whose answer was lost may be in the journal; then it is acknowledged, and stored once.
      if (status === 201) {
        t.is(data.length, 21, pool);
        t.true(
          data.some(({ id }) => id === (body.data as { item: { id: string } }).item.id),
          pool,
        );
      } else {
        t.is(status, 503, pool);
        t.true(data.length === 20 || data.length === 21, pool);
      }
    }
    await eventually(
      "the fresh service is ready",
      async () => (await fetch(`${fresh.url}/ready`)).ok || undefined,
    );
    t.is((await fetch(`${replaced.url}/ready`)).status, 503);
  },
);

async function post(server: Server, path: string, body: unknown, headers = {}) {
  const answer = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
