import { isRefusal } from "#base";
import type { Answer } from "../../../runtime/index.ts";
import type { AppliedRow, Audit } from "./ledger.ts";
import { Outside } from "./outside.ts";

export type OperationKind = "add" | "send" | "remind" | "scratch" | "announce" | "call";

/** One change that a client requests, over all its attempts. */
export interface ClientOperation {
  readonly id: string;
  readonly kind: OperationKind;
  readonly ledger: string;
  readonly idempotent: boolean;
  readonly to?: string;
  attempts: number;
  acknowledged: number;
  /** Answers that say that it failed and nothing of it happened. */
  failed: number;
}

interface Seen {
  readonly ledger: string;
  readonly applied: number;
  readonly total: number;
}

/** A read from a cut-off owner may be this old (promise 1). */
const staleMs = 2_000;

/** A process that hears broadcasts. */
export interface Listener {
  /** Since when it has run without a pause. */
  readonly awakeMs: number;
  readonly owner: { readonly name: string };
  /** It existed at the first moment, and ran for as long as the time between the two moments. */
  wasThere(fromMs: number, toMs: number): boolean;
}

interface Heard {
  /** By this time every process of that moment has the broadcast. */
  readonly firstMs: number;
  readonly by: Set<Listener>;
}

/** A broadcast takes no longer than this. */
const broadcastMs = 1_000;

/** The answers that clients got, compared with the final state. */
export class History {
  readonly operations = new Map<string, ClientOperation>();
  readonly violate: (claim: string) => void;
  readonly outside = new Outside();
  readonly #seen: Seen[] = [];
  readonly #heard = new Map<string, Heard>();
  readonly #missed = new Map<Listener, number[]>();
  readonly #listeners: () => Iterable<Listener>;
  readonly #acknowledged = new Map<string, { atMs: number; applied: number }[]>();

  constructor(violate: (claim: string) => void, listeners: () => Iterable<Listener>) {
    this.violate = violate;
    this.#listeners = listeners;
  }

  /** To be called when a process receives an announcement. */
  announced(id: string, listener: Listener, atMs: number): void {
    let heard = this.#heard.get(id);
    if (heard === undefined) {
      heard = { firstMs: atMs, by: new Set() };
      this.#heard.set(id, heard);
    }
    heard.by.add(listener);
  }

  /** To be called when a process is told that it may have missed some. */
  missed(listener: Listener, atMs: number): void {
    const times = this.#missed.get(listener) ?? [];
    this.#missed.set(listener, times);
    times.push(atMs);
  }

  answered(operation: ClientOperation, answer: Answer, atMs: number): void {
    if (isRefusal(answer)) {
      if (answer.code === "INTERNAL") operation.failed++;
      return;
    }
    operation.acknowledged++;
    const { applied, total } = answer.response as { applied: number; total: number };
    if (!answer.replayed) this.#see({ ledger: operation.ledger, applied, total }, atMs);
  }

  /** A read that was sent at `sentMs` and left its owner at `atMs`. */
  read(ledger: string, answer: Answer, sentMs: number, atMs: number): void {
    if (isRefusal(answer)) return;
    const { applied, total } = answer.response as { applied: number; total: number };
    this.#seen.push({ ledger, applied, total });
    const known = this.#acknowledged.get(ledger) ?? [];
    for (const earlier of known)
      if (earlier.atMs <= Math.min(sentMs, atMs - staleMs) && earlier.applied > applied)
        this.violate(
          `a read of ${ledger} at ${atMs} saw ${applied}, but ${earlier.applied} was acknowledged at ${earlier.atMs}`,
        );
  }

