import { Temporal } from "temporal-polyfill";

export type Seasonality = "none" | "hour_of_day" | "hour_of_week";

/** What an hour of the day or of the week has been like. */
export interface Bin {
  readonly n: number;
  readonly mean: number;
}

/** The later values of a bin weigh this part of it, so that it follows slowly. */
const slowest = 8;

/** The hour on the clocks of the zone: through a change of the clocks nine o'clock stays nine o'clock. */
export function binOf(seasonality: Exclude<Seasonality, "none">, zone: string, at: number): number {
  const { hour, dayOfWeek } = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  return seasonality === "hour_of_day" ? hour : (dayOfWeek - 1) * 24 + hour;
}

export function nextBin(bin: Bin | undefined, value: number): Bin {
  const { n, mean } = bin ?? { n: 0, mean: 0 };
  return { n: n + 1, mean: mean + (value - mean) / Math.min(n + 1, slowest) };
}
