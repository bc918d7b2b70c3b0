import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "#base";
import { StorageError } from "../error.ts";

/**
 * Repeats an attempt until it has an answer. An attempt that returns undefined, or fails in the driver, has none. A
 * StorageError is an answer and is thrown. When the time is up, `failed` makes the error.
 */
export async function pursue<T>(
  attempt: () => Promise<T | undefined>,
  failed: (lastError: unknown) => StorageError,
): Promise<T> {
  const giveUp = performance.now() + limits.cassandraResolveMsMax;
  let lastError: unknown = "others were faster again and again";
  for (let round = 1; ; round++) {
    try {
      const answer = await attempt();
      if (answer !== undefined) return answer;
    } catch (error) {
      if (error instanceof StorageError) throw error;
      lastError = error;
    }
    if (performance.now() > giveUp) throw failed(lastError);
    await sleep(Math.min(50 * round, 500));
  }
}
