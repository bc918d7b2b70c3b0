import { isRefusal, limits, type Refusal, refuse } from "#base";
import { finish } from "../admission/finish.ts";
import { standInLine } from "../admission/line.ts";
import { hasSuccessor } from "../admission/singleton.ts";
import type { Draft } from "../draft/draft.ts";
import {
  completion,
  copyItem,
  type Item,
  type ItemError,
  type Outcome,
  type Settlement,
  touchedItem,
} from "../rows/item.ts";
import { answerOf } from "../rows/item-row.ts";
import { jsonBytes } from "./size.ts";

/** How the worker that has a lease ends it. */
export interface Settle {
  readonly id: string;
  readonly token: string;
  readonly outcome: Outcome;
  readonly result?: unknown;
  readonly error: string;
  readonly errorType: string;
  readonly retryable: boolean;
  /** Overrides the back-off of a failure, or delays a release; absent: as configured, or at once. */
  readonly delayMs?: number | undefined;
}

/** `undefined` where rows have to be read first. */
export function settle(draft: Draft, command: Settle): Settlement | Refusal | undefined {
  const item = fenced(draft, command.id, command.token, command.outcome);
  if (item === undefined || isRefusal(item)) return item;
  if ("at" in item) return item;
  switch (command.outcome) {
    case "complete":
      if (command.result !== undefined && jsonBytes(command.result) > limits.payloadBytesMax)
        return refuse("PAYLOAD_TOO_LARGE", `a result may have ${limits.payloadBytesMax} bytes`);
      observe(draft, item, true);
      return endedAnswer(finish(draft, item, "completed", { ...completion, result: command.result }));
    case "reject":
      return endedAnswer(
        finish(draft, item, "dead", { by: "reject", error: errorOf(draft, command, "rejected") }),
      );
    case "fail":
      observe(draft, item, false);
      return endedAnswer(fail(draft, item, command));
    case "release":
      return endedAnswer(
        giveBack(draft, item, { by: "release", attempts: item.attempts, ...delayOf(command) }),
      );
  }
}

/** The lease ran out: a failure of the recipient; the item goes back into line at once. */
export function expireLease(draft: Draft, item: Item): void {
  observe(draft, item, false);
  const error = { message: "the lease expired", type: "lease_expired", at: draft.now };
  giveBack(draft, item, { by: "expired", attempts: item.attempts + 1, error });
}

/**
 * The item whose lease this token is; the stored answer where it has been settled the same way before; otherwise why the
 * token is worth nothing. The token is the fence: only the newest lease has one that counts.
 */
export function fenced(
  draft: Draft,
  id: string,
  token: string,
  outcome: Outcome | "extend",
): Item | Settlement | Refusal | undefined {
  const item = draft.item(id);
  if (item === undefined) return undefined;
  if (item === null) return refuse("NOT_FOUND", `there is no item ${id}`);
  if (item.lease?.token === token) return item;
  const { ended } = item;
  if (ended?.token !== token) return lost("reassigned");
  if (ended.by === outcome) return ended.answer;
  if (ended.by === "expired" || ended.by === "cancelled") return lost(item.lease ? "reassigned" : ended.by);
  return refuse("STATE_CONFLICT", `this lease was already ended with ${ended.by}`);
}

function endedAnswer(item: Item): Settlement {
  return item.ended!.answer;
}

function fail(draft: Draft, item: Item, command: Settle): Item {
  const attempts = item.attempts + 1;
  const error = errorOf(draft, command, "failed");
  if (!command.retryable) return finish(draft, item, "dead", { by: "fail", attempts, error });
  const delayMs = command.delayMs ?? backoffMs(draft, attempts);
  return giveBack(draft, item, { by: "fail", attempts, error, delayMs });
}

interface GiveBack {
  readonly by: "fail" | "release" | "expired";
  readonly attempts: number;
  readonly error?: ItemError;
  readonly delayMs?: number;
}

/** Back into line, unless the item has used itself up, is out of time, or a newer one waits for its key. */
function giveBack(draft: Draft, item: Item, how: GiveBack): Item {
  const { max_attempts, max_deliveries } = draft.router.config;
  if (how.attempts >= max_attempts) return finish(draft, item, "dead", how);
  if (item.deliveries >= max_deliveries)
    return finish(draft, item, "dead", { ...how, error: how.error ?? tooOften(draft, item) });
  if (hasSuccessor(draft, item)) return finish(draft, item, "superseded", how);
  if (item.expiresAt > 0 && item.expiresAt <= draft.now) return finish(draft, item, "expired", how);
  const delayed = (how.delayMs ?? 0) > 0;
  const waiting = touchedItem(item, draft.now);
  waiting.state = "retry_wait";
  waiting.lease = null;
  waiting.list = "";
  waiting.recent = false;
  waiting.heldBy = "";
  waiting.attempts = how.attempts;
  waiting.notBefore = delayed ? draft.now + how.delayMs! : 0;
  if (how.error) waiting.error = how.error;
  const cause =
    how.by === "expired" ? "lease_expired" : how.by === "release" ? "released" : "retry_scheduled";
  // The lease ends first: its own slot is free for it again.
  draft.change(item, waiting, cause);
  const settled = delayed ? copyItem(waiting) : standInLine(draft, waiting, waiting.version);
  const { token, recipient } = item.lease!;
  settled.ended = { token, by: how.by, answer: answerOf(settled), recipient };
  draft.change(waiting, settled, cause);
  return settled;
}

/** Equal jitter: half of the exponential delay is certain, half is drawn, so that retries spread without bunching at 0. */
function backoffMs(draft: Draft, attempts: number): number {
  const { initial_ms, max_ms, multiplier } = draft.router.config.backoff;
  const full = Math.min(max_ms, initial_ms * multiplier ** (attempts - 1));
  return Math.max(1, Math.round(full / 2 + (full / 2) * draft.context.random()));
}

function observe(draft: Draft, item: Item, ok: boolean): void {
  draft.told.observe(item.lease!.recipient, ok);
}

function errorOf(draft: Draft, command: Settle, fallback: string): ItemError {
  return { message: command.error || fallback, type: command.errorType, at: draft.now };
}

/** A dead letter says why it is one, also where no error was reported. */
function tooOften(draft: Draft, { deliveries }: Item): ItemError {
  return { message: `handed out ${deliveries} times`, type: "max_deliveries", at: draft.now };
}

function delayOf(command: Settle): { delayMs?: number } {
  return command.delayMs === undefined ? {} : { delayMs: command.delayMs };
}

function lost(reason: "expired" | "reassigned" | "cancelled"): Refusal {
  return refuse("LEASE_LOST", `the lease is gone: ${reason}`, { reason });
}
