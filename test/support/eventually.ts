import { setTimeout as sleep } from "node:timers/promises";

const waitMsMax = 240_000;

/** Repeats `look` until it returns something. The wait is bounded, and the error says what was awaited. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const giveUp = performance.now() + waitMsMax;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > giveUp) throw new Error(`after ${waitMsMax / 1000} s still not: ${what}`);
    await sleep(10);
  }
}
