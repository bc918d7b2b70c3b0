/** The kinds of events in the contract, in docs/events.md and in what modules publish are the same. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import test from "ava";
import { subscribeEvents } from "../../actors/events/subscribe.ts";
import { snakeCase } from "../../actors/kit/resource.ts";
import type { Cause } from "../../actors/pools/queue/rows/change.ts";
import { loadContract } from "../../gateway/contract/index.ts";
import { eventMessages } from "../../protos/index.ts";
import { eventually } from "../support/eventually.ts";
import { startModules } from "../support/modules.ts";

const root = path.resolve(import.meta.dirname, "../..");
const contract = loadContract();
const { validate } = contract.byName.get("EventService.Subscribe")!;
const [refused] = validate({ kinds: ["no.such_kind"] })!;
const accepted = refused!.reason.replace("must be one of ", "").split(", ");
const kinds = accepted.filter((name) => name.includes(".")).sort();

test("a subscription to an unknown kind is refused, and the error names it and the known kinds", (t) => {
  t.deepEqual(validate({ kinds: ["queue", "queue.paused"] }), undefined);
  const [error] = validate({ kinds: ["queue_item", "queue.pausd"] })!;
  t.is(error!.field, "kinds[1]");
  t.regex(error!.reason, /^must be one of .*\bqueue_item\.completed\b/);
});

test("a subscription to many unknown kinds: the error fits into the trailers of an RPC", (t) => {
  const errors = validate({ kinds: Array.from({ length: 100 }, () => "no.such_kind") })!;
  t.true(errors.length > 1);
  t.true(JSON.stringify(errors).length < 6_000);
});

test("a subscriber may ask for all kinds of a subject, and for each", (t) => {
  const subjects = new Set(kinds.map((kind) => kind.split(".")[0]!));
  t.deepEqual(accepted.filter((name) => !name.includes(".")).sort(), [...subjects].sort());
});

test("docs/events.md lists the kinds of the contract", (t) => {
  const text = readFileSync(path.join(root, "docs/events.md"), "utf8");
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  const listed = rows.flatMap((row) => {
    const names = [...row.split("|")[1]!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
    const subject = names[0]!.split(".")[0]!;
    return names.map((name) => (name.startsWith(".") ? `${subject}${name}` : name));
  });
  t.deepEqual(listed.sort(), kinds);
});

/** Every cause is listed here, or this does not compile; `held` is not published. */
const causes: Readonly<Record<Exclude<Cause, "held">, true>> = {
  enqueued: true,
  coalesced: true,
  ready: true,
  leased: true,
  extended: true,
  completed: true,
  retry_scheduled: true,
  released: true,
  lease_expired: true,
  dead: true,
  cancelled: true,
  drained: true,
  expired: true,
  superseded: true,
  redriven: true,
  quarantined: true,
  unquarantined: true,
  purged: true,
};

/** Resources whose event kinds are their statuses. */
const kindsOf = (resource: string) => kinds.filter((kind) => kind.startsWith(`${resource}.`));

