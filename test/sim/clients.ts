import { devTenantId, isRefusal, type Random, type Refusal } from "#base";
import type { Address, Answer, Ask } from "../../runtime/index.ts";
import type { ClientOperation, History, OperationKind } from "./history.ts";
import { epochMs, type Process } from "./process.ts";
import { newOwner, type Owner, type Scheduler } from "./scheduler.ts";

export const ledgers = ["a", "b", "c", "d", "e", "f", "g", "h"];

const kinds: readonly OperationKind[] = ["add", "add", "send", "remind", "scratch"];
const quietKinds: readonly OperationKind[] = ["add", "scratch"];
const attemptsMax = 6;
const answerTimeoutMs = 6_000;

/** Callers that want changes, retry what failed, send some of it twice, and remember every answer. */
export class Clients {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #history: History;
  readonly #ownerOf: (ledger: string, stale: number) => Process | undefined;
  readonly #quiet: boolean;
  readonly #owner: Owner = newOwner("client");
  #count = 0;
  stopped = false;

  constructor(options: {
    scheduler: Scheduler;
    random: Random;
    history: History;
    ownerOf: (ledger: string, stale: number) => Process | undefined;
    quiet: boolean;
  }) {
    this.#scheduler = options.scheduler;
    this.#random = options.random;
    this.#history = options.history;
    this.#ownerOf = options.ownerOf;
    this.#quiet = options.quiet;
  }

  start(count: number): void {
    for (let client = 0; client < count; client++) this.#think();
  }

  #think(): void {
    const thinkMs = this.#random.float() * (this.#quiet ? 800 : 200);
    this.#scheduler.schedule(this.#owner, thinkMs, "think", () => {
      if (this.stopped) return;
      const burst = this.#random.chance(0.03) ? 40 : 1;
      const ledger = this.#random.pick(ledgers);
      for (let i = 0; i < burst; i++)
        if (burst === 1 && this.#random.chance(this.#quiet ? 0.8 : 0.3)) this.#read(ledger);
        else this.#change(ledger);
      this.#think();
    });
  }

  #read(ledger: string): void {
    const sentMs = this.#scheduler.nowMs;
    this.#send(this.#ask(ledger, "read", {}), (answer, atMs) => {
      this.#history.read(ledger, answer, sentMs, atMs);
    });
  }

  #change(ledger: string): void {
    const random = this.#random;
    const kind = random.pick(this.#quiet ? quietKinds : kinds);
    const operation: ClientOperation = {
      id: `${kind}-${this.#count++}`,
      kind,
      ledger,
      // Without a key a send may happen once per attempt: still each exactly once at its target.
      idempotent: random.chance(0.7),
      attempts: 0,
      acknowledged: 0,
      refusedForGood: false,
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
    operation.attempts++;
    let done = false;
    const again = () => {
      if (done) return;
      done = true;
      if (operation.attempts >= attemptsMax || this.stopped) return;
      this.#scheduler.schedule(this.#owner, 20 + this.#random.float() * 500, "retry", () =>
        this.#attempt(operation, request),
      );
    };
    const idempotency = operation.idempotent && { idempotency: { scope: operation.id, fingerprint: "f" } };
    const ask = { ...this.#ask(operation.ledger, "change", request), ...idempotency };
    this.#scheduler.schedule(this.#owner, answerTimeoutMs, "client timeout", again);
    this.#send(ask, (answer, atMs) => {
      this.#history.answered(operation, answer, atMs);
      if (isRefusal(answer) && retryable(answer)) again();
      else done = true;
    });
  }

  #ask(ledger: string, method: string, request: unknown): Ask {
    return {
      to: address(ledger),
      method,
      request,
      caller: {
        tenant: devTenantId,
        subject: "client",
        requestId: "sim",
        environmentMode: "any",
        platform: false,
      },
      deadlineMs: epochMs + this.#scheduler.nowMs + 5_000,
    };
  }

  /** `heard` gets the answer and the time at which it left its owner. */
  #send(ask: Ask, heard: (answer: Answer, leftMs: number) => void): void {
    const process = this.#ownerOf(ask.to.key, ask.method === "read" ? 0.3 : 0.05);
    if (process === undefined) return;
    process.receive("ask", this.#random.float() * 2, () =>
      process.ask(ask, (answer) => {
        const leftMs = this.#scheduler.nowMs;
        const copy = structuredClone(answer);
        this.#scheduler.schedule(this.#owner, this.#random.float() * 2, "answer", () => heard(copy, leftMs));
      }),
    );
  }
}

export function address(ledger: string): Address {
  return { kind: "ledger", tenant: devTenantId, key: ledger };
}

function retryable(refusal: Refusal): boolean {
  return ["UNAVAILABLE", "RATE_LIMITED", "TIMEOUT"].includes(refusal.code);
}
