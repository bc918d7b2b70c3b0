/**
 * Real processes killed while broadcasts go out to a mail server and to an HTTP server that count what arrives. The full size is
 * `NOTIFY_KILLS=20 NOTIFY_MEMBERS=20000 npx ava test/crash/notifications.test.ts`, on Cassandra with `NOTIFY_ENGINE=cassandra`.
 */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
import { devTenantId, Random } from "#base";
import { startMailServer } from "../support/counting-mail-server.ts";
import { eventually } from "../support/eventually.ts";
import { startCassandra } from "./cassandra.ts";
import { Server } from "./server.ts";

const kills = Number(process.env.NOTIFY_KILLS ?? 2);
const members = Number(process.env.NOTIFY_MEMBERS ?? 150);
const onCassandra = process.env.NOTIFY_ENGINE === "cassandra";
const batch = 1_000;
const cutAddress = "cut@example.com";

interface Page {
  readonly data: readonly Delivery[];
  readonly next_cursor: string | null;
}

interface Delivery {
  readonly id: string;
  readonly subscriber_id: string;
  readonly channel: string;
  readonly status: string;
  readonly dead_letter_id?: string;
  readonly reconciliation_required: boolean;
  readonly failure?: { readonly code: string };
}

/** A server for webhooks: some answers are slow, so that kills meet them, and some requests are cut off after they were taken. */
async function webhooks(t: ExecutionContext, random: Random) {
  const seen = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const id = request.headers["webhook-id"] as string;
    request.resume();
    await once(request, "end");
    seen.set(id, (seen.get(id) ?? 0) + 1);
    if (random.chance(0.2)) await sleep(30);
    if (random.chance(0.002)) request.socket.destroy();
    else response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen };
}

