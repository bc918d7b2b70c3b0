import { limits } from "#base";
import type { RowWriter } from "#runtime";
import { cards } from "./card.ts";
import { deadLetters } from "./delivery.ts";
import { publishDelivery, putDelivery } from "./put-delivery.ts";
import { purge } from "./seal.ts";
import { type Event, openOf, pacedKey, type State, type Told, tiers } from "./state.ts";

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
      // Most subscribers never had a message there.
      if (activity.inboxSequence === 0) return;
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
      publishDelivery(delivery, "observed", rows, { observation: observation.kind });
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

/** Another pacing knows of no wants. */
function wantAnew(state: State, integrationId: string): void {
  const [direct = 0, broadcast = 0] = tiers.map(
    (tier) => state.paced.get(pacedKey(integrationId, tier)) ?? 0,
  );
  state.wants.set(integrationId, { direct, broadcast });
}
