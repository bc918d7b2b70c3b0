import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../support/eventually.ts";
import { type RunningService, runService, startProduction } from "./support.ts";

const secret = "a secret for tests, of 32 bytes or more";
const settings = (folder: string) => [
  "auth.api_key_enabled=true",
  "server.workers=2",
  "audit.sink=file",
  `internal.token_secret=${secret}`,
  `storage.dir=${folder}`,
];

async function bootstrap({ ports }: RunningService): Promise<string> {
  const addr = `127.0.0.1:${ports.internal}`;
  const set = ["--set", `internal.token_secret=${secret}`];
  return (await runService(["bootstrap", "--tenant", "dev", "--addr", addr, ...set])).stdout.trim();
}

async function createPool({ ports }: RunningService, key: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${ports.http}/api/pools`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: '{"name":"p"}',
  });
  await response.text();
  return response.status;
}

test("service start with an audit file: calls and denials are recorded; verify accepts it after a stop and after kill -9, and detects corruption", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "audit-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "audit.log");
  const verify = (...more: string[]) =>
    runService(["audit", "verify", "--set", `storage.dir=${folder}`, ...more]);
  const methods = () =>
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, string>)
      .map(({ type, method, outcome }) => (type === "call" ? `${method} ${outcome}` : type));

  const none = await verify();
  t.is(none.code, 3, none.stderr);
  t.regex(none.stderr, /there is no audit log at/);

  const first = await startProduction(t, settings(folder));
  const key = await bootstrap(first);
  t.is(await createPool(first, key), 201);
  t.is(await createPool(first, "sy_01ARZ3NDEKTSV4RRFFQ69G5FAV_".padEnd(73, "0")), 401);
  first.signal("SIGTERM");
  const ended = await first.ended;
  t.is(ended.code, 0, ended.stderr);
  t.deepEqual(
    [...methods()].sort(),
    [
      "ApiKeyService.CreateApiKey OK",
      "PoolService.CreatePool OK",
      "PoolService.CreatePool UNAUTHENTICATED",
      "checkpoint",
      "start",
      "stop",
    ].sort(),
  );
  const intact = await verify();
  t.is(intact.code, 0, intact.stderr);
  t.regex(intact.stdout, /^intact: 6 entries, 1 to 6, /);

  const second = await startProduction(t, settings(folder));
  t.is(await createPool(second, key), 201);
  await eventually("the second pool is in the log", () => methods().length === 8 || undefined);
  const metrics = await (await fetch(`http://127.0.0.1:${second.ports.metrics}/metrics`)).text();
  t.regex(metrics, /^service_audit_position 8$/m);
  t.regex(metrics, /^service_audit_lost_total 0$/m);
  second.signal("SIGKILL");
  await second.ended;
  const killed = await verify();
  t.is(killed.code, 0, killed.stderr);

  const lines = readFileSync(file, "utf8");
  writeFileSync(file, lines.split("\n").slice(0, 7).join("\n").concat("\n"));
  const cut = await verify();
  t.is(cut.code, 1);
  t.regex(cut.stderr, /cut off: the log ends with entry 7, but entry 8 was signed/);
  writeFileSync(file, lines.split("\n").slice(2).join("\n"));
  const begun = await verify();
  t.is(begun.code, 1);
  t.regex(begun.stderr, /missing: the log begins with entry 3 .* and not with 1/);
  const told = await verify("--begins-at", "3");
  t.is(told.code, 0, told.stderr);
  t.is((await verify("--begins-at", "none")).code, 2);
  writeFileSync(file, lines.replace("PoolService.CreatePool", "PoolService.DeletePool"));
  t.regex((await verify()).stderr, /changed: entry \d+ \(.*\) is not as it was written/);
});

test("audit.sink=stdout: every audit line carries its mark, besides the line that says ready", async (t) => {
  const service = await startProduction(t, [
    "auth.api_key_enabled=true",
    "audit.sink=stdout",
    `internal.token_secret=${secret}`,
  ]);
  await bootstrap(service);
  service.signal("SIGTERM");
  const { stdout } = await service.ended;
  const marked = stdout.split("\n").filter((line) => line.startsWith('{"audit":1,"seq":'));
  t.deepEqual(
    marked.map((line) => (JSON.parse(line) as { type: string }).type),
    ["start", "call", "stop", "checkpoint"],
  );
});
