import test from "ava";
import { limits } from "#base";
import type { Call } from "../calls/call.ts";
import type { AuditBatch } from "./entry.ts";
import { AuditRecorder } from "./recorder.ts";

const callOf = (tenant: string) =>
  ({
    tenant,
    requestId: "r",
    plane: "external",
    protocol: "rest",
    remoteAddress: "192.0.2.1",
    headers: { get: () => undefined },
    method: {
      name: "ProbeService.Echo",
      audit: "none",
      governance: { resource: "probe", action: "read" },
      rest: [],
    },
  }) as unknown as Call;

function start() {
  const batches: AuditBatch[] = [];
  const recorder = new AuditRecorder((batch) => batches.push(batch));
  return { recorder, entries: () => batches.flatMap(({ entries }) => entries), batches };
}

test("calls that grace let in are one entry for a tenant, an entitlement and a reason, with their number", (t) => {
  const { recorder, entries } = start();
  for (let n = 0; n < 5; n++) recorder.graceAdmitted(callOf("a"), "probing", "MISSING");
  recorder.graceAdmitted(callOf("a"), "probing", "STALE");
  recorder.graceAdmitted(callOf("b"), "probing", "MISSING");
  t.deepEqual(entries(), [], "not before the minute is over");
  recorder.close();
  const told = entries().map(({ type, tenant, entitlement, reason, count, method }) =>
    [type, tenant, entitlement, reason, count, method].join(" "),
  );
  t.deepEqual(told, [
    "grace a probing MISSING 5 ProbeService.Echo",
    "grace a probing STALE 1 ProbeService.Echo",
    "grace b probing MISSING 1 ProbeService.Echo",
  ]);
});

test("kinds of grace over the limit are counted as lost", (t) => {
  const { recorder, batches } = start();
  for (let n = 0; n <= limits.auditBatchMax; n++) recorder.graceAdmitted(callOf(`t${n}`), "probing", "STALE");
  recorder.close();
  t.is(batches[0]!.entries.length, limits.auditBatchMax);
  t.is(batches[0]!.lost, 1);
});
