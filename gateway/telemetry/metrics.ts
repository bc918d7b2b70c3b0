import { AggregatorRegistry, Counter, Histogram, type MetricValueWithName, Registry } from "prom-client";
import { helpOf } from "./catalogue.ts";

export type Labels = Readonly<Record<string, string>>;

/** Upper bounds: half a millisecond for a cached read, half a minute for a long poll. */
const bucketsMs = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];

/** Counters, gauges and histograms of one thread. The labels of a metric are those it is first used with. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #readings = new Map<string, Reading[]>();
  readonly #histograms = new Map<string, Histogram>();

  add(name: string, labels: Labels = {}, by = 1): void {
    let counter = this.#counters.get(name);
    if (counter === undefined) {
      counter = new Counter(this.#optionsOf(name, labels));
      this.#counters.set(name, counter);
    }
    counter.inc(labels, by);
  }

  /** Read when a snapshot is taken. */
  gauge(name: string, labels: Labels, read: () => number, of: "sum" | "max" = "sum"): void {
    this.#reads(name, { type: "gauge", of, read: () => [{ labels, value: read() }] });
  }

  /** As a gauge, of what only grows. */
  counter(name: string, labels: Labels, read: () => number): void {
    this.#reads(name, { type: "counter", of: "sum", read: () => [{ labels, value: read() }] });
  }

  histogram(
    name: string,
    boundsMs: readonly number[],
    read: () => { counts: readonly number[]; sumMs: number },
  ) {
    const values = () => histogramValues(name, {}, { ...read(), boundsMs });
    this.#reads(name, { type: "histogram", of: "sum", read: values });
  }

  observe(name: string, ms: number, labels: Labels): void {
    let histogram = this.#histograms.get(name);
    if (histogram === undefined) {
      const buckets = bucketsMs.map((bound) => bound / 1_000);
      histogram = new Histogram({ ...this.#optionsOf(name, labels), buckets });
      this.#histograms.set(name, histogram);
    }
    histogram.observe(labels, ms / 1_000);
  }

  async snapshot(): Promise<Snapshot> {
    const read = [...this.#readings].map(([name, readings]) => {
      const { type, of } = readings[0]!;
      return metricOf(
        type,
        name,
        readings.flatMap((reading) => reading.read()),
        of,
      );
    });
    return [...(await this.#registry.getMetricsAsJSON()), ...read];
  }

  #reads(name: string, reading: Reading): void {
    this.#readings.set(name, [...(this.#readings.get(name) ?? []), reading]);
  }

  #optionsOf(name: string, labels: Labels) {
    return { name, help: helpOf(name), labelNames: Object.keys(labels), registers: [this.#registry] };
  }
}

/** What something else counts, read when a snapshot is taken. */
interface Reading {
  readonly type: "counter" | "gauge" | "histogram";
  readonly of: "sum" | "max";
  readonly read: () => Metric["values"];
}

/** What prom-client tells of a registry. */
export type Snapshot = readonly Metric[];

interface Metric {
  readonly name: string;
  readonly values: readonly Partial<MetricValueWithName<string>>[];
}

/** Values that something else counts, as a metric of a snapshot. */
export function metricOf(
  type: "counter" | "gauge" | "histogram",
  name: string,
  values: Metric["values"],
  aggregator: "sum" | "max" = "sum",
): Metric {
  const metric = { name, help: helpOf(name), type, aggregator, values };
  return metric;
}

/** One value without labels. */
export function single(type: "counter" | "gauge", name: string, value: number): Metric {
  return metricOf(type, name, [{ labels: {}, value }]);
}

/** The values of a histogram that counts by bucket: `counts` has one more than `boundsMs`. */
export function histogramValues(
  name: string,
  labels: Labels,
  { counts, boundsMs, sumMs }: { counts: readonly number[]; boundsMs: readonly number[]; sumMs: number },
): readonly MetricValueWithName<string>[] {
  let count = 0;
  const buckets = counts.map((one, i) => {
    count += one;
    const le = i < boundsMs.length ? boundsMs[i]! / 1_000 : "+Inf";
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumMs / 1_000 },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** Snapshots of all threads as one Prometheus text: what is counted per thread is summed. */
export function exposition(snapshots: readonly Snapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...snapshots]).metrics();
}
