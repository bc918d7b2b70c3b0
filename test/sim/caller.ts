import { devTenantId, isRefusal, type Random, type Refusal } from "#base";
import type { Answer, Ask, Cancellation } from "../../runtime/index.ts";
import { copyPlain } from "../../runtime/shard/plain.ts";
import type { Process } from "./process.ts";
import type { Stage } from "./scenario.ts";
import { newOwner, type Owner, type Scheduler } from "./scheduler.ts";

export type Question = Omit<Ask, "caller" | "deadlineMs">;

const answerTimeoutMs = 6_000;

/** How callers reach the cluster: questions and answers take time, are lost with their process, and are asked again. */
export class Callers {
  readonly owner: Owner = newOwner("client");
  readonly #stage: Stage;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #waiting = new Set<{ readonly process: Process; readonly question: Question }>();
  stopped = false;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#scheduler = stage.scheduler;
    this.#random = stage.random;
  }

  /** Again and again, until there is an answer that is not "later", or it was tried often enough. */
  persist(question: Question, how: Persistence): void {
    this.repeat((heard) => this.send(question, 0.05, heard), how);
  }

  /** The same of whatever else has an answer in the end, or none. */
  repeat(send: (heard: Persistence["heard"]) => void, how: Persistence): void {
    how.attempted();
    let done = false;
    const again = () => {
      if (done) return;
      done = true;
      if (--how.attemptsLeft <= 0 || this.stopped) return;
      this.#scheduler.schedule(this.owner, 20 + this.#random.float() * 500, "retry", () =>
        this.repeat(send, how),
      );
    };
    const enough = this.#scheduler.schedule(this.owner, answerTimeoutMs, "client timeout", again);
    send((answer, leftMs) => {
      how.heard(answer, leftMs);
      enough();
      if (isRefusal(answer) && retryable(answer)) again();
      else done = true;
    });
  }

  /** Once. `heard` gets the answer and the time at which it left its owner. Who was asked, if anybody is there. */
  send(
    question: Question,
    stale: number,
    heard: (answer: Answer, leftMs: number) => void,
  ): Process | undefined {
    const process = this.#stage.ownerOf(question.to, stale);
    if (process === undefined) return undefined;
    const { signal, ...rest } = question;
    const relay = signal && relayed(signal, process, this.#random.float() * 2);
    const ask: Ask = {
      ...rest,
      caller,
      // Doors are in the process that is asked, and reckon by its clock.
      deadlineMs: process.wallMs() + 5_000,
      ...(relay && { signal: relay.cancellation }),
    };
    const waiting = { process, question };
    this.#waiting.add(waiting);
    process.receive("ask", this.#random.float() * 2, () =>
      process.ask(ask, (answer) => {
        const leftMs = this.#scheduler.nowMs;
        relay?.over();
        if (!this.#waiting.delete(waiting)) this.#stage.violate(`${describe(question)} was answered twice`);
        const copy = copyPlain(answer) as Answer;
        this.#scheduler.schedule(this.owner, this.#random.float() * 2, "answer", () => {
          if (isRefusal(copy) && copy.code === "RATE_LIMITED" && !copy.retryAfterMs)
            this.#stage.violate("a 429 without a retry hint");
          heard(copy, leftMs);
        });
      }),
    );
    return process;
  }

  /** A question is lost with its process only: those whose process lives. */
  unanswered(): string[] {
    return [...this.#waiting]
      .filter(({ process }) => process.alive)
      .map(({ process, question }) => `${process.owner.name} never answered ${describe(question)}`);
  }

  /** After a drawn time, unless nothing more is wanted. */
  think(upToMs: number, act: () => void): void {
    this.#scheduler.schedule(this.owner, this.#random.float() * upToMs, "think", () => {
      if (!this.stopped) act();
    });
  }
}

/** That a caller goes away is heard a moment later, like everything it says. */
function relayed(signal: Cancellation, process: Process, delayMs: number) {
  const listeners = new Set<() => void>();
  let aborted = false;
  const abort = () =>
    process.receive("cancel", delayMs, () => {
      aborted = true;
      for (const listener of [...listeners]) listener();
    });
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  const cancellation: Cancellation = {
    get aborted() {
      return aborted;
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
  };
  return { cancellation, over: () => signal.removeEventListener("abort", abort) };
}

interface Persistence {
  attemptsLeft: number;
  readonly attempted: () => void;
  readonly heard: (answer: Answer, leftMs: number) => void;
}

const caller = {
  tenant: devTenantId,
  subject: "client",
  owner: "client",
  principalKind: "user",
  requestId: "sim",
  environmentMode: "any",
  platform: false,
} as const;

function describe({ method, to }: Question): string {
  return `${method} of ${to.key}`;
}

function retryable(refusal: Refusal): boolean {
  return ["UNAVAILABLE", "RATE_LIMITED", "TIMEOUT"].includes(refusal.code);
}
