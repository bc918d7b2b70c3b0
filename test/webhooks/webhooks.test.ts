/**
 * Webhooks of the real service; `WEBHOOK_KILLS=50 npx ava --timeout=30m test/webhooks/webhooks.test.ts` kills it more often,
 * `WEBHOOK_CASSANDRA_KILLS` on Cassandra.
 */
import { createPublicKey, verify } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
import { Webhook } from "standardwebhooks";
import { startCassandra } from "../crash/cassandra.ts";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";
import { needing } from "../support/needing.ts";
import { type Received, Receiver } from "./receiver.ts";

const kills = Number(process.env.WEBHOOK_KILLS ?? 4);
const cassandraKills = Number(process.env.WEBHOOK_CASSANDRA_KILLS ?? 1);
type Message = Record<string, unknown>;

async function start(t: ExecutionContext, settings: readonly string[] = []) {
  const receiver = await new Receiver().start();
  const server = new Server(["server.stuck_after=240s", ...settings]);
  t.teardown(async () => {
    receiver.close();
    await server.remove();
  });
  await server.start();
  const call = async <Answer = Message>(
    verb: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await fetch(`${server.url}${path}`, {
      method: verb,
      headers: { "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { data: Answer };
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer.data;
  };
  const create = (settings: Message) =>
    call<Message & { id: string; secret: string; public_key: string }>("POST", "/api/v2/webhooks", {
      name: "w",
      url: receiver.url(),
      kinds: ["pool.created"],
      ...settings,
    });
  const createPool = (name: string, headers = {}) => call("POST", "/api/pools", { name }, headers);
  return { receiver, server, call, create, createPool };
}

/** As often as it takes, with the server down meanwhile. */
async function surely<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await attempt();
    } catch {
      await sleep(200);
    }
}

const namesOf = (received: readonly Received[]) => received.map(({ body }) => body.data.name as string);

function verifyAsymmetric({ headers, text }: Received, publicKey: string): boolean {
  const x = Buffer.from(publicKey.slice("whpk_".length), "base64").toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  const signed = Buffer.from(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`);
  return String(headers["webhook-signature"])
    .split(" ")
    .some((one) => one.startsWith("v1a,") && verify(null, signed, key, Buffer.from(one.slice(4), "base64")));
}

test("given endpoints of v1 and v1a, when something happens, then both libraries verify what they are sent", async (t) => {
  const { receiver, create, createPool, call } = await start(t);
  const headers = { authorization: "Bearer of the receiver" };
  const v1 = await create({ url: receiver.url("/v1"), headers });
  const v1a = await create({ url: receiver.url("/v1a"), signing: "v1a" });
  t.regex(v1.secret, /^whsec_/);
  t.false("secret" in v1a);
  const shown = JSON.stringify(await call("GET", `/api/v2/webhooks/${v1.id}`));
  t.false(shown.includes("whsec_") || shown.includes("Bearer of"), shown);
  await createPool("first", { "x-environment": "staging" });
  await eventually("both came", () => receiver.received.length >= 2 || undefined);
  const [one] = receiver.at("/v1");
  t.deepEqual(new Webhook(v1.secret).verify(one!.text, one!.headers as never), one!.body);
  t.throws(() => new Webhook(v1.secret).verify(`${one!.text} `, one!.headers as never));
  t.is(one!.headers.authorization, headers.authorization);
  t.is(one!.headers["webhook-id"], `msg_${one!.body.id}`);
  t.like(one!.body, { type: "pool.created", data: { name: "first" }, environment: "staging" });
  const [other] = receiver.at("/v1a");
  t.true(verifyAsymmetric(other!, v1a.public_key));
  t.false(verifyAsymmetric({ ...other!, text: "{}" }, v1a.public_key));
  t.regex(
    String(await call("POST", `/api/v2/webhooks/${v1.id}:test`, {}).then(JSON.stringify)),
    /webhook\.test/,
  );
  await eventually("the test came", () => receiver.at("/v1").length >= 2 || undefined);
});

test("given an endpoint of one environment, then it gets that one's events alone", async (t) => {
  const { receiver, create, createPool } = await start(t);
  await create({ environment: "production" });
  for (let i = 0; i < 5; i++) {
    await createPool(`staging ${i}`, { "x-environment": "staging" });
    await createPool(`production ${i}`);
  }
  await eventually("all of production came", () => receiver.received.length >= 5 || undefined);
  t.true(namesOf(receiver.received).every((name) => name.startsWith("production")));
});

test("given a rotation under load, then every delivery is verified by the secret that its receiver has", async (t) => {
  const { receiver, create, createPool, call } = await start(t);
  const { id, secret } = await create({});
  let known = secret;
  const wrong: string[] = [];
  receiver.answer = ({ text, headers }, response) => {
    try {
      new Webhook(known).verify(text, headers as never);
      response.writeHead(200).end();
    } catch (error) {
      wrong.push(String(error));
      response.writeHead(401).end();
    }
  };
  const names = Array.from({ length: 60 }, (_, n) => `pool ${n}`);
  const creating = (async () => {
    for (const name of names) await createPool(name);
  })();
  for (let i = 0; i < 3; i++) {
    const rotated = await call<{ secret: string }>("POST", `/api/v2/webhooks/${id}:rotate-secret`, {
      overlap_seconds: 600,
    });
    t.not(rotated.secret, known);
    // The receiver learns of it some time later.
    await sleep(300);
    known = rotated.secret;
  }
  await creating;
  await eventually("all came", () => new Set(namesOf(receiver.received)).size >= names.length || undefined);
  t.deepEqual(wrong, []);
});

test("given answers of all kinds, then deliveries wait, the endpoint alone is slowed down or disabled, and a redelivery arrives", async (t) => {
  const { receiver, create, createPool, call } = await start(t);
  const answers: Record<string, Receiver["answer"]> = {
    "/moved": (_, response) => response.writeHead(302, { location: receiver.url("/elsewhere") }).end(),
    "/gone": (_, response) => response.writeHead(410).end(),
    "/busy": (_, response) => response.writeHead(429, { "retry-after": "3600" }).end(),
    "/broken": (_, response) => response.writeHead(500).end(),
    "/cut": (_, response) => response.socket!.destroy(),
    "/huge": (_, response) => response.writeHead(200).end(Buffer.alloc(1_000_000)),
    "/good": (_, response) => response.writeHead(204).end(),
  };
  receiver.answer = (received, response) => answers[received.path]!(received, response);
  const ids = new Map<string, string>();
  for (const path of Object.keys(answers)) ids.set(path, (await create({ url: receiver.url(path) })).id);
  await createPool("one");
  const deliveryOf = async (path: string) => {
    const at = `/api/v2/webhooks/${ids.get(path)}/deliveries`;
    return (await call<Message[]>("GET", at))[0];
  };
  const settled = (path: string) =>
    eventually(`${path} has answered`, async () => {
      const found = await deliveryOf(path);
      return (found?.attempts ? found : undefined) as (Message & { id: string }) | undefined;
    });
  t.like(await settled("/good"), { state: "delivered", last_status: 204 });
  t.like(await settled("/moved"), { state: "retry_wait", last_status: 302 });
  t.like(await settled("/broken"), { state: "retry_wait", last_status: 500 });
  const busy = await settled("/busy");
  t.like(busy, { state: "retry_wait", last_status: 429 });
  const waitMs = Date.parse(busy.next_attempt_at as string) - Date.parse(busy.updated_at as string);
  t.true(waitMs >= 3_600_000, String(waitMs));
  t.like(await settled("/cut"), { state: "retry_wait", last_status: 0 });
  t.like(await settled("/huge"), { state: "retry_wait", last_status: 0 });
  t.like(await settled("/gone"), { state: "held", last_status: 410 });
  t.like(await call("GET", `/api/v2/webhooks/${ids.get("/gone")}`), {
    status: "disabled",
    disabled_reason: "gone",
  });
  t.is(receiver.at("/elsewhere").length, 0);
  // Five seconds later, give or take a fifth, those without another wait are sent again.
  await eventually("it is sent again", () => receiver.at("/broken").length >= 2 || undefined);
  const [first, second] = receiver.at("/broken");
  t.is(first!.headers["webhook-id"], second!.headers["webhook-id"]);
  // Enabled again, it sends what was held.
  answers["/gone"] = answers["/good"]!;
  await call("PATCH", `/api/v2/webhooks/${ids.get("/gone")}`, { status: "active" });
  await eventually(
    "what was held came",
    async () => (await deliveryOf("/gone"))?.state === "delivered" || undefined,
  );
  const good = await settled("/good");
  const at = `/api/v2/webhooks/${ids.get("/good")}/deliveries`;
  t.like(await call("POST", `${at}/${good.id}:redeliver`, {}), { state: "pending", attempts: 0 });
  await eventually("it came again", () => receiver.at("/good").length >= 2 || undefined);
  await eventually(
    "that is known",
    async () => (await deliveryOf("/good"))?.state === "delivered" || undefined,
  );
  const job = await call("POST", `${at}:redeliver`, { since: new Date(0).toISOString() });
  t.like(job, { kind: "redeliver", total: 1 });
  await eventually("and once more", () => receiver.at("/good").length >= 3 || undefined);
  t.deepEqual(new Set(receiver.at("/good").map(({ headers }) => headers["webhook-id"])).size, 1);
});

interface Killed {
  readonly ordering: "none" | "subject" | "strict";
  readonly kills: number;
  readonly settings?: readonly string[];
}

for (const ordering of ["none", "subject", "strict"] as const)
  test(`given the service killed ${kills} times, when events are sent with ordering ${ordering}, then each comes at least once, and in order`, (t) =>
    survives(t, { ordering, kills }));

needing(test.serial, "cassandra")(
  `on Cassandra, given the service killed ${cassandraKills} times, when events are sent in strict order, then each comes at least once, and in order`,
  async (t) => {
    const cassandra = await startCassandra();
    try {
      await survives(t, { ordering: "strict", kills: cassandraKills, settings: cassandra.settings });
    } finally {
      await cassandra.stop();
    }
  },
);

async function survives(t: ExecutionContext, { ordering, kills, settings = [] }: Killed): Promise<void> {
  const { receiver, server, create, createPool, call } = await start(t, settings);
  await create({ ordering, kinds: ["pool"], max_in_flight: 8 });
  const taken: Received[] = [];
  receiver.answer = (received, response) => {
    const isTaken = Math.random() > 0.02;
    if (isTaken) taken.push(received);
    setTimeout(() => response.writeHead(isTaken ? 200 : 503).end(), Math.random() * 20);
  };
  const names = Array.from({ length: Math.max(60, kills * 4) }, (_, n) => `pool-${n}`);
  let created = 0;
  const creating = (async () => {
    for (const name of names) {
      const headers = { "idempotency-key": name };
      const { id } = await surely(() => createPool(name, headers));
      for (const step of [1, 2]) {
        const body = { name: `${name} ${step}` };
        await surely(() => call("PATCH", `/api/pools/${id}`, body, { "idempotency-key": `${name}-${step}` }));
      }
      created++;
    }
  })();
  for (let kill = 1; kill <= kills; kill++) {
    await eventually("some are created", () => created >= (names.length * kill) / (kills + 1) || undefined);
    await server.kill();
    await server.start();
  }
  await creating;
  const idsOf = () => new Map(taken.map((one) => [one.body.id, one] as const));
  await eventually("every event came", () => idsOf().size >= names.length * 3 || undefined);
  t.is(idsOf().size, names.length * 3);
  if (ordering !== "none") t.deepEqual(wrongOrder(ordering, receiver.received), []);
}

/**
 * Of all attempts, also those that were not taken: after an event none comes that was published before it. Of one subject; with
 * `strict` of a shard, and an event comes again only before any other.
 */
function wrongOrder(ordering: Killed["ordering"], received: readonly Received[]): readonly string[] {
  const wrong: string[] = [];
  const last = new Map<string, number>();
  const seen = new Set<string>();
  let before = "";
  for (const { body } of received) {
    const { subject, id } = body as typeof body & { subject: string };
    const [shard, seq] = id.split("-").map(Number) as [number, number];
    const lane = ordering === "strict" ? `shard ${shard}` : subject;
    if (seq < (last.get(lane) ?? 0)) wrong.push(`${id} came after ${last.get(lane)} of ${lane}`);
    last.set(lane, seq);
    if (ordering === "strict" && id !== before && seen.has(id))
      wrong.push(`${id} came again after ${before}`);
    seen.add(id);
    before = id;
  }
  return wrong;
}
