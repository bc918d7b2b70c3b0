import test from "ava";
import { eventually } from "../support/eventually.ts";
import { World } from "./cases/world.ts";
import { doorsOf } from "./support/clients.ts";
import { probeContract, startTestService } from "./support/service.ts";

test("given two adapters, gRPC, Connect and sockets, when they ask within a slot, then all get the same report", async (t) => {
  const service = await startTestService({ runtime: true });
  const doors = Object.values(doorsOf(service));
  t.teardown(async () => {
    for (const door of doors) door.close?.();
    await service.close();
  });
  await new World(doors[0]!).pool();
  const method = probeContract.byName.get("OperationalHealthService.GetOperationalHealthReport")!;
  const ask = async () => {
    const answers = await Promise.all(doors.map((door) => door.unary(method, { environment: "production" })));
    return answers.map((answer) => (answer.ok ? (answer.message as Record<string, unknown>) : { answer }));
  };
  // A slot may end between two answers.
  const reports = await eventually("all ask within a slot", async () => {
    const found = await ask();
    return new Set(found.map(({ report_id }) => report_id)).size === 1 ? found : undefined;
  });
  t.is(reports.length, 15);
  t.regex(String(reports[0]!.report_id), /^ohr_[0-9a-f]{64}$/);
  for (const report of reports) {
    t.is(report.verdict, reports[0]!.verdict);
    t.deepEqual(report.evidence, reports[0]!.evidence);
  }
});