  #see(seen: Seen, atMs: number): void {
    this.#seen.push(seen);
    const known = this.#acknowledged.get(seen.ledger) ?? [];
    known.push({ atMs, applied: seen.applied });
    this.#acknowledged.set(seen.ledger, known);
  }

  /** The audits of all ledgers, after all faults have ended and everything is done. */
  check(audits: ReadonlyMap<string, Audit>): void {
    for (const [name, audit] of audits) this.#checkLedger(name, audit);
    for (const operation of this.operations.values()) this.#checkOperation(operation, audits);
    this.#checkMessages(audits);
    this.#checkBroadcasts(audits);
    this.outside.check(audits, this.violate);
  }

  #checkLedger(name: string, audit: Audit): void {
    let total = 0;
    const totals = [0];
    for (const row of audit.applied) {
      total += row.amount;
      totals.push(total);
    }
    if (total !== audit.total) this.violate(`${name} says ${audit.total}, its rows say ${total}`);
    if (audit.scratched > 0 && audit.scratch.length !== 1)
      this.violate(`${name} keeps ${audit.scratch.length} scratch lines, not one`);
    for (const seen of this.#seen)
      if (seen.ledger === name && totals[seen.applied] !== seen.total)
        this.violate(
          `${name} showed total ${seen.total} after ${seen.applied}; its history says ${totals[seen.applied]}`,
        );
    for (const row of audit.applied) if (row.kind === "remind") this.#checkTimer(name, audit, row);
  }

  #checkTimer(name: string, audit: Audit, reminded: AppliedRow): void {
    const fired = audit.applied.filter((row) => row.kind === "fire" && row.id === reminded.id);
    // Without a key, a repeated "remind" replaces the timer of the same id.
    const set = audit.applied.filter((row) => row.kind === "remind" && row.id === reminded.id);
    if (fired.length === 0) this.violate(`${name}: timer ${reminded.id} was lost`);
    if (fired.length > set.length) this.violate(`${name}: timer ${reminded.id} fired ${fired.length} times`);
    const earliest = Math.min(...set.map((row) => row.dueMs!));
    for (const row of fired)
      if (row.atMs < earliest) this.violate(`${name}: timer ${row.id} fired at ${row.atMs}, due ${earliest}`);
  }

  #checkOperation(operation: ClientOperation, audits: ReadonlyMap<string, Audit>): void {
    const { id, kind, ledger } = operation;
    const rows = audits.get(ledger)!.applied.filter((row) => row.id === id && row.kind === kind);
    if (operation.acknowledged > 0 && rows.length === 0)
      this.violate(`${kind} ${id} was acknowledged and is not there`);
    if (operation.idempotent && rows.length > 1)
      this.violate(`${kind} ${id} was applied ${rows.length} times`);
    if (rows.length > operation.attempts - operation.failed)
      this.violate(
        `${kind} ${id} was applied ${rows.length} times in ${operation.attempts} attempts, ${operation.failed} of which failed`,
      );
    if (!operation.idempotent && rows.length < operation.acknowledged)
      this.violate(`${kind} ${id} was acknowledged ${operation.acknowledged} times, applied ${rows.length}`);
  }

  /** Every sent message was applied by its target, once. */
  #checkMessages(audits: ReadonlyMap<string, Audit>): void {
    const count = (kind: string) => {
      const counts = new Map<string, number>();
      for (const audit of audits.values())
        for (const row of audit.applied)
          if (row.kind === kind) counts.set(row.id, (counts.get(row.id) ?? 0) + 1);
      return counts;
    };
    const sent = count("send");
    const received = count("receive");
    for (const id of new Set([...sent.keys(), ...received.keys()]))
      if (sent.get(id) !== received.get(id))
        this.violate(`message ${id} was sent ${sent.get(id) ?? 0} times, applied ${received.get(id) ?? 0}`);
  }

  /** It did not exist for long enough, or was told in time that it may have missed something. */
  #knewSoon(listener: Listener, firstMs: number): boolean {
    if (!listener.wasThere(firstMs, firstMs + broadcastMs)) return true;
    const untilMs = Math.max(listener.awakeMs, firstMs) + broadcastMs;
    return this.#missed.get(listener)?.some((atMs) => atMs >= firstMs && atMs <= untilMs) ?? false;
  }

  /**
   * Every announcement was received by all processes that existed when the first received it, and none was received
   * that was not made.
   */
  #checkBroadcasts(audits: ReadonlyMap<string, Audit>): void {
    const made = new Set<string>();
    for (const audit of audits.values())
      for (const row of audit.applied) if (row.kind === "announce") made.add(row.id);
    for (const id of this.#heard.keys())
      if (!made.has(id)) this.violate(`announcement ${id} was heard and never made`);
    for (const id of made) {
      const heard = this.#heard.get(id);
      if (heard === undefined) this.violate(`announcement ${id} was heard by no process`);
      else
        for (const listener of this.#listeners())
          if (!heard.by.has(listener) && !this.#knewSoon(listener, heard.firstMs))
            this.violate(`${listener.owner.name} did not hear announcement ${id}`);
    }
  }
}
