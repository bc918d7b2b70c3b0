import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";
import { resourceLimits } from "node:worker_threads";
import { type Clock, Random, systemClock } from "#base";
import { SecretSource } from "./secret-source.ts";

/**
 * Everything the runtime takes from outside besides storage: time, chance and when a step runs. The production world is below; a
 * simulator implements the same members with a seed and then owns the order of every step.
 */
export interface World {
  readonly clock: Clock;
  /** Seeds of decisions are drawn here: what comes of them is public. */
  readonly random: Random;
  /** This many bytes that nothing else in the world determines, in base64url. */
  secret(bytes: number): string;
  /** Runs `step` after input and output were looked at. */
  later(step: () => void): void;
  /** Runs `step` once after `delayMs`; the returned function cancels it. */
  setTimer(delayMs: number, step: () => void): () => void;
  /** How full the heap of this thread is; absent: as if it had no limit. */
  readonly heap?: () => Heap;
}

/** Of objects that outlived two collections: the young ones have room of their own. */
export interface Heap {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** The same world with timers that can all be called off, so that nothing of a stopped thread keeps it alive. */
export function withStop(world: World): { readonly world: World; readonly stop: () => void } {
  const pending = new Set<() => void>();
  const setTimer: World["setTimer"] = (delayMs, step) => {
    const cancel = world.setTimer(delayMs, () => {
      pending.delete(cancel);
      step();
    });
    pending.add(cancel);
    return () => {
      pending.delete(cancel);
      cancel();
    };
  };
  return {
    world: {
      clock: world.clock,
      random: world.random,
      secret: (bytes) => world.secret(bytes),
      later: (step) => world.later(step),
      setTimer,
      ...(world.heap && { heap: world.heap }),
    },
    stop() {
      for (const cancel of pending) cancel();
      pending.clear();
    },
  };
}

/** A timer of Node takes a 32-bit number of milliseconds; a longer wait is cut and asked for again by its owner. */
const timerDelayMsMax = 2 ** 31 - 1;

export function systemWorld(): World {
  const secrets = new SecretSource();
  return {
    clock: systemClock,
    random: new Random([secrets.uint32(), secrets.uint32(), secrets.uint32(), secrets.uint32()]),
    secret: (bytes) => secrets.text(bytes),
    later: (step) => void setImmediate(step),
    setTimer(delayMs, step) {
      const timer = setTimeout(step, Math.min(Math.max(0, delayMs), timerDelayMsMax));
      return () => clearTimeout(timer);
    },
    heap: oldGeneration,
  };
}

/** What V8 gives the young generation unless it is told otherwise. */
const youngMegabytes = 48;

function oldGeneration(): Heap {
  const young = (resourceLimits.maxYoungGenerationSizeMb ?? youngMegabytes) * 1_024 * 1_024;
  let usedBytes = 0;
  for (const { space_name, space_used_size } of getHeapSpaceStatistics())
    if (!space_name.startsWith("new_")) usedBytes += space_used_size;
  return { usedBytes, limitBytes: getHeapStatistics().heap_size_limit - young };
}
