import type { OperationalHealthReport } from "#protos";
import { defineActor } from "#runtime";
import { method } from "../../kit/ask.ts";
import { answering } from "../../kit/methods.ts";
import type { TenantPurge } from "../../kit/tenant.ts";
import { type Command, type Current, decide } from "./decide.ts";
import { apply, empty, type ReportKey, reportRows, restore, type SlotReport } from "./state.ts";

export const currentReport = method<ReportKey, Current>("health", "Current");

export const offerReport = method<ReportKey & SlotReport, { readonly report: OperationalHealthReport }>(
  "health",
  "Offer",
);

export const healthActor = defineActor({
  kind: "health",
  placement: "tenant",
  empty,
  resident: [reportRows],
  restore,
  decide,
  apply,
  methods: {
    [currentReport.name]: answering(currentReport, (key): Command => ({ ...key, type: "current" })),
    [offerReport.name]: answering(offerReport, (offer): Command => ({ ...offer, type: "offer" })),
  },
  onMessage: (message: TenantPurge): Command => message,
});
