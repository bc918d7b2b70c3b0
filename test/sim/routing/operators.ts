import { epochMs } from "../process.ts";
import type { Stage } from "../scenario.ts";
import type { KnownPool, Message, Told } from "./told.ts";

export type OperatorAsk = (
  kind: "pool" | "router" | "queue",
  method: string,
  request: Message,
  granted?: (response: Message) => void,
) => void;

/** An operator of the pool: pauses it, drains it, and handles its dead letters and groups. */
export function operate(stage: Stage, told: Told, pool: KnownPool, ask: OperatorAsk): void {
  const { random } = stage;
  const recipient_id = random.pick(pool.recipientIds);
  const dead = pool.leases.filter((lease) => lease.settled.has("reject")).map(({ itemId }) => itemId);
  const one = { queue_item_ids: dead.length > 0 ? [random.pick(dead)] : [] };
  const act = random.int(26);
  if (act < 4) {
    const until = new Date(epochMs + stage.scheduler.nowMs + random.int(2_000)).toISOString();
    ask("queue", "QueueControlService.PauseQueue", { until });
  } else if (act < 7) startJob(stage, ask);
  else if (act < 10) ask("pool", "RecipientService.PauseRecipient", { recipient_id });
  else if (act < 14) ask("pool", "RecipientService.ResumeRecipient", { recipient_id });
  else if (act < 16) drain(told, pool, 1 + random.int(4), ask);
  else if (act < 18) purge(told, pool, random.chance(0.5), ask);
  else if (act >= 24) heartbeat(pool, recipient_id!, 1 + random.int(3), ask);
  else if (act < 20) clear(told, pool, random.pick(clearable), ask);
  else if (one.queue_item_ids.length > 0)
    ask("queue", `DeadLetterService.${random.pick(["Retry", "Retry", "Quarantine", "Release"])}`, one);
}

function startJob({ random }: Stage, ask: OperatorAsk): void {
  const filter = random.pick(["", 'item.key != "k1"', "attempts > 1", 'item.attributes.c == "a"']);
  if (random.chance(0.7)) {
    ask("queue", "DeadLetterService.RetryAll", { rate: 5, ...(filter && { filter }) });
    return;
  }
  ask("queue", "QueueService.CancelAll", { filter: filter || 'item.key == "k2"' }, ({ operation_id }) => {
    if (random.chance(0.3)) ask("queue", "QueueControlService.CancelJob", { operation_id });
  });
}

const clearable = ["singleton", "debounce", "throttle"] as const;

/** A heartbeat without a second one: after it the recipient is silent. */
function heartbeat(pool: KnownPool, recipient_id: string, ttl_seconds: number, ask: OperatorAsk): void {
  pool.beaten.add(recipient_id);
  ask("router", "RecipientService.Heartbeat", { recipient_id, ttl_seconds }, () => {
    pool.silent.add(recipient_id);
  });
}

/** Sent without a key: what was answered has been executed once. */
function drain(told: Told, pool: KnownPool, max_items: number, ask: OperatorAsk): void {
  ask("queue", "queue.DrainStep", { max_items }, (response) => {
    told.acknowledged++;
    pool.drained += response.drained as number;
  });
}

function purge(told: Told, pool: KnownPool, include_quarantined: boolean, ask: OperatorAsk): void {
  ask("queue", "queue.PurgeStep", { before: 0, include_quarantined }, (response) => {
    told.acknowledged++;
    pool.purged += response.purged as number;
  });
}

function clear(told: Told, pool: KnownPool, constraint_kind: string, ask: OperatorAsk): void {
  ask("queue", "AdmissionService.ListAdmissionGroups", { constraint_kind }, (response) => {
    const [group] = response.admission_groups as Message[];
    if (group === undefined) return;
    const request = { constraint_kind, group_id: group.group_id, reason: "sim" };
    ask("queue", "AdmissionService.ClearAdmissionGroup", request, ({ group_id, cleared_at }) => {
      told.acknowledged++;
      // A group that was cleared already returns the time.
      pool.cleared.add(`${constraint_kind}:${group_id} ${cleared_at}`);
    });
  });
}
