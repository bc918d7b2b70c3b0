import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision, EffectStep } from "#runtime";
import type { EntityPurge } from "../kit/directory.ts";
import { cancelJob, jobMessage, listJobs, noJob, startJob, stepJobs } from "../kit/jobs.ts";
import { listed, type PageRequest } from "../kit/list.ts";
import { nextRecord, updatedSettings } from "../kit/record.ts";
import type { EncryptedSecret } from "../kit/secrets.ts";
import { deciding } from "../kit/table.ts";
import { checkVersion } from "../kit/version.ts";
import {
  newDelivery,
  openOf,
  redelivered,
  roomFor,
  type Settled,
  settle,
  type Taken,
  take,
} from "./deliveries.ts";
import {
  bodyRows,
  type Changes,
  type Delivery,
  deliveries,
  deliveryMessage,
  endedRows,
  isOpen,
  oldestFirst,
  type Rotation,
  type Selection,
  statusOf,
  type Webhook,
  type WebhookCreation,
  webhookMessage,
} from "./record.ts";
import { type Changed, type Event, mislabelled, type State } from "./state.ts";

export type Command =
  | WebhookCreation
  | EntityPurge
  | { readonly type: "get" | "look" | "secrets" }
  | (Changes & { readonly type: "change" })
  | (Rotation & { readonly type: "rotate" })
  | { readonly type: "reencrypt"; readonly secrets: readonly EncryptedSecret[] }
  | { readonly type: "delete"; readonly version?: number }
  | { readonly type: "test" }
  | { readonly type: "list"; readonly request: PageRequest & { readonly state?: string } }
  | { readonly type: "get_delivery" | "redeliver"; readonly id: string }
  | { readonly type: "open"; readonly id: string; readonly generation: number }
  | {
      readonly type: "redeliver_all";
      readonly selection: Omit<Selection, "until"> & { readonly until?: number };
    }
  | { readonly type: "list_jobs"; readonly request: PageRequest }
  | { readonly type: "get_job" | "cancel_job"; readonly id: string }
  | { readonly type: "effect"; readonly step: EffectStep<Taken | Settled> }
  | { readonly type: "tick" };

const decided = deciding<State, Command, Event>({
  create: (_state, { record, cursor }, { now }) =>
    change({
      record,
      flow: { window: record.maxInFlight },
      position: cursor,
      pumpAt: now,
      publishes: [{ what: "created" }],
    }),
  purge: (_state, { id }) => ({ events: [{ type: "removed", id, publishes: false }], frees: true }),
  get: (state) => ({ events: [], answer: webhookMessage(state.record!, state.flow) }),
  look: ({ record }) => ({ events: [], answer: record }),
  secrets({ record }) {
    const { id, tenant, environment, secret, previous } = record!;
    return {
      events: [],
      answer: { id, tenant, environment, secrets: [secret, ...(previous ? [previous] : [])] },
    };
  },
  change: update,
  rotate,
  reencrypt,
  delete(state, { version }) {
    const { id, recordVersion } = state.record!;
    const removed: Event = { type: "removed", id, publishes: true };
    return (
      checkVersion(recordVersion, version) ?? {
        events: [removed],
        answer: { id, deleted: true },
        frees: true,
      }
    );
  },
  test(state, _command, context) {
    if (statusOf(state.record!) === "disabled") return isDisabled;
    const { id, tenant } = state.record!;
    const eventId = context.newId();
    const timestamp = new Date(context.now).toISOString();
    const body = JSON.stringify({
      type: "webhook.test",
      timestamp,
      data: {},
      tenant_id: tenant,
      id: eventId,
      environment: state.record!.environment,
      subject: id,
    });
    const { placed } = state.flow;
    const after = newDelivery({ eventId, kind: "webhook.test", subject: id, body }, placed, context);
    const { forgets, kept, isEnough } = roomFor(state, 1, after.bytes, context);
    if (!isEnough) return isFull;
    const flow = { bytes: kept + after.bytes, placed: placed + 1 };
    return change({ flow, puts: [{ before: null, after, body }], forgets }, deliveryMessage(after, id));
  },
  list({ record, line, counts }, { request }, context) {
    const show = (one: Delivery) => deliveryMessage(line.get(one.id) ?? one, record!.id);
    const filter = request.state === undefined ? {} : { state: request.state };
    return listed("deliveries", deliveries.page(counts, { request, filter }, show, context));
  },
  get_delivery(state, { id }, context) {
    const found = find(state, id, context);
    if (isRefusal(found)) return found;
    return {
      events: [],
      answer: deliveryMessage(found, state.record!.id, context.get(bodyRows, [id]) ?? ""),
    };
  },
  redeliver(state, { id }, context) {
    const found = find(state, id, context);
    if (isRefusal(found)) return found;
    if (statusOf(state.record!) === "disabled") return isDisabled;
    const { placed } = state.flow;
    const after = redelivered(found, placed, context.now);
    const answer = deliveryMessage(after, state.record!.id);
    if (after === found) return { events: [], answer };
    return change({ puts: [{ before: found, after }], flow: { placed: placed + 1 } }, answer);
  },
  open(state, { id, generation }, context) {
    const delivery = openOf(state, id, generation);
    const body = delivery && context.get(bodyRows, [id]);
    return { events: [], answer: delivery && { webhook: state.record, delivery, body: body ?? "" } };
  },
  redeliver_all(state, { selection: { until, ...selection } }, context) {
    const job = {
      id: context.newId(),
      kind: "redeliver" as const,
      filter: "",
      selection: { ...selection, until: until ?? context.now },
      rate: 0,
      total: deliveries.total(state.counts),
    };
    const event = startJob(state.jobs, job, context);
    return isRefusal(event) ? event : { events: [event], answer: jobMessage(event.jobs[0]!) };
  },
  list_jobs: (state, { request }, { address }) =>
    listed("jobs", listJobs(state.jobs, request, ["webhook-jobs", address.tenant, address.key])),
  get_job(state, { id }) {
    const job = state.jobs.get(id);
    return job === undefined ? noJob(id) : { events: [], answer: jobMessage(job) };
  },
  cancel_job(state, { id }, { now }) {
    const event = cancelJob(state.jobs, id, now);
    if (isRefusal(event)) return event;
    const job = event?.jobs[0] ?? state.jobs.get(id)!;
    return { events: event ? [event] : [], answer: jobMessage(job) };
  },
  effect(state, { step }, context) {
    if (step.type === "begin") return { events: [] };
    const { result } = step;
    return "events" in result ? take(state, result, context) : settle(state, result, context);
  },
  tick,
});

