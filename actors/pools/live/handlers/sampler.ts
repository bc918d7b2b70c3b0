import { setTimeout as pause } from "node:timers/promises";
import { handleOf, isRefusal, limits, type Refusal, refusalError } from "#base";
import type { Caller } from "#runtime";
import { tryAsk } from "../../../kit/ask.ts";
import { batchError } from "../../../kit/batch.ts";
import type { TotalName } from "../../../kit/meter.ts";
import type { CallContext } from "../../../module.ts";
import { type Sample, sample } from "../../queue/handlers/questions.ts";

/** Lets some time pass. */
type Rest = (ms: number) => Promise<unknown>;

/** One pool, as watchers are told of it. */
export interface Told {
  readonly pool_id: string;
  readonly queue?: object;
  readonly rates?: object;
  readonly recipients?: readonly object[];
  readonly error?: object;
}

/** The pools that this thread has watchers of: each is asked once a second, however many they are. */
export class LivePools {
  readonly #pools = new Map<string, LivePool>();
  readonly #poolsMax: number;
  readonly #rest: Rest;

  constructor(poolsMax: number, rest: Rest = pause) {
    this.#poolsMax = poolsMax;
    this.#rest = rest;
  }

  get size(): number {
    return this.#pools.size;
  }

  /** Each that joins must leave. Throws where there would be too many. */
  join(ids: readonly string[], withRecipients: boolean, call: CallContext): readonly LivePool[] {
    const { tenant } = call.caller;
    const added = ids.filter((id) => !this.#pools.has(`${tenant}/${id}`)).length;
    if (this.#pools.size + added > this.#poolsMax)
      throw refusalError("RATE_LIMITED", `a thread watches at most ${this.#poolsMax} pools`, {
        reason: "CONCURRENCY",
        retryAfterMs: limits.retryAfterMs,
      });
    return ids.map((id) => this.#joined(id, withRecipients, call));
  }

  #joined(id: string, withRecipients: boolean, call: CallContext): LivePool {
    const key = `${call.caller.tenant}/${id}`;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = new LivePool(id, call, { left: () => this.#pools.delete(key), rest: this.#rest });
      this.#pools.set(key, pool);
    }
    pool.readers++;
    if (withRecipients) pool.recipientReaders++;
    pool.begin();
    return pool;
  }
}

interface Taken {
  readonly at: number;
  readonly totals: Readonly<Record<TotalName, number>>;
}

const rateNames = ["enqueued", "claimed", "completed", "failed", "dead"] as const;

/** One pool, asked once a second for as long as it has watchers. */
export class LivePool {
  readers = 0;
  recipientReaders = 0;
  told: Told;
  /** Another one with every change. */
  version = 0;
  /** Its first answer is there. */
  ready: Promise<unknown> | undefined;
  readonly #call: Pick<CallContext, "asker" | "clock">;
  readonly #caller: Caller;
  readonly #gone = new AbortController();
  readonly #left: () => void;
  readonly #rest: Rest;
  readonly #taken: Taken[] = [];
  #text = "";

  constructor(
    id: string,
    { asker, clock, caller }: CallContext,
    { left, rest }: { readonly left: () => void; readonly rest: Rest },
  ) {
    this.told = { pool_id: id };
    this.#call = { asker, clock };
    // For all its watchers: each of them has asked for itself whether it may see the pool.
    const { environment: _, ...anywhere } = caller;
    this.#caller = { ...anywhere, environmentMode: "any" };
    this.#left = left;
    this.#rest = rest;
  }

  /** When its first watcher has said what it wants to see. */
  begin(): void {
    if (this.ready !== undefined) return;
    this.ready = this.#look();
    void this.#follow();
  }

  leave(withRecipients: boolean): void {
    if (withRecipients) this.recipientReaders--;
    if (--this.readers > 0) return;
    this.#left();
    this.#gone.abort();
  }

  async #follow(): Promise<void> {
    await this.ready;
    while (!this.#gone.signal.aborted) {
      await this.#rest(limits.liveSampleMs);
      if (!this.#gone.signal.aborted) await this.#look();
    }
  }

  async #look(): Promise<void> {
    const { asker, clock } = this.#call;
    const { pool_id } = this.told;
    const call = {
      asker,
      caller: this.#caller,
      deadlineMs: clock.now() + limits.liveAskMs,
      signal: this.#gone.signal,
    };
    const request = { pool_id, recipients: this.recipientReaders > 0 };
    const answer = await tryAsk(call, sample, { key: handleOf(pool_id), request }).catch(() => undefined);
    if (answer === undefined || this.#gone.signal.aborted) return;
    this.#tell(isRefusal(answer) ? { pool_id, error: batchError(answer) } : this.#read(answer.response));
  }

  #read({ queue, totals, recipients }: Sample): Told {
    const at = this.#call.clock.monotonic();
    this.#taken.push({ at, totals });
    while (at - this.#taken[0]!.at > limits.liveRatesMs) this.#taken.shift();
    const [first] = this.#taken;
    const seconds = (at - first!.at) / 1_000;
    const rateOf = (name: TotalName) =>
      seconds > 0 ? Math.round(((totals[name] - first!.totals[name]) / seconds) * 100) / 100 : 0;
    const rates = Object.fromEntries(rateNames.map((name) => [name, rateOf(name)]));
    return { pool_id: this.told.pool_id, queue, rates, ...(recipients && { recipients }) };
  }

  #tell(told: Told): void {
    const text = JSON.stringify(told);
    if (text === this.#text) return;
    this.#text = text;
    this.told = told;
    this.version++;
  }
}

/** A pool that this watcher may not see, or that is not there. */
export function toldOf(pool_id: string, refusal: Refusal): Told {
  return { pool_id, error: batchError(refusal) };
}
