import { isDeepStrictEqual } from "node:util";
import { isRefusal, limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { cutToBytes, type PageRequest } from "../kit/cursor.ts";
import { limitReached, newRecord } from "../kit/record.ts";
import { secretOf } from "../kit/state.ts";
import type { TenantPurge } from "../kit/tenant.ts";
import { checkVersion } from "../kit/version.ts";
import type { Channel } from "../notify/outbound/types.ts";
import { type Integration, type IntegrationSettings, integrationMessage, integrationRows } from "./record.ts";
import { deletedRows, type Event, type State } from "./state.ts";

export type Command =
  | TenantPurge
  | { readonly type: "create"; readonly channel: Channel; readonly given: IntegrationSettings }
  | { readonly type: "list"; readonly channel?: Channel; readonly request: PageRequest }
  | { readonly type: "get"; readonly id: string }
  | {
      readonly type: "update";
      readonly id: string;
      readonly given: IntegrationSettings;
      readonly version?: number;
    }
  | { readonly type: "delete"; readonly id: string; readonly version?: number };

const noSuch = refuse("NOT_FOUND", "there is no such integration");

/** A change is answered when every audience has applied it: none of them chooses by the old one any more. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  switch (command.type) {
    case "purge":
      return { events: [{ type: "purged" }], frees: true };
    case "create":
      return create(state, command, context);
    case "list":
      return list(state, command.channel, command.request, context);
    case "get":
      return get(state, command.id, context);
    case "update":
    case "delete":
      return change(state, command, context);
  }
}

function create(
  state: State,
  { channel, given }: Extract<Command, { type: "create" }>,
  context: Context,
): Decision<Event> {
  if (integrationRows.total(state.counts) >= limits.integrationsMax)
    return limitReached("a tenant", limits.integrationsMax, "integrations");
  const settings = { ...given, channel, paceEpoch: given.rate ? 1 : 0 };
  return put(state, null, newRecord(context.newId(), settings, context.now), context);
}

function change(
  state: State,
  command: Extract<Command, { type: "update" | "delete" }>,
  context: Context,
): Decision<Event> {
  const record = integrationRows.get(command.id, context);
  if (record === undefined) return integrationRows.need(command.id);
  if (record === null) return noSuch;
  const conflict = checkVersion(record.recordVersion, command.version);
  if (conflict) return conflict;
  const { now } = context;
  if (command.type === "delete") {
    const events: Event[] = [{ type: "integration_removed", record, at: now }];
    const oldest = state.deleted[0];
    if (state.deleted.length >= limits.integrationsDeletedMax) events.push({ type: "forgotten", ...oldest! });
    return { events, answer: { id: record.id, deleted: true }, awaitDelivery: true };
  }
  const { rate: _, ...rest } = record;
  const recordVersion = record.recordVersion + 1;
  const paces = command.given.active && command.given.rate !== undefined;
  const paced = record.active && record.rate !== undefined;
  const paceEpoch = paces ? (paced ? record.paceEpoch : recordVersion) : 0;
  const next: Integration = { ...rest, ...command.given, paceEpoch };
  if (isDeepStrictEqual(next, record))
    return { events: [], answer: integrationMessage(record, state.tenant) };
  return put(state, record, { ...next, recordVersion, updatedAt: now }, context);
}

function put(
  state: State,
  before: Integration | null,
  after: Integration,
  context: Context,
): Decision<Event> {
  const conflict = integrationRows.conflict(after, context);
  if (conflict && "need" in conflict) return conflict;
  if (conflict)
    return refuse("ALREADY_EXISTS", `another integration of ${after.channel} is called ${after.name}`);
  const answer = integrationMessage(after, state.tenant);
  return { events: [{ type: "integration_put", before, after }], answer, awaitDelivery: true };
}

/** Also one that is deleted: deliveries name it. */
function get(state: State, id: string, context: Context): Decision<Event> {
  const ref = { collection: deletedRows, key: [id] };
  const found = integrationRows.get(id, context) ?? (context.row(ref) as Integration | null | undefined);
  if (found === undefined) return { need: [...integrationRows.need(id).need, ref] };
  return found === null ? noSuch : { events: [], answer: integrationMessage(found, state.tenant) };
}

function list(
  state: State,
  channel: Channel | undefined,
  request: PageRequest,
  context: Context,
): Decision<Event> {
  const filter = { channel };
  const page = integrationRows.page(state.counts, { request, filter, secret: state.secret }, context);
  if (isRefusal(page) || "need" in page) return page;
  const integrations = cutToBytes(page.values.map((record) => integrationMessage(record, state.tenant)));
  const { secret, drawn } = secretOf(state, context);
  const more = page.more || integrations.length < page.values.length;
  const next_page_token = more ? page.cursorAfter(page.values[integrations.length - 1]!.id, secret) : "";
  return { events: drawn, answer: { integrations, next_page_token, total: page.total } };
}
