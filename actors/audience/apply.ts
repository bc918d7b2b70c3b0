import { limits } from "#base";
import type { RowWriter } from "#runtime";
import { purge } from "./before-commit.ts";
import { publishDelivery, putDelivery } from "./deliveries/put.ts";
import { deadLetters } from "./deliveries/record.ts";
import { tables } from "./rows.ts";
import { type Event, openOf, type Publication, pacedKey, type State, tiers } from "./state.ts";
import { subscribers } from "./subscribers/record.ts";

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "secret_drawn":
      state.secret = event.secret;
      rows.put(tables.secret, [], event.secret);
      return;
    case "subscriber_put":
      subscribers.put(state.subscriberCounts, event.before, event.after, rows);
      if (event.publishes) publish(event.publishes, event.after.id, rows);
      for (const { to, hash, endpointId } of event.released ?? [])
        rows.send(to, { type: "identity_released", hash, endpointId });
      return;
    case "activity_put": {
      const { subscriberId, activity } = event;
      rows.put(tables.activity, [subscriberId], activity);
      // Most subscribers never had a message there.
      if (activity.inboxSequence === 0) return;
      if (state.inboxes.size >= limits.inboxesSeenMax) state.inboxes.clear();
      state.inboxes.set(subscriberId, { sequence: activity.inboxSequence, unread: activity.unread });
      return;
    }
    case "subscription_put": {
      const key = [event.subscriberId, event.topicKey] as const;
      if (event.subscription) rows.put(tables.subscriptions, key, event.subscription);
      else rows.delete(tables.subscriptions, key);
      return;
    }
    case "identity_put":
      if (event.identity) rows.put(tables.identities, [event.hash], event.identity);
      else rows.delete(tables.identities, [event.hash]);
      return;
    case "message_sent":
      rows.send(event.to, event.message);
      return;
    case "claimed":
      rows.put(tables.claims, [event.transactionId], event.claim);
      rows.put(tables.claimTimes, [event.claim.at, event.transactionId], true);
      return;
    case "claims_forgotten":
      for (const [at, transactionId] of event.claims) {
        rows.delete(tables.claims, [transactionId]);
        rows.delete(tables.claimTimes, [at, transactionId]);
      }
      return;
    case "claims_due":
      rows.setTimer("claims", event.atMs);
      return;
    case "manifest_put": {
      const { manifest, deliveries } = event;
      rows.put(tables.manifests, [manifest.transactionId], manifest);
      rows.put(tables.manifestTimes, [rows.now, manifest.transactionId], true);
      if (deliveries !== undefined) rows.put(tables.tallies, [manifest.transactionId], deliveries);
      if (state.retentionDays !== event.retentionDays) {
        state.retentionDays = event.retentionDays;
        rows.put(tables.retention, [], event.retentionDays);
      }
      return;
    }
    case "fanned": {
      const open = openOf(state, event.transactionId, event.topic);
      open.tally.members += event.members;
      open.parts++;
      return;
    }
    case "fan_out_cancelled":
      openOf(state, event.transactionId, event.topic).cancelled = true;
      rows.setTimer(`cancel:${event.transactionId}`, rows.now);
      return;
    case "cancel_stepped":
      if (event.more) {
        rows.put(tables.cancels, [event.transactionId], event.cursor);
        rows.setTimer(`cancel:${event.transactionId}`, rows.now);
      } else rows.delete(tables.cancels, [event.transactionId]);
      return;
    case "fan_out_over": {
      const open = state.open.get(event.transactionId);
      if (!open) return;
      state.open.delete(event.transactionId);
      state.changedOpen.delete(event.transactionId);
      rows.delete(tables.open, [event.transactionId]);
      rows.put(tables.tallies, [event.transactionId], open.tally.deliveries);
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
      rows.put(tables.observations, [delivery.id, observation.seq], observation);
      rows.put(tables.observed, [delivery.id, observation.providerEventId], observation.seq);
      publishDelivery(delivery, "observed", rows, { observation: observation.kind });
      return;
    }
    case "inbox_put": {
      const { subscriberId, before, after } = event;
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
      return;
    }
    case "inbox_dropped": {
      const { subscriberId, entry } = event;
      rows.delete(tables.inbox, [subscriberId, entry.sequence]);
      rows.delete(tables.unread, [subscriberId, entry.sequence]);
      rows.delete(tables.inboxIds, [subscriberId, entry.id]);
      return;
    }
    case "integrations_changed":
      for (const copy of event.put) {
        const before = state.integrations.get(copy.id);
        if (copy.rate && before?.paceEpoch !== copy.paceEpoch) wantAnew(state, copy.id);
        state.integrations.set(copy.id, copy);
        rows.put(tables.integrations, [copy.id], copy);
      }
      for (const id of event.removed) {
        state.integrations.delete(id);
        rows.delete(tables.integrations, [id]);
      }
      return;
    case "rechoose_due":
      rows.setTimer(`rechoose:${event.integrationId}`, rows.now);
      return;
    case "deliveries_forgotten":
      for (const { id, subscriberId, transactionId } of event.deliveries) {
        rows.delete(tables.deliveries, [id]);
        rows.delete(tables.bySubscriber, [subscriberId, id]);
        rows.delete(tables.byTransaction, [transactionId, id]);
        rows.deletePrefix(tables.observations, [id]);
        rows.deletePrefix(tables.observed, [id]);
      }
      for (const letter of event.letters) deadLetters.remove(state.deadCounts, letter, rows);
      return;
    case "transactions_forgotten":
      for (const [at, transactionId] of event.transactions) {
        rows.delete(tables.manifestTimes, [at, transactionId]);
        rows.delete(tables.manifests, [transactionId]);
        rows.delete(tables.tallies, [transactionId]);
      }
      return;
    case "retention_due":
      state.retentionSet = event.atMs !== undefined;
      if (event.atMs === undefined) rows.delete(tables.retentionSet, []);
      else {
        rows.put(tables.retentionSet, [], true);
        rows.setTimer("retention", event.atMs);
      }
      return;
    case "purged":
      purge(state, rows);
      return;
  }
}

function publish({ about, verb, payload }: Publication, subject: string, rows: RowWriter): void {
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

/** Another pacing knows of no wants. */
function wantAnew(state: State, integrationId: string): void {
  const [direct = 0, broadcast = 0] = tiers.map(
    (tier) => state.paced.get(pacedKey(integrationId, tier)) ?? 0,
  );
  state.wants.set(integrationId, { direct, broadcast });
}