/** What comes late to an endpoint that was deleted finds nothing. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  const isNew = command.type === "create";
  if (isNew === (state.record === undefined)) return decided(state, command, context);
  const isOwn = isNew || command.type === "effect" || command.type === "tick" || command.type === "purge";
  return isOwn ? { events: [] } : refuse("NOT_FOUND", "there is no such webhook");
}

const isDisabled = refuse("FAILED_PRECONDITION", "the webhook is disabled: enable it first", {
  reason: "WEBHOOK_DISABLED",
});

const isFull = refuse("FAILED_PRECONDITION", "the webhook has as many open deliveries as it may", {
  reason: "WEBHOOK_FULL",
});

function change(what: Omit<Changed, "type">, answer?: unknown): Decision<Event> {
  return { events: [{ type: "changed", ...what }], ...(answer !== undefined && { answer }) };
}

function find(state: State, id: string, context: Context): Delivery | Refusal {
  const found = state.line.get(id) ?? deliveries.get(id, context);
  return found ?? refuse("NOT_FOUND", `there is no delivery ${id}`);
}

const fields = ["name", "url", "kinds", "status", "ordering", "max_in_flight"];

function update(state: State, { given, version, secret, headerNames, cursor }: Changes, context: Context) {
  const record = state.record!;
  const stale = checkSecret(record, secret);
  if (stale) return stale;
  const { name, url, kinds, ordering, maxInFlight: max_in_flight } = record;
  const settings = { name, url, kinds, ordering, max_in_flight, status: statusOf(record) };
  const asked = { ...given, ...(version !== undefined && { record_version: version }) };
  const changed = updatedSettings(record, settings, asked, { fields, required: ["name", "url", "kinds"] });
  if (isRefusal(changed)) return changed;
  const { max_in_flight: most = limits.webhookInFlight, status, ...rest } = changed;
  const isOff = status === "disabled";
  const wasOff = statusOf(record) === "disabled";
  const after = nextRecord<Webhook>(
    record,
    {
      ...record,
      ...rest,
      maxInFlight: most,
      disabledReason: isOff ? (wasOff ? record.disabledReason : "by_caller") : "",
      ...(secret && { secret, headerNames: headerNames ?? [] }),
    },
    context.now,
  );
  if (after === undefined) return { events: [], answer: webhookMessage(record, state.flow) };
  const begins = wasOff && !isOff;
  const flow = { ...state.flow, window: most, ...(begins && { failingSince: 0, lastGap: context.now }) };
  const publishes = [
    { what: "updated" },
    ...(isOff && !wasOff ? [{ what: "disabled", more: { reason: "by_caller" } }] : []),
  ];
  const position = begins && cursor ? { position: cursor } : {};
  return change(
    { record: after, flow, pumpAt: context.now, publishes, ...position },
    webhookMessage(after, flow),
  );
}

/** A secret is encrypted for the next version: of two at a time the later one is encrypted again. */
function checkSecret({ secret }: Webhook, next: EncryptedSecret | undefined): Refusal | undefined {
  if (next === undefined || next.version === secret.version + 1) return undefined;
  return refuse("VERSION_CONFLICT", "the secret was changed by another request: send it again", {
    reason: "CREDENTIAL_VERSION",
  });
}

