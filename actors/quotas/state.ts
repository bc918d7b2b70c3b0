import type { RowWriter, StoredRow } from "#runtime";

export interface State {
  /** By operation; what is of an earlier day counts no more. */
  readonly used: Map<string, Used>;
  /** The newest day that requests were kept of. */
  refsDay: number;
}

interface Used {
  readonly day: number;
  readonly amount: number;
}

/** A request that was charged. */
export interface Charge {
  readonly operation: string;
  readonly amount: number;
  readonly atMs: number;
}

export type Event =
  | { readonly type: "used"; readonly operation: string; readonly used: Used }
  | { readonly type: "charged"; readonly ref: string; readonly day: number; readonly charge: Charge }
  | { readonly type: "forgotten"; readonly ref: string; readonly day: number }
  | { readonly type: "swept"; readonly beforeDay: number }
  | { readonly type: "purged" };

export const dayMs = 86_400_000;

/** The UTC day of a time. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs);
}

export function empty(): State {
  return { used: new Map(), refsDay: 0 };
}

export function restore(state: State, { collection, key, value }: StoredRow): void {
  if (collection === "used") state.used.set(key[0] as string, value as Used);
  else if (collection === "refs_day") state.refsDay = value as number;
}

export function apply(state: State, event: Event, rows: RowWriter): void {
  switch (event.type) {
    case "used":
      state.used.set(event.operation, event.used);
      rows.put("used", [event.operation], event.used);
      return;
    case "charged":
      rows.put("refs", [event.day, event.ref], event.charge);
      if (state.refsDay === event.day) return;
      state.refsDay = event.day;
      rows.put("refs_day", [], event.day);
      // A request may be repeated for a day after it was charged.
      rows.setTimer("sweep", (event.day + 2) * dayMs);
      return;
    case "forgotten":
      rows.delete("refs", [event.day, event.ref]);
      return;
    case "swept":
      rows.deleteRange("refs", [0], [event.beforeDay]);
      return;
    case "purged":
      for (const collection of ["used", "refs", "refs_day"]) rows.deletePrefix(collection, []);
      rows.clearTimer("sweep");
      state.used.clear();
      state.refsDay = 0;
      return;
  }
}
