/** The name that was probably meant: the one nearest to what was given, where it is near enough. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let fewest = Math.min(3, Math.ceil(given.length / 4)) + 1;
  for (const name of names) {
    if (name === given || Math.abs(name.length - given.length) >= fewest) continue;
    const changes = changesBetween(given, name);
    if (changes < fewest) [best, fewest] = [name, changes];
  }
  return best;
}

/** For the end of a refusal: the nearest name as a question, or nothing. */
export function didYouMean(given: unknown, names: Iterable<string>): string {
  const name = typeof given === "string" ? nearest(given, names) : undefined;
  return name === undefined ? "" : `; did you mean ${name}?`;
}

/** Damerau and Levenshtein's distance: letters added, left out, changed, and neighbours that changed places. */
function changesBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, changed, swapped));
    }
    [before, row] = [row, next];
  }
  return row.at(-1)!;
}