async function started(t: ExecutionContext, connections: string) {
  const cassandra = onCassandra ? await startCassandra() : undefined;
  const folder = await mkdtemp(join(tmpdir(), "switchyard.notify-"));
  const file = join(folder, "connections.yaml");
  await writeFile(file, connections);
  const server = new Server([`notification.connections_file=${file}`, ...(cassandra?.settings ?? [])]);
  t.teardown(async () => {
    await server.remove();
    await cassandra?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await server.start();
  return server;
}

function caller(server: Server) {
  return async <Answer>(method: string, path: string, body?: object, whole = false): Promise<Answer> => {
    const answer = await fetch(`${server.url}/api/v2/${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const read = (await answer.json()) as { data: Answer };
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(read)}`);
    return whole ? (read as Answer) : read.data;
  };
}

test("kills -9 in broadcasts: every delivery is there once, no mail leaves twice, and all are sent, dead or flagged", async (t) => {
  t.timeout(900_000);
  const random = new Random("notifications");
  const hooks = await webhooks(t, random);
  const mail = await startMailServer((to) => (to === cutAddress ? "cut" : "taken"));
  t.teardown(() => mail.stop());
  const server = await started(
    t,
    JSON.stringify({
      tenants: {
        [devTenantId]: {
          mail: { provider: "smtp", config: { host: "127.0.0.1", port: mail.port, security: "none" } },
          hook: {
            provider: "webhook",
            config: { url: hooks.url },
            credential: { secret: `whsec_${Buffer.alloc(24, 7).toString("base64")}` },
          },
        },
      },
    }),
  );
  const call = caller(server);
  await call("POST", "notification/integrations", {
    channel: "email",
    name: "mail",
    provider_key: "smtp",
    connection_id: "static:mail",
    metadata: { from: "us@example.com" },
  });
  await call("POST", "notification/integrations", {
    channel: "sms",
    name: "hook",
    provider_key: "webhook",
    connection_id: "static:hook",
  });
  await call("PUT", "notification/workflows/news", {
    channels: {
      email: {
        engine: "liquid",
        subject: "News {{ payload.n }}",
        body: "<p>{{ subscriber.external_id }}</p>",
      },
      sms: { engine: "handlebars", body: "News {{ payload.n }}" },
    },
  });
  await call("POST", "notification/topics", { key: "all", name: "all" });
  const ids: string[] = [];
  for (let from = 0; from < members; from += batch) {
    const subscribers = Array.from({ length: Math.min(batch, members - from) }, (_, n) => ({
      external_id: `user-${from + n}`,
      email: from + n === 0 ? cutAddress : `user-${from + n}@example.com`,
      phone: `+1202555${String(from + n)
        .padStart(4, "0")
        .slice(-4)}`,
    }));
    const made = await call<{ results: { subscriber: { id: string } }[] }>(
      "POST",
      "notification/subscribers:batch",
      { subscribers },
    );
    const joined = made.results.map(({ subscriber }) => subscriber.id);
    ids.push(...joined);
    await call("POST", "notification/topics/all/subscribers", { subscriber_ids: joined });
  }

  const broadcasts: string[] = [];
  const stateOf = async (id: string) =>
    (await call<{ state: string }>("GET", `notifications/broadcasts/${id}`)).state;
  const isOver = (state: string) => state.startsWith("completed");
  for (let kill = 0; kill < kills; kill++) {
    const last = broadcasts.at(-1);
    if (last === undefined || isOver(await stateOf(last))) {
      const transaction_id = `broadcast-${kill}`;
      const body = { workflow_key: "news", topic: "all", payload: { n: kill }, transaction_id };
      await call("POST", "notifications/trigger", body);
      broadcasts.push(transaction_id);
    }
    const before = hooks.seen.size + mail.mails.size;
    await eventually("messages go out", async () => {
      if (hooks.seen.size + mail.mails.size > before + 20) return true;
      return isOver(await stateOf(broadcasts.at(-1)!)) || undefined;
    });
    await sleep(random.int(Math.min(2_000, members / 5)));
    await server.kill();
    await server.start();
  }
  for (const id of broadcasts)
    await eventually(`broadcast ${id} is over`, async () => isOver(await stateOf(id)) || undefined);

  const counts = new Map<string, number>();
  const wrong: string[] = [];
  let cut: Delivery | undefined;
  for (const id of broadcasts) {
    const there = new Map<string, number>();
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = `transaction_id=${id}&limit=1000${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const page: Page = await call<Page>("GET", `notifications/deliveries?${query}`, undefined, true);
      for (const delivery of page.data) {
        const { subscriber_id, channel, status, failure, reconciliation_required: flagged } = delivery;
        const whose = `${subscriber_id} ${channel}`;
        there.set(whose, (there.get(whose) ?? 0) + 1);
        const name = [flagged ? "flagged" : status, failure?.code].filter(Boolean).join(" ");
        counts.set(`${channel} ${name}`, (counts.get(`${channel} ${name}`) ?? 0) + 1);
        const times = (channel === "email" ? mail.mails : hooks.seen).get(`${delivery.id}.1`) ?? 0;
        const how = `${whose} of ${id}: ${status} ${failure?.code ?? ""}, arrived ${times} times`;
        if (status !== "sent" && (status !== "failed" || delivery.dead_letter_id === undefined))
          wrong.push(how);
        if (status === "sent" && times < 1) wrong.push(how);
        if (channel === "email" && times > 1) wrong.push(how);
        // It is known that this one did not arrive.
        if (status === "failed" && !flagged && times > 0) wrong.push(how);
        if (channel === "email" && subscriber_id === ids[0]) cut = delivery;
      }
      cursor = page.next_cursor;
    }
    const expected = ids.flatMap((one) => [`${one} email`, `${one} sms`]);
    for (const one of expected)
      if (there.get(one) !== 1) wrong.push(`${one} of ${id}: ${there.get(one)} deliveries`);
    if (there.size !== expected.length) wrong.push(`${id} has ${there.size} instead of ${expected.length}`);
  }
  t.deepEqual(wrong.slice(0, 10), []);
  t.log(`${kills} kills, ${broadcasts.length} broadcasts to ${members}: ${JSON.stringify([...counts])}`);

  // Cut after DATA: the mail is there, its sender does not know.
  t.like(cut, { status: "failed", reconciliation_required: true, failure: { code: "OUTCOME_UNKNOWN" } });
  const arrived = () => [...mail.mails].filter(([id]) => id.startsWith(cut!.id)).map(([, times]) => times);
  t.true(
    arrived().every((times) => times === 1),
    "it was not sent again",
  );
  const redrive = `notifications/dead-letters/${cut!.dead_letter_id}:redrive`;
  await t.throwsAsync(call("POST", redrive, {}), { message: /OUTCOME_UNKNOWN/ });
  const before = arrived().length;
  await call("POST", redrive, { accept_duplicate: true });
  await eventually("it is sent again", () => arrived().length === before + 1 || undefined);
});
