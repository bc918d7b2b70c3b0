/** Settings of a pool that the model replaces while items wait. */
export interface Settings {
  readonly fairness: { readonly key: string; readonly weights?: Record<string, number> } | undefined;
  readonly sticky: { readonly key: string } | undefined;
  readonly admission: {
    readonly singleton?: object;
    readonly debounce?: object;
    readonly throttle?: object;
    readonly concurrency: readonly Control[];
  };
}

export interface Control {
  readonly key?: string;
  readonly limit: number;
  readonly cost?: number;
}

const key = "item.attributes.c";

/** Lists of controls in which each control moves, appears twice, gets another limit, or is missing for a while. */
const lists: readonly (readonly Control[])[] = [
  [],
  [{ key, limit: 1 }],
  [
    { key, limit: 2 },
    { key: "item.key", limit: 1 },
  ],
  [
    { key: "item.key", limit: 1 },
    { key, limit: 2 },
  ],
  [{ limit: 4 }, { key, limit: 3 }, { key: "item.key", limit: 2, cost: 1 }],
  [
    { key: "item.key", limit: 2 },
    { limit: 2, cost: 1 },
  ],
  [
    { key, limit: 3 },
    { key, limit: 2, cost: 1 },
  ],
];

const fairnesses: readonly Settings["fairness"][] = [
  undefined,
  { key },
  { key, weights: { a: 3 } },
  { key: "item.key" },
];

/** The settings with which the model begins. */
export function firstSettings({ fairness, limit }: { fairness: boolean; limit: number }): Settings {
  const concurrency = limit === 0 ? [] : [{ key, limit }];
  return { fairness: fairness ? { key } : undefined, sticky: undefined, admission: { concurrency } };
}

/** Replaces one part of the settings by another allowed one. */
export function nextSettings(pick: number): Partial<Settings> {
  const other = pick >> 2;
  switch (pick & 3) {
    case 0:
      return { fairness: fairnesses[other % fairnesses.length] };
    case 1:
      return { sticky: other & 1 ? { key } : undefined };
    default:
      return { admission: nextAdmission(pick >> 1) };
  }
}

function nextAdmission(pick: number): Settings["admission"] {
  const bit = (place: number) => (pick >> place) & 1;
  const mode = ["skip", "cancel", "keep_latest", "keep_latest"][(pick >> 1) & 3];
  return {
    ...(bit(0) && { singleton: { key: "item.key", mode, ...(bit(3) && { ttl_seconds: 5 }) } }),
    ...(bit(4) && bit(3) && { debounce: { key: "item.key", period_ms: 2_000, max_wait_ms: 6_000 } }),
    ...(bit(5) && { throttle: { key, limit: 1 + bit(4), period_ms: 5_000, burst: 1 + bit(2) } }),
    concurrency: lists[pick % lists.length]!,
  };
}

/**
 * What an item takes of each control, by the control's expression and its index among controls with that expression.
 */
export type Slots = ReadonlyMap<string, { readonly group: string; readonly cost: number }>;

export function slotsOf(controls: readonly Control[], item: { key: string; c: string; cost: number }): Slots {
  const slots = new Map<string, { group: string; cost: number }>();
  for (const [name, { key: source, limit, cost = item.cost }] of namedControls(controls)) {
    const value = source === undefined ? "" : source === key ? item.c : item.key;
    slots.set(name, { group: `${name}=${value}`, cost: Math.min(cost, limit) });
  }
  return slots;
}

export function namedControls(controls: readonly Control[]): ReadonlyMap<string, Control> {
  const named = new Map<string, Control>();
  for (const control of controls) {
    let name = control.key ?? "all";
    while (named.has(name)) name += "'";
    named.set(name, control);
  }
  return named;
}
