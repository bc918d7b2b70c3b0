import { defineActor } from "#runtime";
import { method } from "../../kit/ask.ts";
import type { QueueGone, QueueTold } from "../../kit/meter.ts";
import { answering } from "../../kit/methods.ts";
import type { TenantPurge } from "../../kit/tenant.ts";
import { type Command, decide, type MeterFigures } from "./decide.ts";
import { apply, bytesOf, empty, heardRows, restore } from "./state.ts";

export const readMeter = method<{ readonly environment: string }, MeterFigures>("meter", "Figures");

/** Which of these the meter has not heard of. */
export const missingIn = method<
  { readonly handles: readonly string[] },
  { readonly handles: readonly string[] }
>("meter", "Missing");

export const meterActor = defineActor({
  kind: "meter",
  placement: "key",
  empty,
  resident: [heardRows],
  restore,
  bytesOf,
  decide,
  apply,
  methods: {
    [readMeter.name]: answering(readMeter, ({ environment }): Command => ({ type: "figures", environment })),
    [missingIn.name]: answering(missingIn, ({ handles }): Command => ({ type: "missing", handles })),
  },
  onMessage: (message: QueueTold | QueueGone | TenantPurge, { key }): Command =>
    message.type === "purge" ? message : { ...message, handle: key },
});
