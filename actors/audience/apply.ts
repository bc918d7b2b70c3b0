import { limits } from "#base";
import type { RowWriter } from "#runtime";
import { applying } from "../kit/table.ts";
import type { FanOutProgress } from "../notify/manifest.ts";
import { type PacerWant, pacerAddress } from "../notify/outbound/types.ts";
import { publishDelivery, putDelivery } from "./deliveries/put.ts";
import { deadLetters } from "./deliveries/record.ts";
import { tables } from "./rows.ts";
import { countKeys, type Event, openOf, type State, tiers } from "./state.ts";
import { subscribers } from "./subscribers/record.ts";

export const apply = applying<State, Event>({
  secret_drawn(state, { secret }, rows) {
    state.secret = secret;
    rows.put(tables.secret, [], secret);
  },
  subscriber_put(state, { before, after, publishes }, rows) {
    subscribers.put(state.subscriberCounts, before, after, rows);
    if (publishes) {
      const { about, verb, payload } = publishes;
      rows.publish(`${about}.${verb}`, after.id, payload);
    }
  },
  activity_put(state, { subscriberId, activity }, rows) {
    rows.put(tables.activity, [subscriberId], activity);
    // Most subscribers never had a message there.
    if (activity.inboxSequence === 0) return;
    if (state.inboxes.size >= limits.inboxesSeenMax) state.inboxes.clear();
    state.inboxes.set(subscriberId, { sequence: activity.inboxSequence, unread: activity.unread });
  },
  subscription_put(_state, { subscriberId, topicKey, subscription }, rows) {
    const key = [subscriberId, topicKey] as const;
    if (subscription) rows.put(tables.subscriptions, key, subscription);
    else rows.delete(tables.subscriptions, key);
  },
  identity_put(_state, { identity, hash }, rows) {
    if (identity) rows.put(tables.identities, [hash], identity);
    else rows.delete(tables.identities, [hash]);
  },
  message_sent: (_state, { to, message }, rows) => rows.send(to, message),
  claimed(_state, { transactionId, claim }, rows) {
    rows.put(tables.claims, [transactionId], claim);
    rows.put(tables.claimTimes, [claim.at, transactionId], true);
  },
  claims_forgotten(_state, { claims }, rows) {
    for (const [at, transactionId] of claims) {
      rows.delete(tables.claims, [transactionId]);
      rows.delete(tables.claimTimes, [at, transactionId]);
    }
  },
  manifest_put(state, event, rows) {
    const { manifest, deliveries } = event;
    rows.put(tables.manifests, [manifest.transactionId], manifest);
    rows.put(tables.manifestTimes, [rows.now, manifest.transactionId], true);
    if (deliveries !== undefined) rows.put(tables.tallies, [manifest.transactionId], deliveries);
    if (state.retentionDays !== event.retentionDays) {
      state.retentionDays = event.retentionDays;
      rows.put(tables.retention, [], event.retentionDays);
    }
  },
  fanned(state, { transactionId, topic, members }) {
    const open = openOf(state, transactionId, topic);
    open.tally.members += members;
    open.parts++;
  },
  fan_out_cancelled(state, { transactionId, topic }) {
    openOf(state, transactionId, topic).cancelled = true;
  },
  fan_out_over(state, { transactionId }, rows) {
    const open = state.open.get(transactionId);
    if (!open) return;
    state.open.delete(transactionId);
    state.changedOpen.delete(transactionId);
    rows.delete(tables.open, [transactionId]);
    rows.put(tables.tallies, [transactionId], open.tally.deliveries);
  },
  delivery_put: putDelivery,
  dead_put(state, { before, after }, rows) {
    deadLetters.put(state.deadCounts, before, after, rows);
    if (before?.status === after.status) return;
    const verb = after.status === "open" ? "opened" : after.status;
    const { deliveryId, reason } = after;
    rows.publish(`notification_dead_letter.${verb}`, after.id, { delivery_id: deliveryId, reason });
  },
  observed(_state, { delivery, observation }, rows) {
    rows.put(tables.observations, [delivery.id, observation.seq], observation);
    rows.put(tables.observed, [delivery.id, observation.providerEventId], observation.seq);
    publishDelivery(delivery, "observed", rows, { observation: observation.kind });
  },
  inbox_put(_state, { subscriberId, before, after }, rows) {
    const key = [subscriberId, after.sequence] as const;
    if (after.archived) {
      rows.delete(tables.inbox, key);
      rows.delete(tables.inboxIds, [subscriberId, after.id]);
      rows.put(tables.archive, key, after);
    } else {
      rows.put(tables.inbox, key, after);
      if (!before) rows.put(tables.inboxIds, [subscriberId, after.id], after.sequence);
    }
    if (after.archived || after.read) rows.delete(tables.unread, key);
    else rows.put(tables.unread, key, true);
  },
  inbox_dropped(_state, { subscriberId, entry }, rows) {
    rows.delete(tables.inbox, [subscriberId, entry.sequence]);
    rows.delete(tables.unread, [subscriberId, entry.sequence]);
    rows.delete(tables.inboxIds, [subscriberId, entry.id]);
  },
  integrations_changed(state, { put, removed }, rows) {
    for (const copy of put) {
      if (copy.rate && state.integrations.get(copy.id)?.paceEpoch !== copy.paceEpoch)
        wantAnew(state, copy.id);
      state.integrations.set(copy.id, copy);
      rows.put(tables.integrations, [copy.id], copy);
    }
    for (const id of removed) {
      state.integrations.delete(id);
      rows.delete(tables.integrations, [id]);
    }
  },
  timer_set: (_state, { id }, rows) => rows.setTimer(id, rows.now),
  deliveries_forgotten(state, { deliveries, letters }, rows) {
    for (const { id, subscriberId, transactionId } of deliveries) {
      rows.delete(tables.deliveries, [id]);
      rows.delete(tables.bySubscriber, [subscriberId, id]);
      rows.delete(tables.byTransaction, [transactionId, id]);
      rows.deletePrefix(tables.observations, [id]);
      rows.deletePrefix(tables.observed, [id]);
    }
    for (const letter of letters) deadLetters.remove(state.deadCounts, letter, rows);
  },
  transactions_forgotten(_state, { transactions }, rows) {
    for (const [at, transactionId] of transactions) {
      rows.delete(tables.manifestTimes, [at, transactionId]);
      rows.delete(tables.manifests, [transactionId]);
      rows.delete(tables.tallies, [transactionId]);
    }
  },
  retention_due(state, { atMs }, rows) {
    state.retentionSet = atMs !== undefined;
    if (atMs === undefined) rows.delete(tables.retentionSet, []);
    else {
      rows.put(tables.retentionSet, [], true);
      rows.setTimer("retention", atMs);
    }
  },
  purged: (state, _event, rows) => purge(state, rows),
});

