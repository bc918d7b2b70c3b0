import { limits } from "#base";
import type { RowWriter } from "#runtime";
import type { FanOutProgress, Tally } from "../shared/notify/manifest.ts";
import { type PacerWant, pacerAddress } from "../shared/outbound/types.ts";
import { cards } from "./card.ts";
import { type Delivery, deadLetters, isEnded } from "./delivery.ts";
import {
  count,
  dropRunning,
  type Event,
  type OpenBroadcast,
  openOf,
  pacedKey,
  type SendBody,
  type Standing,
  type State,
  setRunning,
  type Told,
  tiers,
  type Waiting,
  waitingKey,
} from "./state.ts";

export const sendEffect = "notification_send";
/** To providers that have few connections: fewer attempts are under way, and fewer are unknown after a crash. */
export const sendFewEffect = "notification_send_few";

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "secret_drawn":
      state.secret = event.secret;
      rows.put("secret", [], event.secret);
      return;
    case "card_put":
      cards.put(state.cardCounts, event.before, event.after, rows);
      for (const told of event.told ?? []) publishTold(told, rows);
      for (const { to, hash, endpointId } of event.released ?? [])
        rows.send(to, { type: "identity_released", hash, endpointId });
      return;
    case "activity_put": {
      const { subscriberId, activity } = event;
      rows.put("activity", [subscriberId], activity);
      if (state.inboxes.size >= limits.inboxesSeenMax) state.inboxes.clear();
      state.inboxes.set(subscriberId, { sequence: activity.inboxSequence, unread: activity.unread });
      return;
    }
    case "subscription_put": {
      const key = [event.subscriberId, event.topicKey];
      if (event.subscription) rows.put("subscriptions", key, event.subscription);
      else rows.delete("subscriptions", key);
      return;
    }
    case "identity_put":
      if (event.identity) rows.put("identities", [event.hash], event.identity);
      else rows.delete("identities", [event.hash]);
      return;
    case "message_sent":
      rows.send(event.to, event.message);
      return;
    case "claimed":
      rows.put("claims", [event.transactionId], event.claim);
      rows.put("claim_times", [event.claim.at, event.transactionId], 1);
      return;
    case "claims_forgotten":
      for (const [at, transactionId] of event.claims) {
        rows.delete("claims", [transactionId]);
        rows.delete("claim_times", [at, transactionId]);
      }
      return;
    case "claims_due":
      rows.setTimer("claims", event.atMs);
      return;
    case "manifest_put": {
      const { manifest, deliveries } = event;
      rows.put("manifests", [manifest.transactionId], manifest);
      rows.put("manifest_times", [rows.now, manifest.transactionId], 1);
      if (deliveries !== undefined) rows.put("tallies", [manifest.transactionId], deliveries);
      if (state.retentionDays !== event.retentionDays) {
        state.retentionDays = event.retentionDays;
        rows.put("retention", [], event.retentionDays);
      }
      return;
    }
    case "fanned": {
      const open = openOf(state, event.transactionId, event.topic);
      const tally = { ...open.tally, members: open.tally.members + event.members };
      setOpen(state, event.transactionId, { ...open, parts: open.parts + 1, tally });
      return;
    }
    case "fan_out_cancelled":
      setOpen(state, event.transactionId, {
        ...openOf(state, event.transactionId, event.topic),
        cancelled: true,
      });
      rows.setTimer(`cancel:${event.transactionId}`, rows.now);
      return;
    case "cancel_stepped":
      if (event.more) {
        rows.put("cancels", [event.transactionId], event.cursor);
        rows.setTimer(`cancel:${event.transactionId}`, rows.now);
      } else rows.delete("cancels", [event.transactionId]);
      return;
    case "fan_out_over": {
      const open = state.open.get(event.transactionId);
      if (!open) return;
      state.open.delete(event.transactionId);
      state.changedOpen.delete(event.transactionId);
      rows.delete("open", [event.transactionId]);
      rows.put("tallies", [event.transactionId], open.tally.deliveries);
      return;
    }
    case "delivery_put":
      putDelivery(state, event, rows);
      return;
    case "dead_put": {
      const { before, after } = event;
      deadLetters.put(state.deadCounts, before, after, rows);
      if (before?.status === after.status) return;
      const verb = after.status === "open" ? "opened" : after.status;
      const { deliveryId, reason } = after;
      rows.publish(`notification_dead_letter.${verb}`, after.id, { delivery_id: deliveryId, reason });
      return;
    }
    case "observed": {
      const { delivery, observation } = event;
      rows.put("observations", [delivery.id, observation.seq], observation);
      rows.put("observed", [delivery.id, observation.providerEventId], observation.seq);
      publish(delivery, "observed", rows, { observation: observation.kind });
      return;
    }
    case "inbox_put": {
      const { subscriberId, before, after } = event;
      const key = [subscriberId, after.sequence];
      if (after.archived) {
        rows.delete("inbox", key);
        rows.delete("inbox_ids", [subscriberId, after.id]);
        rows.put("archive", key, after);
      } else {
        rows.put("inbox", key, after);
        if (!before) rows.put("inbox_ids", [subscriberId, after.id], after.sequence);
      }
      if (after.archived || after.read) rows.delete("unread", key);
      else rows.put("unread", key, 1);
      return;
    }
    case "inbox_dropped": {
      const { subscriberId, entry } = event;
      rows.delete("inbox", [subscriberId, entry.sequence]);
      rows.delete("unread", [subscriberId, entry.sequence]);
      rows.delete("inbox_ids", [subscriberId, entry.id]);
      return;
    }
    case "integrations_changed":
      for (const copy of event.put) {
        const before = state.integrations.get(copy.id);
        if (copy.rate && before?.paceEpoch !== copy.paceEpoch) wantAnew(state, copy.id);
        state.integrations.set(copy.id, copy);
        rows.put("integrations", [copy.id], copy);
      }
      for (const id of event.removed) {
        state.integrations.delete(id);
        rows.delete("integrations", [id]);
      }
      return;
    case "rechoose_due":
      rows.setTimer(`rechoose:${event.integrationId}`, rows.now);
      return;
    case "deliveries_forgotten":
      for (const { id, subscriberId, transactionId } of event.deliveries) {
        rows.delete("deliveries", [id]);
        rows.delete("by_subscriber", [subscriberId, id]);
        rows.delete("by_transaction", [transactionId, id]);
        rows.deletePrefix("observations", [id]);
        rows.deletePrefix("observed", [id]);
      }
      for (const letter of event.letters) deadLetters.remove(state.deadCounts, letter, rows);
      return;
    case "transactions_forgotten":
      for (const [at, transactionId] of event.transactions) {
        rows.delete("manifest_times", [at, transactionId]);
        rows.delete("manifests", [transactionId]);
        rows.delete("tallies", [transactionId]);
      }
      return;
    case "retention_due":
      state.retentionSet = event.atMs !== undefined;
      if (event.atMs === undefined) rows.delete("retention_set", []);
      else {
        rows.put("retention_set", [], 1);
        rows.setTimer("retention", event.atMs);
      }
      return;
    case "purged":
      purge(state, rows);
      return;
  }
}

