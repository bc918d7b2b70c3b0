import { devTenantId, isRefusal, type Random, type Refusal } from "#base";
import type { Answer, Ask, Cancellation } from "../../runtime/index.ts";
import { copyPlain } from "../../runtime/shard/plain.ts";
import type { Process } from "./process.ts";
import type { Stage } from "./scenario.ts";
import { newOwner, type Owner, type Scheduler } from "./scheduler.ts";

export type Question = Omit<Ask, "caller" | "deadlineMs">;

const answerTimeoutMs = 6_000;

/** How callers reach the cluster: questions and answers take time, are lost with their process, and are repeated. */
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

  /** Repeats the question until there is an answer other than "later", or the attempts are used up. */
  persist(question: Question, how: Persistence): void {
    this.repeat((heard) => this.send(question, 0.05, heard), how);
  }

  /** The same for anything else that has an answer in the end, or none. */
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

  /**
   * Asks once. `heard` gets the answer and the time at which it left its owner. Returns the process that was asked, if
   * one is there.
   */
  send(
    question: Question,
    stale: number,
    heard: (answer: Answer, leftMs: number) => void,
  ): Process | undefined {
    const process = this.#stage.ownerOf(question.to, stale);
    if (process === undefined) return undefined;
    const { signal, ...rest } = question;
    const relay = signal && relayed(signal, process, this.#random.float() * 2);
    const asked = { ...rest, caller, ...(relay && { signal: relay.cancellation }) };
    const waiting = { process, question };
    this.#waiting.add(waiting);
    process.receive("ask", this.#random.float() * 2, () =>
      // Doors run in the process that is asked, and use its clock at the moment at which they read the question.
      process.ask({ ...asked, deadlineMs: process.wallMs() + 5_000 }, (answer) => {
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

  /** Questions that a living process has not answered: a question may be lost only with its process. */
  unanswered(): string[] {
    return [...this.#waiting]
      .filter(({ process }) => process.alive)
      .map(({ process, question }) => `${process.owner.name} never answered ${describe(question)}`);
  }

  /** Runs after a random time, unless the run is ending. */
  think(upToMs: number, act: () => void): void {
    this.#scheduler.schedule(this.owner, this.#random.float() * upToMs, "think", () => {
      if (!this.stopped) act();
    });
  }
}

/** The process learns a moment later that a caller has left, as with everything a caller sends. */
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
