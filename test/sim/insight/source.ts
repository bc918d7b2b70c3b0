import type { Address } from "../../../runtime/index.ts";
import { defineActor, rowsOf } from "../../../runtime/index.ts";

interface State {
  readonly key: string;
  count: number;
}

const counts = rowsOf<number, readonly []>("count");

export const sourceKind = "sim_source";
const eventKind = "pool.updated";

/** Publishes an event with the next number whenever it is asked to. */
export const source = defineActor<State, { readonly publishes: boolean }, number>({
  kind: sourceKind,
  placement: "key",
  empty: ({ key }: Address) => ({ key, count: 0 }),
  resident: [counts],
  restore(state, { value }) {
    state.count = value as number;
  },
  decide: ({ count }, { publishes }) => ({ events: publishes ? [count + 1] : [] }),
  apply(state, number, rows) {
    state.count = number;
    rows.put(counts, [], number);
    rows.publish(eventKind, state.key, { number });
  },
  methods: {
    publish: { command: () => ({ publishes: true }), respond: ({ count }) => count },
    count: { command: () => ({ publishes: false }), respond: ({ count }) => count },
  },
});