function publishTold({ about, verb, subject, payload }: Told, rows: RowWriter): void {
  switch (about) {
    case "subscriber":
      rows.publish(`subscriber.${verb}`, subject, payload);
      return;
    case "endpoint":
      rows.publish(`endpoint.${verb}`, subject, payload);
      return;
    case "preference":
      rows.publish(`preference.${verb}`, subject, payload);
      return;
  }
}

/** Where a delivery that has not ended stands. */
type Place =
  | { readonly at: "running" | "waiting" | "retry" | "nowhere" }
  | { readonly at: "paced"; readonly integrationId: string };

function placeOf(delivery: Standing | null): Place {
  if (!delivery || isEnded(delivery)) return { at: "nowhere" };
  if (delivery.status === "running") return { at: "running" };
  if (delivery.retryAt !== undefined) return { at: "retry" };
  if (delivery.integrationId !== "") return { at: "paced", integrationId: delivery.integrationId };
  return { at: "waiting" };
}

function putDelivery(
  state: State,
  { before, after, send }: Extract<Event, { type: "delivery_put" }>,
  rows: RowWriter,
): void {
  rows.put("deliveries", [after.id], after);
  if (!before) {
    rows.put("by_subscriber", [after.subscriberId, after.id], 1);
    rows.put("by_transaction", [after.transactionId, after.id], 1);
  }
  leave(state, before, after, rows);
  enter(state, after, rows);
  if (send) {
    const { integration } = send.body;
    const kind = integration.providerKey === "smtp" ? sendFewEffect : sendEffect;
    rows.effect(effectId(after), {
      kind,
      dueMs: send.dueMs,
      lane: laneOf(after, integration),
      body: send.body,
    });
  }
  const ended = isEnded(after);
  if (ended || after.retryAt !== undefined) state.pending.delete(after.id);
  else if (after.topicKey === "") state.pending.add(after.id);
  if (after.topicKey !== "") tally(state, before, after);
  if (ended && before?.status !== after.status) publish(after, after.status, rows);
}

