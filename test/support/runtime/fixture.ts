import { Random } from "#base";
import type { AnyActorDefinition } from "../../../runtime/actor.ts";
import type { Answer, Ask } from "../../../runtime/ask.ts";
import { Heap } from "../../../runtime/shard/heap.ts";
import { type Runtime, type RuntimeOptions, startRuntime } from "../../../runtime/start.ts";
import type { World } from "../../../runtime/world.ts";
import { type Interference, MemoryStore, openMemory } from "../../../storage/memory/index.ts";
import { seededSecret } from "../seeded-secret.ts";
import { cover, type NotebookCommand, notebook } from "./notebook.ts";

/** A world whose clock stands still until a test advances it. */
export class ManualWorld implements World {
  nowMs = 1_800_000_000_000;
  monotonicMs = 0;
  heap?: NonNullable<World["heap"]>;
  readonly random = new Random("manual");
  secret = seededSecret(new Random("manual secrets"));
  readonly clock = { now: () => this.nowMs, monotonic: () => this.monotonicMs };
  readonly #timers = new Heap<{ atMs: number; step: (() => void) | undefined }>((a, b) => a.atMs - b.atMs);

  later(step: () => void): void {
    setImmediate(step);
  }

  setTimer(delayMs: number, step: () => void): () => void {
    const timer: { atMs: number; step: (() => void) | undefined } = {
      atMs: this.monotonicMs + delayMs,
      step,
    };
    this.#timers.push(timer);
    return () => {
      timer.step = undefined;
    };
  }

  /** Advances time timer by timer, and runs what they cause. */
  async advance(ms: number): Promise<void> {
    const until = this.monotonicMs + ms;
    const due = () => {
      const next = this.#timers.peek();
      return next !== undefined && next.atMs <= until;
    };
    // What a timer causes may set the next one some turns later.
    while (due()) {
      while (due()) await this.#fire();
      await settle();
    }
    this.nowMs += until - this.monotonicMs;
    this.monotonicMs = until;
    await settle();
  }

  async #fire(): Promise<void> {
    const next = this.#timers.pop()!;
    const passed = Math.max(0, next.atMs - this.monotonicMs);
    this.monotonicMs += passed;
    this.nowMs += passed;
    next.step?.();
    if (next.step !== undefined) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Waits until everything under way in this thread has ended. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}

export interface Fixture {
  readonly runtime: Runtime;
  readonly world: ManualWorld;
  readonly store: MemoryStore;
  /** Asks the notebook of this key. */
  ask(command: NotebookCommand, options?: AskOptions): Promise<Answer>;
  /** Ends like a crash, and starts again over the same store. */
  restart(changed?: FixtureOptions): Promise<Fixture>;
}

interface AskOptions {
  readonly key?: string;
  readonly tenant?: string;
  readonly kind?: string;
  readonly method?: string;
  readonly once?: string;
  readonly fingerprint?: string;
  /** Members of the answer that are not stored for a repeat. */
  readonly omit?: readonly string[];
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

export interface FixtureOptions {
  readonly definitions?: readonly AnyActorDefinition[];
  readonly limits?: RuntimeOptions["limits"];
  readonly interference?: Interference;
  /** Of a store that other nodes share. */
  readonly usedFormat?: () => number;
  readonly provenMs?: () => number;
  readonly logger?: RuntimeOptions["logger"];
  readonly effects?: RuntimeOptions["effects"];
  readonly onHealth?: RuntimeOptions["onHealth"];
}

const shardCount = 8;

export async function startFixture(
  options: FixtureOptions = {},
  world = new ManualWorld(),
  store = new MemoryStore(),
): Promise<Fixture> {
  const storage = openMemory(store, options.interference);
  const runtime = await startRuntime({
    storage: {
      ...storage,
      get usedFormat() {
        return options.usedFormat?.();
      },
    },
    shards: [...Array(shardCount).keys()],
    definitions: options.definitions ?? [notebook, cover],
    world,
    limits: { shardCount, ...options.limits },
    provenMs: options.provenMs,
    logger: options.logger,
    effects: options.effects,
    onHealth: options.onHealth,
  });
  return {
    runtime,
    world,
    store,
    ask: (command, asked = {}) => runtime.ask(askFor(command, asked, world)),
    restart(changed) {
      storage.crash();
      runtime.stop();
      return startFixture({ ...options, ...changed }, world, store);
    },
  };
}

export function callerOf(tenant: string): Ask["caller"] {
  return {
    tenant,
    subject: "tester",
    owner: "tester",
    principalKind: "user",
    requestId: "r",
    environmentMode: "any",
    platform: false,
  };
}

function askFor(command: NotebookCommand, options: AskOptions, world: World): Ask {
  const tenant = options.tenant ?? "t";
  return {
    to: { kind: options.kind ?? "notebook", tenant, key: options.key ?? "a" },
    method: options.method ?? "Notebook.Do",
    request: { command },
    caller: callerOf(tenant),
    deadlineMs: options.deadlineMs ?? world.clock.now() + 60_000,
    ...(options.once === undefined
      ? {}
      : {
          idempotency: {
            scope: options.once,
            fingerprint: options.fingerprint ?? "same",
            ...(options.omit && { omit: options.omit }),
          },
        }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  };
}
