import { limits } from "#base";
import type { CallContext } from "../../../actors/module.ts";
import { askerIn } from "../call-context.ts";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import type { Doors } from "./doors.ts";
import type { StreamParts } from "./played.ts";
import { RouteStream } from "./route-stream.ts";
import type { Told } from "./told.ts";
import { WorkStream } from "./work-stream.ts";

interface OpenStream {
  readonly over: boolean;
  leave(): void;
}

/** Workers and routing clients on streams, one after the other, each for a random time. */
export class Streams {
  readonly #parts: StreamParts;
  readonly #open = new Set<OpenStream>();
  #count = 0;

  constructor(stage: Stage, callers: Callers, doors: Doors, told: Told) {
    const asker: StreamParts["asker"] = (seen, heard) =>
      askerIn(stage, callers, { seen, heard, answerMsMax });
    this.#parts = { stage, callers, doors, told, asker };
  }

  start(): void {
    for (let stream = 0; stream < 2; stream++) this.#again((name) => this.#work(name));
    this.#again((name) => this.#route(name));
  }

  /** An asker for any entity that always gets an answer. */
  context(): CallContext {
    const { doors, asker } = this.#parts;
    const nothing = () => {};
    return doors.context(asker(nothing, nothing));
  }

  /** True when no client is on a stream any more. */
  stop(): void {
    for (const stream of this.#open) stream.leave();
  }

  #again(begin: (name: string) => OpenStream | undefined): void {
    const { callers, stage } = this.#parts;
    callers.think(stage.faults.quiet ? 600 : 200, () => {
      for (const stream of this.#open) if (stream.over) this.#open.delete(stream);
      const stream = begin(`s${this.#count++}`);
      if (stream === undefined) this.#again(begin);
      else this.#open.add(stream);
    });
  }

  #work(name: string): OpenStream | undefined {
    const { stage, told } = this.#parts;
    const pool = stage.random.pick(told.pools);
    if (pool.recipientIds.length === 0) return undefined;
    return new WorkStream(this.#parts, name, pool, () => this.#again((next) => this.#work(next)));
  }

  #route(name: string): OpenStream | undefined {
    if (this.#parts.told.pools.every(({ id }) => id === "")) return undefined;
    return new RouteStream(this.#parts, name, () => this.#again((next) => this.#route(next)));
  }
}

/** Longer than a wait in a queue; other questions may be lost on the way. */
const answerMsMax = (method: string) => (method === "queue.WorkWait" ? limits.claimWaitMs + 5_000 : 6_000);
