import { dispatch, spawn, start, stop } from "nact";

type System = ReturnType<typeof start>;
type Actor = ReturnType<typeof spawn>;

/** What a shard does at once: never one message, always what a tick brought. */
export type ShardStep = () => void;

/**
 * The nact tree of a worker: system, and a child per shard. A child gets batches only (nact passes about 200,000
 * messages a second, our run queue some millions), and its supervision decides what a step that throws means: the
 * shard's ownership term ends and a new one begins; its neighbours do not notice.
 */
export class ShardTree {
  readonly #system: System = start();
  readonly #shards = new Map<number, Actor>();

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
      // Not `spawnStateless`: nact puts its own `onCrash`, which reports nothing, in the place of ours there.
      const run = (state: null, { step }: Batch) => {
        step();
        return state;
      };
      actor = spawn(this.#system, run, `shard-${shard}`, {
        onCrash: (batch: Batch | undefined, error, context) => {
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
