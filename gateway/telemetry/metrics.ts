/**
 * Counters and histograms of one thread. Plain numbers in arrays, because every call touches them; the main thread
 * sums the snapshots of all threads when they are read.
 */
export class Metrics {
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, () => number>();
  readonly #histograms = new Map<string, Histogram>();

  add(name: string, labels: Labels = {}, by = 1): void {
    this.counter(name, labels).value += by;
  }

  /** Keep what this returns where every call counts: as for histograms. */
  counter(name: string, labels: Labels): Counter {
    const key = seriesKey(name, labels);
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      counter = { value: 0 };
      this.#counters.set(key, counter);
    }
    return counter;
  }

  /** Read when a snapshot is taken. */
  gauge(name: string, labels: Labels, read: () => number): void {
    this.#gauges.set(seriesKey(name, labels), read);
  }

  /** Keep what this returns: finding a series by its labels costs more than using it. */
  histogram(name: string, labels: Labels): Histogram {
    const key = seriesKey(name, labels);
    let histogram = this.#histograms.get(key);
    if (histogram === undefined) {
      histogram = new Histogram();
      this.#histograms.set(key, histogram);
    }
    return histogram;
  }

  /** Where a series is found by its labels each time. */
  observe(name: string, ms: number, labels: Labels): void {
    this.histogram(name, labels).observe(ms);
  }

  snapshot(): Snapshot {
    return {
      counters: [...this.#counters].map(([key, { value }]) => [key, value]),
      gauges: [...this.#gauges].map(([key, read]) => [key, read()]),
      histograms: [...this.#histograms].map(([key, histogram]) => [key, histogram.counts(), histogram.sumMs]),
    };
  }
}

export interface Counter {
  value: number;
}

export type Labels = Readonly<Record<string, string>>;

export interface Snapshot {
  readonly counters: readonly (readonly [key: string, value: number])[];
  readonly gauges: readonly (readonly [key: string, value: number])[];
  /** Bounds where they are not `bucketsMs`. */
  readonly histograms: readonly (readonly [
    key: string,
    counts: readonly number[],
    sumMs: number,
    boundsMs?: readonly number[],
  ])[];
}

/** Upper bounds: half a millisecond for a cached read, half a minute for a long poll. */
export const bucketsMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];

export class Histogram {
  readonly #counts = new Float64Array(bucketsMs.length + 1);
  sumMs = 0;

  observe(ms: number): void {
    let bucket = 0;
    while (bucket < bucketsMs.length && ms > bucketsMs[bucket]!) bucket++;
    this.#counts[bucket]!++;
    this.sumMs += ms;
  }

  counts(): readonly number[] {
    return [...this.#counts];
  }
}

/** `name{a="1",b="2"}`: the series as Prometheus writes it. */
function seriesKey(name: string, labels: Labels): string {
  let pairs = "";
  for (const label in labels) pairs += `${pairs === "" ? "" : ","}${label}="${escaped(labels[label]!)}"`;
  return pairs === "" ? name : `${name}{${pairs}}`;
}

const special = /["\\\n]/;

/** Hardly any value has something to escape. */
function escaped(value: string): string {
  if (!special.test(value)) return value;
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
