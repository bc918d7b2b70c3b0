/**
 * Runs `task` for all items, at most `max` at a time. The first failure is thrown once the tasks under way have ended.
 */
export async function forEachBounded<T>(
  items: readonly T[],
  max: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  const lane = async () => {
    while (next < items.length && failure === undefined) {
      const item = items[next++]!;
      try {
        await task(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, lane));
  if (failure !== undefined) throw failure.error;
}