/** Of a resource (actors/kit) that publishes, and of its actions. */
function kindsOfRecords(text: string): string[] {
  const [, one] = /^ {2}one: "(\w+)",$/m.exec(text) ?? [];
  if (one === undefined) return [];
  const all = ["created", "updated", "deleted"].map((verb) => `${snakeCase(one)}.${verb}`);
  const ofActions = [...text.matchAll(/\bpublishes: "([^"]+)"/g)].map(([, kind]) => kind!);
  return [...(/^ {2}publishes: \(/m.test(text) ? all : []), ...ofActions];
}

test("the kinds of a resource of records are read from its source", (t) => {
  const text =
    'export const r = {\n  one: "ApiNote",\n  publishes: () => ({}),\n  actions: { A: { publishes: "api_note.read" } },\n};';
  t.deepEqual(kindsOfRecords(text), [
    "api_note.created",
    "api_note.updated",
    "api_note.deleted",
    "api_note.read",
  ]);
  t.deepEqual(kindsOfRecords(text.replace("  publishes: () => ({}),\n", "")), ["api_note.read"]);
  t.deepEqual(kindsOfRecords("export const r = {};"), []);
});

test("modules publish exactly the kinds of the contract", (t) => {
  const written: Readonly<Record<string, readonly string[]>> = {
    "queue_item.${cause}": Object.keys(causes).map((cause) => `queue_item.${cause}`),
    "connect_session.${session.status}": kindsOf("connect_session"),
    "connection.${what}": kindsOf("connection"),
    "connector_execution.${after.status}": kindsOf("connector_execution"),
    "connector_trigger.${kind}": kindsOf("connector_trigger"),
    "provider_config.${record.status}": kindsOf("provider_config"),
    "recipient.${event.change}": ["recipient.created", "recipient.updated"],
    "rule.${event.change}": ["rule.created", "rule.updated"],
    "${snakeCase(one)}.${what}": sources().flatMap(kindsOfRecords),
    "experiment.${what}": kindsOf("experiment"),
    "${about}.${verb}": ["subscriber", "endpoint", "preference"].flatMap(kindsOf),
    "delivery.${what}": kindsOf("delivery"),
    "notification_dead_letter.${verb}": kindsOf("notification_dead_letter"),
    "broadcast.${state}": kindsOf("broadcast"),
    "evidence_pack.${what}": kindsOf("evidence_pack"),
    "evidence_run.${run.state}": kindsOf("evidence_run"),
    "workflow_definition.${status}": kindsOf("workflow_definition"),
    "workflow_run.${status}": kindsOf("workflow_run"),
    "webhook.${what}": kindsOf("webhook").filter((kind) => kind !== "webhook.deleted"),
    "promotion.${candidate.state}": kindsOf("promotion"),
  };
  const published = sources()
    .flatMap((text) => [...text.matchAll(/\.publish\(([^,]+),/g)])
    .flatMap(([, kind]) => [...kind!.matchAll(/["`]([^"`]+\.[^"`]+)["`]/g)])
    .flatMap(([, name]) => written[name!] ?? [name!]);
  t.deepEqual([...new Set(published)].sort(), kinds);
});

test("what is published has the shape of the message that declares its kind", async (t) => {
  const { context, call, createPool, inPool, inQueue } = await startModules(t);
  const messages = eventMessages(contract.registry);
  const seen = new Set<string>();
  const stop = new AbortController();
  const sent = subscribeEvents(requests(), { ...context(), signal: stop.signal });
  const read = (async () => {
    for await (const one of sent) {
      const { event } = one as { event?: { kind: string; payload: JsonValue } };
      if (event === undefined) continue;
      const json = JSON.parse(JSON.stringify(event.payload)) as JsonValue;
      t.notThrows(() => fromJson(messages.get(event.kind)!, json), `${event.kind} ${JSON.stringify(json)}`);
      seen.add(event.kind);
      if (event.kind === "pool.deleted") break;
    }
  })();
  // A subscription "from now on" has begun when its first event arrives.
  await eventually("the first event", async () => {
    await createPool();
    return seen.size === 0 ? undefined : true;
  });
  const singleton = { key: "item.key", mode: "skip" };
  const pool_id = await createPool({ config: { max_attempts: 1, admission: { singleton } } });
  await inPool(pool_id, "PoolService.UpdatePool", { name: "q", update_mask: ["name"] });
  const made = await inPool(pool_id, "RecipientService.CreateRecipient", { name: "r" });
  const recipient_id = made.id as string;
  const rule = { name: "x", order: 1, enabled: true, condition: "item.key == 'no'" };
  const action = { reject: { reason: "no" } };
  const { id: rule_id } = await inPool(pool_id, "RuleService.CreateRule", { ...rule, action });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await inQueue(pool_id, "QueueControlService.PauseQueue", { reason: "r", until });
  await inQueue(pool_id, "QueueControlService.ResumeQueue");
  await call("QueueService.Enqueue", { pool_id, key: "a" });
  const claimed = await inQueue(pool_id, "QueueService.Claim", {
    recipient_id,
    max_items: 1,
    wait_seconds: 0,
  });
  const [{ item, lease_token }] = claimed.items as [{ item: { id: string }; lease_token: string }];
  const failed = {
    queue_item_id: item.id,
    lease_token,
    error: "no",
    retryable: false,
  };
  await inQueue(pool_id, "QueueService.Fail", failed);
  await inPool(pool_id, "RuleService.DeleteRule", { rule_id });
  await inPool(pool_id, "RecipientService.DeleteRecipient", { recipient_id });
  await inPool(pool_id, "PoolService.DeletePool", { force: true });
  await read;
  stop.abort();
  t.deepEqual([...seen].sort(), [
    "pool.created",
    "pool.deleted",
    "pool.updated",
    "queue.paused",
    "queue.resumed",
    "queue_item.dead",
    "queue_item.enqueued",
    "queue_item.leased",
    "recipient.created",
    "recipient.deleted",
    "rule.created",
    "rule.deleted",
  ]);
});

async function* requests(): AsyncIterable<unknown> {
  yield { cursor: "", kinds: [] };
}

function sources(): string[] {
  return readdirSync(path.join(root, "actors"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(path.join(root, "actors", file), "utf8"));
}
