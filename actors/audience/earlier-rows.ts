import type { Attempt, Delivery } from "./delivery.ts";
import { type DeliveryRow, toRow } from "./delivery-row.ts";

/** What a delivery and its attempts lacked where there was none, when their rows were objects. */
const absent = { waitsFor: "", failure: null, retryAt: 0, sentAt: 0 };

/** Rows of version 1 are objects, or the lists of today (ADR 0169): builds of format 2 wrote both. */
export const shapeSteps = {
  deliveries: {
    1: {
      format: 3,
      up(value: unknown): DeliveryRow {
        if (Array.isArray(value)) return value;
        const stored = value as Delivery;
        const attempts = stored.attempts.map(
          (attempt): Attempt => ({ ...attempt, endedAt: attempt.endedAt ?? 0 }),
        );
        return toRow({ ...absent, ...stored, attempts });
      },
      down: (value: unknown) => value,
    },
  },
};