/** Another pacing knows of no wants. */
function wantAnew(state: State, integrationId: string): void {
  const [direct = 0, broadcast = 0] = tiers.map((tier) =>
    state.counts.get(countKeys.paced(integrationId, tier)),
  );
  state.wants.set(integrationId, { direct, broadcast });
}

/** Writes counters once a commit, and sends topics and pacers what has changed for them. */
export function beforeCommit(state: State, rows: RowWriter): void {
  for (const key of state.changedCounts) {
    const count = state.counts.get(key);
    if (count === undefined) rows.delete(tables.counts, [key]);
    else rows.put(tables.counts, [key], count);
  }
  state.changedCounts.clear();
  for (const [integrationId, { direct, broadcast }] of state.wants) {
    const copy = state.integrations.get(integrationId);
    if (!copy?.rate || (direct === 0 && broadcast === 0)) continue;
    const message: PacerWant = { type: "pacer_want", epoch: copy.paceEpoch, direct, broadcast };
    rows.send(pacerAddress(state.tenant, integrationId), message);
  }
  state.wants.clear();
  for (const transactionId of state.changedOpen) report(state, transactionId, rows);
  state.changedOpen.clear();
}

function report(state: State, transactionId: string, rows: RowWriter): void {
  const open = state.open.get(transactionId);
  if (!open) return;
  const { sent, failed, skipped, deliveries } = open.tally;
  const ended = sent + failed + skipped;
  // Parts are answered when most of their deliveries have ended: the next ones then find a slot, and need not wait for one in a row.
  const parts = open.busy <= limits.broadcastBusyLow ? open.parts : open.reportedParts;
  const more = Math.abs(ended - open.reportedEnded);
  const isAll = more > 0 && ended === deliveries;
  if (parts !== open.reportedParts || isAll || more >= limits.broadcastReportedEvery) {
    const progress: FanOutProgress = {
      type: "fan_out_progress",
      transactionId,
      audience: state.key,
      parts,
      // A copy: the report stays as it is while the count goes on.
      tally: { ...open.tally },
    };
    rows.send({ kind: "topic", tenant: state.tenant, key: open.topic }, progress);
    open.reportedParts = parts;
    open.reportedEnded = ended;
  }
  rows.put(tables.open, [transactionId], open);
}

/** Timers and effects that are left find nothing, and end. */
function purge(state: State, rows: RowWriter): void {
  for (const collection of Object.values(tables)) rows.deletePrefix(collection, []);
  subscribers.clear(state.subscriberCounts, rows);
  deadLetters.clear(state.deadCounts, rows);
  rows.clearTimer("retention");
  for (const kept of Object.values(state)) if (kept instanceof Map || kept instanceof Set) kept.clear();
  state.secret = "";
  state.retentionSet = false;
}
