import { limits } from "#base";
import type { Runtime } from "#runtime";
import type { Readiness } from "../ops/index.ts";

interface Looked {
  readonly atMs: number;
  readonly isAvailable: boolean;
}

/** What health reports know of this node's dependencies: looked at every ten seconds. A look that fails leaves the last one to age. */
export class Dependencies {
  readonly #look: () => Promise<boolean>;
  readonly #now: () => number;
  #last: Looked | undefined;

  constructor(look: () => Promise<boolean>, now: () => number) {
    this.#look = look;
    this.#now = now;
  }

  /** As old as its question: what has happened since is not in the answer. */
  async look(): Promise<void> {
    const atMs = this.#now();
    const isAvailable = await this.#look().catch(() => undefined);
    if (isAvailable !== undefined && atMs >= (this.#last?.atMs ?? 0)) this.#last = { atMs, isAvailable };
  }

  read(): { readonly ageMs: number; readonly isAvailable: boolean } | undefined {
    if (this.#last === undefined) return undefined;
    const { atMs, isAvailable } = this.#last;
    return { ageMs: Math.round(this.#now() - atMs), isAvailable };
  }
}

/** What `/ready` checks answers, and every shard has an owner that has opened it. */
export async function areAvailable(
  readiness: Readiness,
  runtime: Pick<Runtime, "stats" | "cluster">,
): Promise<boolean> {
  if (Object.values(readiness.components).some(({ status }) => status === "unhealthy")) return false;
  const cluster = await runtime.cluster();
  if (cluster !== undefined) return cluster.unheld === 0;
  const shards = (await runtime.stats()).flatMap((thread) => thread.shards);
  return shards.filter(({ status }) => status === "ready").length === limits.shardCount;
}
