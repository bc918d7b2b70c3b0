import { devTenantId, type Random } from "#base";
import type { Address } from "../../../runtime/index.ts";
import { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import type { ClientOperation, History, OperationKind } from "./history.ts";

const busyLedgers = ["a", "b", "c", "d", "e", "f", "g", "h"];
/** Read often and seldom changed: if another process owns it now, an old owner still shows its old state. */
const stillLedgers = ["w", "x", "y", "z"];
export const ledgers = [...busyLedgers, ...stillLedgers];

const kinds: readonly OperationKind[] = ["add", "add", "send", "remind", "scratch", "announce", "call"];
const quietKinds: readonly OperationKind[] = ["add", "scratch"];
const attemptsMax = 6;

/** Callers that request changes, retry failures, send some requests twice, and record every answer. */
export class Clients {
  readonly #callers: Callers;
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #history: History;
  readonly #quiet: boolean;
  #count = 0;

  constructor(stage: Stage, history: History) {
    this.#callers = new Callers(stage);
    this.#stage = stage;
    this.#random = stage.random;
    this.#history = history;
    this.#quiet = stage.faults.quiet;
  }

  start(count: number): void {
    for (let client = 0; client < count; client++) this.#think();
  }

  stop(): void {
    this.#callers.stopped = true;
  }

  unanswered(): readonly string[] {
    return this.#callers.unanswered();
  }

  /** A quiet run has many reads and few changes, so that a replaced owner is asked before it notices. */
  #think(): void {
    const random = this.#random;
    this.#callers.think(this.#quiet ? 300 : 200, () => {
      const still = random.chance(0.3);
      const burst = !this.#quiet && !still && random.chance(0.04) ? 40 : 1;
      const ledger = random.pick(still ? stillLedgers : busyLedgers);
      const reads = this.#quiet ? 0.93 : still ? 0.85 : 0.3;
      for (let i = 0; i < burst; i++)
        if (burst === 1 && random.chance(reads)) this.#read(ledger);
        else this.#change(ledger);
      this.#think();
    });
  }

  #read(ledger: string): void {
    const sentMs = this.#stage.scheduler.nowMs;
    this.#callers.send({ to: address(ledger), method: "read", request: {} }, 0.5, (answer, leftMs) => {
      this.#history.read(ledger, answer, sentMs, leftMs);
    });
  }

  #change(ledger: string): void {
    const random = this.#random;
    const kind = random.pick(this.#quiet ? quietKinds : kinds);
    const operation: ClientOperation = {
      id: `${kind}-${this.#count++}`,
      kind,
      ledger,
      // Without an idempotency key a send may be executed once per attempt; each must still arrive exactly once.
      idempotent: random.chance(0.7),
      attempts: 0,
      acknowledged: 0,
      failed: 0,
    };
    this.#history.operations.set(operation.id, operation);
    const request = {
      type: kind,
      id: operation.id,
      amount: random.int(100) + 1,
      to: address(random.pick(ledgers)),
      delayMs: random.int(8_000),
    };
    this.#attempt(operation, request);
    if (operation.idempotent && random.chance(0.2)) this.#attempt(operation, request);
  }

  #attempt(operation: ClientOperation, request: unknown): void {
    const { ledger, id, idempotent } = operation;
    const idempotency = idempotent && { idempotency: { scope: id, fingerprint: "f" } };
    this.#callers.persist(
      { to: address(ledger), method: "change", request, ...idempotency },
      {
        attemptsLeft: attemptsMax - operation.attempts,
        attempted: () => operation.attempts++,
        heard: (answer, leftMs) => this.#history.answered(operation, answer, leftMs),
      },
    );
  }
}

export function address(ledger: string): Address {
  return { kind: "ledger", tenant: devTenantId, key: ledger };
}
