import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExecutionContext } from "ava";
import { devTenantId, Random } from "#base";
import { startMailServer } from "../support/counting-mail-server.ts";
import { eventually } from "../support/eventually.ts";
import { Server } from "./server.ts";

/** The server takes this subscriber's mails and then cuts the connection. */
const cutAddress = "cut@example.com";
const batch = 1_000;
/** Messages that are taken between a start and the next kill, at least. */
const takenLeast = 20;

export interface Delivery {
  readonly id: string;
  readonly subscriber_id: string;
  readonly channel: string;
  readonly status: string;
  readonly dead_letter_id?: string;
  readonly reconciliation_required: boolean;
  readonly failure?: { readonly code: string };
}

interface Broadcast {
  readonly state: string;
  readonly expanded: number;
  readonly sent: number;
  readonly failed: number;
}

/** What arrives, by the key of its delivery. */
interface Arrived {
  readonly mails: ReadonlyMap<string, number>;
  readonly webhooks: ReadonlyMap<string, number>;
}

export interface KilledBroadcasts {
  readonly broadcasts: readonly string[];
  readonly arrived: Arrived;
  /** At each kill: webhooks of the broadcasts so far that had no answer. */
  readonly unansweredAtKill: readonly number[];
  /** The first subscriber is the one whose mails are cut off. */
  readonly subscribers: readonly string[];
  readonly call: Call;
}

type Call = <Answer>(method: string, path: string, body?: object, whole?: boolean) => Promise<Answer>;

/** Broadcasts to a mail server and an HTTP server, and a service that is killed in the middle of each; in the end all are over. */
export async function killInBroadcasts(
  t: ExecutionContext,
  options: { readonly kills: number; readonly members: number; readonly settings?: readonly string[] },
): Promise<KilledBroadcasts> {
  const { kills, members, settings = [] } = options;
  const random = new Random("notifications");
  const hooks = await webhookServer(t, random);
  let cutMails = 0;
  const mail = await startMailServer((to) => {
    if (to !== cutAddress) return "taken";
    cutMails++;
    return "cut";
  });
  t.teardown(() => mail.stop());
  const server = await startService(t, settings, { mailPort: mail.port, hookUrl: hooks.url });
  const call = callerOf(server);
  const subscribers = await subscribe(call, members);

  const broadcasts: string[] = [];
  const unansweredAtKill: number[] = [];
  const unanswered = () => broadcasts.length * members - hooks.answered.size;
  for (let kill = 0; kill < kills; kill++) {
    if (unanswered() < members / 2) {
      broadcasts.push(`broadcast-${broadcasts.length}`);
      // The last webhook of all has no answer before the kill: so every kill is in the middle of a broadcast.
      hooks.answersMost = broadcasts.length * members - 1;
      await trigger(call, broadcasts.at(-1)!);
    }
    const before = hooks.answers() + mail.mails.size;
    const taken = () => hooks.answers() + mail.mails.size - before;
    // A kill before the mail server has seen the first mail would leave no mail that was cut off.
    await eventually("messages go out", () => (taken() >= takenLeast && cutMails > 0) || undefined);
    await sleep(random.int(Math.min(2_000, members / 4)));
    await server.kill();
    unansweredAtKill.push(unanswered());
    await server.start();
  }
  hooks.answersMost = Number.POSITIVE_INFINITY;
  for (const id of broadcasts) await over(call, id);
  const arrived = { mails: mail.mails, webhooks: hooks.seen };
  return { broadcasts, arrived, unansweredAtKill, subscribers, call };
}

/** Some answers are slow, so that kills meet them, and some requests are cut off after they were taken. */
async function webhookServer(t: ExecutionContext, random: Random) {
  const seen = new Map<string, number>();
  const answered = new Set<string>();
  let answers = 0;
  const state = { seen, answered, answersMost: Number.POSITIVE_INFINITY, answers: () => answers };
  const server = createServer(async (request, response) => {
    const id = request.headers["webhook-id"] as string;
    request.resume();
    await once(request, "end");
    seen.set(id, (seen.get(id) ?? 0) + 1);
    if (random.chance(0.2)) await sleep(30);
    if (random.chance(0.002)) return void request.socket.destroy();
    while (!answered.has(id) && answered.size >= state.answersMost) {
      if (request.socket.destroyed) return;
      await sleep(10);
    }
    answered.add(id);
    answers++;
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
}

async function startService(
  t: ExecutionContext,
  settings: readonly string[],
  { mailPort, hookUrl }: { readonly mailPort: number; readonly hookUrl: string },
): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard.notify-"));
  const file = join(folder, "connections.yaml");
  const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  const connections = {
    mail: { provider: "smtp", config: { host: "127.0.0.1", port: mailPort, security: "none" } },
    hook: { provider: "webhook", config: { url: hookUrl }, credential: { secret } },
  };
  await writeFile(file, JSON.stringify({ tenants: { [devTenantId]: connections } }));
  const server = new Server([`notification.connections_file=${file}`, ...settings]);
  t.teardown(async () => {
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  });
  await server.start();
  return server;
}

function callerOf(server: Server): Call {
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

/** Integrations, a workflow and a topic with so many members; their ids. */
async function subscribe(call: Call, members: number): Promise<readonly string[]> {
  const mail = { channel: "email", name: "mail", provider_key: "smtp", connection_id: "static:mail" };
  await call("POST", "notification/integrations", { ...mail, metadata: { from: "us@example.com" } });
  const hook = { channel: "sms", name: "hook", provider_key: "webhook", connection_id: "static:hook" };
  await call("POST", "notification/integrations", hook);
  const email = {
    engine: "liquid",
    subject: "News {{ payload.n }}",
    body: "<p>{{ subscriber.external_id }}</p>",
  };
  const sms = { engine: "handlebars", body: "News {{ payload.n }}" };
  await call("PUT", "notification/workflows/news", { channels: { email, sms } });
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
    const { results } = await call<{ results: { subscriber: { id: string } }[] }>(
      "POST",
      "notification/subscribers:batch",
      { subscribers },
    );
    const joined = results.map(({ subscriber }) => subscriber.id);
    ids.push(...joined);
    await call("POST", "notification/topics/all/subscribers", { subscriber_ids: joined });
  }
  return ids;
}

async function trigger(call: Call, transaction_id: string): Promise<void> {
  const body = { workflow_key: "news", topic: "all", payload: { n: 1 }, transaction_id };
  await call("POST", "notifications/trigger", body);
}

/** However long a large one takes: it has only to go on. */
async function over(call: Call, id: string): Promise<void> {
  let before = "";
  for (let isOver = false; !isOver; )
    await eventually(`broadcast ${id} goes on (${before})`, async () => {
      const found = await call<Broadcast>("GET", `notifications/broadcasts/${id}`);
      const now = [found.state, found.expanded, found.sent, found.failed].join(" ");
      isOver = found.state.startsWith("completed");
      if (!isOver && now === before) return undefined;
      before = now;
      return true;
    });
}

interface Page {
  readonly data: readonly Delivery[];
  readonly next_cursor: string | null;
}

export async function* deliveriesOf(call: Call, transactionId: string): AsyncGenerator<Delivery> {
  let cursor: string | null = "";
  while (cursor !== null) {
    const from: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const query = `transaction_id=${transactionId}&limit=1000${from}`;
    const page: Page = await call<Page>("GET", `notifications/deliveries?${query}`, undefined, true);
    yield* page.data;
    cursor = page.next_cursor;
  }
}
