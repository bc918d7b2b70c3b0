import type { ModuleParts } from "#actors";

/** Metrics of modules whose readings a test takes itself, by name and labels. */
export function readMetrics() {
  const numbers = new Map<string, () => number>();
  const histograms = new Map<string, () => { readonly counts: readonly number[]; readonly sumMs: number }>();
  const keep = (name: string, labels: object, read: () => number) =>
    void numbers.set([name, ...Object.values(labels)].join(" "), read);
  const metrics: ModuleParts["metrics"] = {
    add() {},
    observe() {},
    gauge: keep,
    counter: keep,
    histogram: (name, _bounds, read) => void histograms.set(name, read),
  };
  return {
    metrics,
    /** `service_queue_items ready` */
    read: (name: string) => numbers.get(name)?.(),
    histogram: (name: string) => histograms.get(name)?.(),
    names: () => [...numbers.keys()],
  };
}
