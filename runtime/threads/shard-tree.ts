import { dispatch, spawnStateless, start, stop } from "nact";
import type { Logger } from "../logger.ts";

type System = ReturnType<typeof start>;
type Actor = ReturnType<typeof spawnStateless>;

/** What a shard does at once: never one message, always what a tick brought. */
export type ShardStep = () => void;

/**
 * The nact tree of a worker: system, and a child per shard. A child gets batches only (nact passes about 200,000
 * messages a second, our run queue some millions), and its supervision decides what a step that throws means: the
 * shard's tenure ends and a new one begins; its neighbours do not notice.
 */
export class ShardTree {
  readonly #system: System;
  readonly #shards = new Map<number, Actor>();
  readonly #logger: Logger | undefined;

  constructor(logger: Logger | undefined) {
    this.#system = start();
    this.#logger = logger;
  }

  /** Runs `step` as the next message of this shard's actor; `failed` is its supervisor's answer to a crash. */
  run(shard: number, step: ShardStep, failed: (error: unknown) => void): void {
    dispatch(this.#actor(shard), { step, failed });
  }

  stop(): void {
    stop(this.#system);
  }

  #actor(shard: number): Actor {
    let actor = this.#shards.get(shard);
    if (actor === undefined) {
      actor = spawnStateless(this.#system, ({ step }: Batch) => step(), `shard-${shard}`, {
        onCrash: (batch: Batch | undefined, error, context) => {
          this.#logger?.error({ err: error, shard }, "a shard failed and is taken anew");
          batch?.failed(error);
          return context.resume;
        },
      });
      this.#shards.set(shard, actor);
    }
    return actor;
  }
}

interface Batch {
  readonly step: ShardStep;
  readonly failed: (error: unknown) => void;
}
