import test from "ava";
import type { Logger } from "pino";
import { limits } from "#base";
import { createCallTelemetry, exposition, Metrics } from "../../gateway/telemetry/index.ts";
import { tenantB } from "./support/auth.ts";
import { doorsOf } from "./support/clients.ts";
import { apiKeyProviders } from "./support/identity.ts";
import { probeContract, startTestService } from "./support/service.ts";

const method = probeContract.byName.get("ProbeService.Echo")!;
const bearer = (name: string) => ({ authorization: `Bearer ${name}` });

async function start(t: { teardown(fn: () => Promise<void>): void }) {
  const metrics = new Metrics();
  const lines: { fields: Record<string, unknown>; text: string }[] = [];
  const warn = (fields: Record<string, unknown>, text: string) => void lines.push({ fields, text });
  const log = { warn, error: () => undefined } as unknown as Logger;
  const service = await startTestService({
    runtime: true,
    settings: { authEnabled: true },
    vouching: apiKeyProviders,
    telemetry: createCallTelemetry(metrics, log),
  });
  const doors = doorsOf(service);
  t.teardown(async () => {
    for (const door of Object.values(doors)) door.close?.();
    await service.close();
  });
  const series = async (name: string) =>
    (await exposition([await metrics.snapshot()]))
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) && !line.endsWith(" 0"))
      .sort();
  return { doors, lines, series };
}

test("accepted and refused credentials are counted by kind and reason, and denials by code, on every door", async (t) => {
  const { doors, lines, series } = await start(t);
  const some = [doors["rest-uws"], doors["connect-json"], doors.grpc];
  const unknownKey = `sy_01ARZ3NDEKTSV4RRFFQ69G5FAV_${"0".repeat(43)}`;
  for (const [i, door] of some.entries()) {
    const call = (headers: Record<string, string>) =>
      door.unary(method, { name: "a" }, { ...headers, "x-request-id": `r-${i}` });
    await call({});
    await call(bearer("admin"));
    await call(bearer("nobody"));
    await call({ ...bearer("admin"), "x-api-key": "k" });
    await call({ "x-api-key": "k" });
    await call({ "x-api-key": unknownKey });
    await call(bearer("viewer"));
    await call({ ...bearer("admin"), "x-tenant-id": tenantB });
  }
  const at = 'plane="external"';
  t.deepEqual(await series("service_credentials_accepted_total"), [
    `service_credentials_accepted_total{${at},kind="bearer"} 9`,
  ]);
  t.deepEqual(await series("service_credentials_refused_total"), [
    `service_credentials_refused_total{${at},kind="api_key",reason="invalid"} 3`,
    `service_credentials_refused_total{${at},kind="api_key",reason="malformed"} 3`,
    `service_credentials_refused_total{${at},kind="bearer",reason="invalid"} 3`,
    `service_credentials_refused_total{${at},kind="none",reason="missing"} 3`,
    `service_credentials_refused_total{${at},kind="none",reason="two_kinds"} 3`,
  ]);
  t.deepEqual(await series("service_denials_total"), [
    `service_denials_total{${at},code="PERMISSION_DENIED"} 3`,
    `service_denials_total{${at},code="TENANT_MISMATCH"} 3`,
  ]);
  const refused = lines.filter(({ text }) => text === "credentials refused");
  t.like(refused[0], { fields: { request_id: "r-0", kind: "none", reason: "missing", method: method.name } });
  const denied = lines.filter(({ text }) => text === "call denied");
  t.like(denied[0], { fields: { request_id: "r-0", code: "PERMISSION_DENIED" } });
  t.notRegex(JSON.stringify(lines), /nobody|sy_01/);
});

test("a flood of bad credentials writes a few log lines a second, and all of them are counted", async (t) => {
  const { doors, lines, series } = await start(t);
  const calls = 5 * limits.accessLinesMax;
  const startedMs = performance.now();
  for (let i = 0; i < calls; i++) await doors["rest-uws"].unary(method, { name: "a" }, {});
  const secondsMax = Math.ceil((performance.now() - startedMs) / 1_000) + 1;
  const written = lines.filter(({ text }) => text === "credentials refused").length;
  t.true(written >= limits.accessLinesMax && written <= secondsMax * limits.accessLinesMax, String(written));
  t.regex((await series("service_credentials_refused_total")).join(), new RegExp(` ${calls}$`));
});
