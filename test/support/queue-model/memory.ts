import { limits } from "#base";

/**
 * Limits so small that everything has to be read again in parts and dropped from memory, as otherwise only in large
 * queues.
 */
export const hardlyAny = {
  queueWindowMax: 4,
  queueWindowRefill: 3,
  queueRecentMax: 3,
  queueRecentReach: 5,
  queueHeldWindowMax: 2,
  queueOldestMax: 2,
  queueGroupsHotMax: 2,
  queueFlowsHotMax: 2,
  queueDedupsHotMax: 2,
  queueBodyCacheBytesMax: 500,
  queueTickItemsMax: 2,
  queueSweepMax: 2,
  queueForgetRowsMax: 2,
  deadLetterStepMax: 2,
  needRoundsMax: 200,
};

/** A run is synchronous: no other test of this file sees these limits. */
export function within(memory: Partial<typeof hardlyAny>, run: () => void): void {
  const usual = { ...limits };
  Object.assign(limits, memory);
  try {
    run();
  } finally {
    Object.assign(limits, usual);
  }
}