function rotate(state: State, { secret, publicKey, overlapMs }: Rotation, { now }: Context): Decision<Event> {
  const record = state.record!;
  const stale = checkSecret(record, secret);
  if (stale) return stale;
  const previous = overlapMs > 0 ? { ...record.secret, untilMs: now + overlapMs } : null;
  const after = nextRecord<Webhook>(record, { ...record, secret, publicKey, previous }, now)!;
  return change({ record: after, publishes: [{ what: "updated" }] }, webhookMessage(after, state.flow));
}

/** The same secrets under another key. */
function reencrypt(
  state: State,
  { secrets }: { readonly secrets: readonly EncryptedSecret[] },
): Decision<Event> {
  const record = state.record!;
  const anew = (one: EncryptedSecret) => secrets.find(({ version }) => version === one.version) ?? one;
  const { secret, previous } = record;
  const after = { ...record, secret: anew(secret), previous: previous && { ...previous, ...anew(previous) } };
  return change({ record: after }, {});
}

function tick(state: State, _command: object, context: Context): Decision<Event> {
  const { now } = context;
  const events: Event[] = [];
  let { placed } = state.flow;
  const puts = new Map<string, { before: Delivery; after: Delivery }>();
  const isActive = statusOf(state.record!) === "active";
  const put = (before: Delivery, after: Delivery) => void puts.set(before.id, { before, after });
  if (isActive) for (const one of state.line.due(now)) put(one, { ...one, state: "pending", nextAt: 0 });
  if (mislabelled(state) > 0) relabel(state, isActive, now, put);
  const jobs = stepJobs(state.jobs, now, (job, most) => {
    const room = Math.min(most, limits.webhookOpenMax - state.line.size - puts.size);
    // While the endpoint is disabled a job waits.
    if (!isActive || room <= 0)
      return { cursor: job.cursor, looked: 0, changed: 0, skipped: 0, ended: false, full: true };
    const { values } = oldestFirst.after(state.counts, {}, context, job.cursor || undefined, room);
    const { since, until, kinds, states } = job.selection;
    const wanted = values.filter(
      (one) =>
        !isOpen(one) &&
        !puts.has(one.id) &&
        one.createdAt >= since &&
        one.createdAt < until &&
        (states.length === 0 || states.includes(one.state)) &&
        (kinds.length === 0 || kinds.some((kind) => one.kind === kind || one.kind.startsWith(`${kind}.`))),
    );
    for (const one of wanted) put(one, redelivered(one, placed++, now));
    const cursor = values.at(-1)?.id ?? job.cursor;
    const changed = wanted.length;
    return { cursor, looked: values.length, changed, skipped: 0, ended: values.length < room, full: false };
  });
  if (jobs) events.push(jobs);
  const forgotten =
    now >= state.retainAt ? expired(state, context).filter(({ id }) => !puts.has(id)) : undefined;
  const more =
    puts.size > 0 || forgotten
      ? [changedBy(state, { puts: [...puts.values()], flow: { placed } }, forgotten, now)]
      : [];
  return { events: [...events, ...more] };
}

function changedBy(
  state: State,
  what: Pick<Changed, "puts" | "flow">,
  forgotten: readonly Delivery[] | undefined,
  now: number,
): Changed {
  if (forgotten === undefined) return { type: "changed", ...what };
  const bytes = state.flow.bytes - forgotten.reduce((sum, one) => sum + one.bytes, 0);
  const goesOn = forgotten.length === limits.webhookStepMax;
  const retainAt = now + (goesOn ? 1 : limits.webhookRetainMs);
  return { type: "changed", ...what, forgets: forgotten, flow: { ...what.flow, bytes }, retainAt };
}

/** Those that have ended long ago, some at a time. */
function expired(state: State, context: Context): readonly Delivery[] {
  const rows = context
    .scan(endedRows, { limit: limits.webhookStepMax })
    .filter(({ key: [atMs] }) => atMs <= context.now);
  const found = deliveries.getMany(
    rows.map(({ key: [, id] }) => id),
    context,
  );
  return found.filter(
    (one) => one !== null && isOpen(one) === false && state.line.get(one.id) === undefined,
  ) as Delivery[];
}

/** Deliveries say that the endpoint was disabled, or enabled again: some at a time. */
function relabel(
  { line }: State,
  isActive: boolean,
  now: number,
  put: (before: Delivery, after: Delivery) => void,
): void {
  let left: number = limits.webhookStepMax;
  for (const one of line.values()) {
    if (left === 0) return;
    if (one.state === "sending" || (one.state === "held") !== isActive) continue;
    put(one, { ...one, state: isActive ? "pending" : "held", nextAt: 0, updatedAt: now });
    left--;
  }
}
