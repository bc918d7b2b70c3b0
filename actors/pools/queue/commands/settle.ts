import { isRefusal, limits, type Refusal, refuse } from "#base";
import { finish } from "../admission/finish.ts";
import { standInLine } from "../admission/line.ts";
import { hasSuccessor } from "../admission/singleton.ts";
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
import type { UnitOfWork } from "../unit/unit-of-work.ts";
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
export function settle(unit: UnitOfWork, command: Settle): Settlement | Refusal | undefined {
  const item = fenced(unit, command.id, command.token, command.outcome);
  if (item === undefined || isRefusal(item)) return item;
  if ("at" in item) return item;
  switch (command.outcome) {
    case "complete":
      if (command.result !== undefined && jsonBytes(command.result) > limits.payloadBytesMax)
        return refuse("PAYLOAD_TOO_LARGE", `a result may have ${limits.payloadBytesMax} bytes`);
      observe(unit, item, true);
      return endedAnswer(finish(unit, item, "completed", { ...completion, result: command.result }));
    case "reject":
      return endedAnswer(
        finish(unit, item, "dead", { by: "reject", error: errorOf(unit, command, "rejected") }),
      );
    case "fail":
      observe(unit, item, false);
      return endedAnswer(fail(unit, item, command));
    case "release":
      return endedAnswer(
        giveBack(unit, item, { by: "release", attempts: item.attempts, ...delayOf(command) }),
      );
  }
}

/** The lease ran out: a failure of the recipient; the item goes back into line at once. */
export function expireLease(unit: UnitOfWork, item: Item): void {
  observe(unit, item, false);
  const error = { message: "the lease expired", type: "lease_expired", at: unit.now };
  giveBack(unit, item, { by: "expired", attempts: item.attempts + 1, error });
}

/**
 * The item whose lease this token is; the stored answer where it has been settled the same way before; otherwise why the
 * token is worth nothing. The token is the fence: only the newest lease has one that counts.
 */
export function fenced(
  unit: UnitOfWork,
  id: string,
  token: string,
  outcome: Outcome | "extend",
): Item | Settlement | Refusal | undefined {
  const item = unit.item(id);
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

function fail(unit: UnitOfWork, item: Item, command: Settle): Item {
  const attempts = item.attempts + 1;
  const error = errorOf(unit, command, "failed");
  if (!command.retryable) return finish(unit, item, "dead", { by: "fail", attempts, error });
  const delayMs = command.delayMs ?? backoffMs(unit, attempts);
  return giveBack(unit, item, { by: "fail", attempts, error, delayMs });
}

interface GiveBack {
  readonly by: "fail" | "release" | "expired";
  readonly attempts: number;
  readonly error?: ItemError;
  readonly delayMs?: number;
}

/** Back into line, unless the item has used itself up, is out of time, or a newer one waits for its key. */
function giveBack(unit: UnitOfWork, item: Item, how: GiveBack): Item {
  const { max_attempts, max_deliveries } = unit.router.config;
  if (how.attempts >= max_attempts) return finish(unit, item, "dead", how);
  if (item.deliveries >= max_deliveries)
    return finish(unit, item, "dead", { ...how, error: how.error ?? tooOften(unit, item) });
  if (hasSuccessor(unit, item)) return finish(unit, item, "superseded", how);
  if (item.expiresAt > 0 && item.expiresAt <= unit.now) return finish(unit, item, "expired", how);
  const delayed = (how.delayMs ?? 0) > 0;
  const waiting = touchedItem(item, unit.now);
  waiting.state = "retry_wait";
  waiting.lease = null;
  waiting.list = "";
  waiting.recent = false;
  waiting.heldBy = "";
  waiting.attempts = how.attempts;
  waiting.history++;
  waiting.notBefore = delayed ? unit.now + how.delayMs! : 0;
  if (how.error) waiting.error = how.error;
  const cause =
    how.by === "expired" ? "lease_expired" : how.by === "release" ? "released" : "retry_scheduled";
  // The lease ends first: its own slot is free for it again.
  unit.change(item, waiting, cause);
  const settled = delayed ? copyItem(waiting) : standInLine(unit, waiting, waiting.version);
  const { token, recipient } = item.lease!;
  settled.ended = { token, by: how.by, answer: answerOf(settled), recipient };
  unit.change(waiting, settled, cause);
  return settled;
}

/** Equal jitter: half of the exponential delay is certain, half is drawn, so that retries spread without bunching at 0. */
function backoffMs(unit: UnitOfWork, attempts: number): number {
  const { initial_ms, max_ms, multiplier } = unit.router.config.backoff;
  const full = Math.min(max_ms, initial_ms * multiplier ** (attempts - 1));
  return Math.max(1, Math.round(full / 2 + (full / 2) * unit.context.random()));
}

function observe(unit: UnitOfWork, item: Item, ok: boolean): void {
  unit.forRouter.observe(item.lease!.recipient, ok);
}

function errorOf(unit: UnitOfWork, command: Settle, fallback: string): ItemError {
  return { message: command.error || fallback, type: command.errorType, at: unit.now };
}

/** A dead letter says why it is one, also where no error was reported. */
function tooOften(unit: UnitOfWork, { deliveries }: Item): ItemError {
  return { message: `handed out ${deliveries} times`, type: "max_deliveries", at: unit.now };
}

function delayOf(command: Settle): { delayMs?: number } {
  return command.delayMs === undefined ? {} : { delayMs: command.delayMs };
}

function lost(reason: "expired" | "reassigned" | "cancelled"): Refusal {
  return refuse("LEASE_LOST", `the lease is gone: ${reason}`, { reason });
}