/** Of a connection; direct messages have another one, so that they do not stand behind those of broadcasts. */
function laneOf({ tier }: Delivery, { id, connectionId }: SendBody["integration"]): string {
  return `${connectionId === "" ? id : connectionId} ${tier}`;
}

/** An attempt is an effect of its own; the key that the provider gets is that of the generation. */
export function effectId({
  id,
  generation,
  attempt,
}: Pick<Delivery, "id" | "generation" | "attempt">): string {
  return `${id}.${generation}.${attempt}`;
}

function leave(state: State, delivery: Standing | null, after: Delivery, rows: RowWriter): void {
  if (!delivery) return;
  const place = placeOf(delivery);
  switch (place.at) {
    case "running":
      dropRunning(state, delivery.id);
      rows.delete("running", [delivery.id]);
      return;
    case "waiting":
      move(state.waiting, state.changedWaiting, waitingKey(delivery.tier, delivery.channel), -1);
      rows.delete("waiting", [tiers.indexOf(delivery.tier), delivery.channel, delivery.id]);
      return;
    case "paced":
      move(state.paced, state.changedPaced, pacedKey(place.integrationId, delivery.tier), -1);
      // One that runs has used a grant: its pacer counts it no more.
      if (after.status !== "running") want(state, place.integrationId, delivery, -1);
      rows.delete("paced", [place.integrationId, tiers.indexOf(delivery.tier), delivery.id]);
      return;
    case "retry":
      rows.clearTimer(`retry:${delivery.id}`);
      return;
    case "nowhere":
      return;
  }
}

function enter(state: State, delivery: Delivery, rows: RowWriter): void {
  const place = placeOf(delivery);
  const { subscriberId, transactionId } = delivery;
  const found = { subscriberId, transactionId };
  switch (place.at) {
    case "running": {
      const running = { tier: delivery.tier, integrationId: delivery.integrationId };
      setRunning(state, delivery.id, running);
      rows.put("running", [delivery.id], running);
      return;
    }
    case "waiting":
      move(state.waiting, state.changedWaiting, waitingKey(delivery.tier, delivery.channel), 1);
      rows.put("waiting", [tiers.indexOf(delivery.tier), delivery.channel, delivery.id], waitingOf(delivery));
      return;
    case "paced":
      move(state.paced, state.changedPaced, pacedKey(place.integrationId, delivery.tier), 1);
      want(state, place.integrationId, delivery, 1);
      rows.put("paced", [place.integrationId, tiers.indexOf(delivery.tier), delivery.id], found);
      return;
    case "retry":
      rows.setTimer(`retry:${delivery.id}`, delivery.retryAt!);
      return;
    case "nowhere":
      return;
  }
}

function waitingOf({ waitsFor }: Delivery): Waiting {
  return waitsFor === undefined ? {} : { waitsFor };
}

/** A count that is stored. */
function move(counts: Map<string, number>, changed: Set<string>, key: string, by: 1 | -1): void {
  count(counts, key, by);
  changed.add(key);
}

function want(state: State, integrationId: string, { tier }: Standing, by: 1 | -1): void {
  const wants = state.wants.get(integrationId) ?? { direct: 0, broadcast: 0 };
  wants[tier] += by;
  state.wants.set(integrationId, wants);
}

/** Another pacing knows of no wants. */
function wantAnew(state: State, integrationId: string): void {
  const [direct = 0, broadcast = 0] = tiers.map(
    (tier) => state.paced.get(pacedKey(integrationId, tier)) ?? 0,
  );
  state.wants.set(integrationId, { direct, broadcast });
}

function tally(state: State, before: Standing | null, after: Delivery): void {
  const open = state.open.get(after.transactionId);
  if (!open) return;
  const next: Record<keyof Tally, number> = { ...open.tally };
  if (!before) next.deliveries++;
  const ended = endedAs(before);
  if (ended) next[ended]--;
  const now = endedAs(after);
  if (now) next[now]++;
  const busy = Math.max(0, open.busy + busyOf(after) - busyOf(before));
  setOpen(state, after.transactionId, { ...open, tally: next, busy });
}

function busyOf(delivery: Standing | null): number {
  const { at } = placeOf(delivery);
  return at === "running" || at === "waiting" ? 1 : 0;
}

function endedAs(delivery: Standing | null): "sent" | "failed" | "skipped" | undefined {
  return delivery && isEnded(delivery) ? (delivery.status as "sent" | "failed" | "skipped") : undefined;
}

function setOpen(state: State, transactionId: string, open: OpenBroadcast): void {
  state.open.set(transactionId, open);
  state.changedOpen.add(transactionId);
}

function publish(delivery: Delivery, what: string, rows: RowWriter, more: object = {}): void {
  const { failure } = delivery;
  rows.publish(`delivery.${what}`, delivery.id, {
    transaction_id: delivery.transactionId,
    subscriber_id: delivery.subscriberId,
    workflow_key: delivery.workflowKey,
    channel: delivery.channel,
    reason_code: delivery.reasonCode,
    ...(failure && { code: failure.code }),
    ...more,
  });
}

/** Counters once a commit, and what topics and pacers are told. */
export function seal(state: State, rows: RowWriter): void {
  for (const key of state.changedWaiting) putCount("waiting_counts", key, state.waiting.get(key), rows);
  state.changedWaiting.clear();
  for (const key of state.changedPaced) putCount("paced_counts", key, state.paced.get(key), rows);
  state.changedPaced.clear();
  for (const [integrationId, { direct, broadcast }] of state.wants) {
    const copy = state.integrations.get(integrationId);
    if (!copy?.rate || (direct === 0 && broadcast === 0)) continue;
    const message: PacerWant = { type: "pacer_want", epoch: copy.paceEpoch, direct, broadcast };
    rows.send(pacerAddress(state.tenant, integrationId), message);
  }
  state.wants.clear();
  for (const transactionId of state.changedOpen) sealOpen(state, transactionId, rows);
  state.changedOpen.clear();
}

function putCount(collection: string, key: string, value: number | undefined, rows: RowWriter): void {
  if (value === undefined) rows.delete(collection, [key]);
  else rows.put(collection, [key], value);
}

function sealOpen(state: State, transactionId: string, rows: RowWriter): void {
  let open = state.open.get(transactionId);
  if (!open) return;
  const { sent, failed, skipped, deliveries } = open.tally;
  const ended = sent + failed + skipped;
  // Parts are answered when most of their deliveries have ended: the next ones then find a slot, and need not wait for one in a row.
  const parts = open.busy <= limits.broadcastBusyLow ? open.parts : open.toldParts;
  const changed = parts !== open.toldParts || ended !== open.toldEnded;
  const due =
    parts !== open.toldParts ||
    ended === deliveries ||
    Math.abs(ended - open.toldEnded) >= limits.broadcastToldEvery;
  if (changed && due) {
    const progress: FanOutProgress = {
      type: "fan_out_progress",
      transactionId,
      audience: state.key,
      parts,
      tally: open.tally,
    };
    rows.send({ kind: "topic", tenant: state.tenant, key: open.topic }, progress);
    open = { ...open, toldParts: parts, toldEnded: ended };
    state.open.set(transactionId, open);
  }
  rows.put("open", [transactionId], open);
}

const collections = [
  "secret",
  "integrations",
  "running",
  "waiting",
  "waiting_counts",
  "paced",
  "paced_counts",
  "open",
  "retention",
  "retention_set",
  "deliveries",
  "by_subscriber",
  "by_transaction",
  "activity",
  "subscriptions",
  "identities",
  "claims",
  "claim_times",
  "manifests",
  "manifest_times",
  "tallies",
  "cancels",
  "observations",
  "observed",
  "inbox",
  "inbox_ids",
  "unread",
  "archive",
];

/** Timers and effects that are left find nothing, and end. */
function purge(state: State, rows: RowWriter): void {
  for (const collection of collections) rows.deletePrefix(collection, []);
  cards.clear(state.cardCounts, rows);
  deadLetters.clear(state.deadCounts, rows);
  for (const timer of ["claims", "retention"]) rows.clearTimer(timer);
  for (const map of [
    state.integrations,
    state.running,
    state.runningCounts,
    state.waiting,
    state.paced,
    state.open,
    state.inboxes,
  ])
    map.clear();
  for (const set of [state.pending, state.changedOpen, state.changedPaced, state.changedWaiting]) set.clear();
  state.wants.clear();
  state.secret = "";
  state.retentionSet = false;
}
