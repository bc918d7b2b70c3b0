/**
 * An installation with authentication certifies itself, and its sandbox tenants leave no row. In dev: test/api/conformance.test.ts;
 * on Cassandra: test/cluster/nodes.test.ts.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { decodeTuple, devTenantId, isUlid, limits, systemTenantId } from "#base";
import { attachStorage, startStorage } from "#storage";
import { certify } from "../support/certify.ts";
import { eventually } from "../support/eventually.ts";
import { runService, startProduction } from "./support.ts";

const secret = "a secret for tests, of 32 bytes or more";
const settings = [
  "auth.api_key_enabled=true",
  "server.workers=2",
  `internal.token_secret=${secret}`,
  // Without one there are no connectors to certify.
  `connector.encryption_key=${Buffer.alloc(32, 1).toString("base64")}`,
];

const hourMs = 3_600_000;
/** Long enough for a purge to take some of its steps. */
const roundMs = 5_000;
/** An entity keeps the number of the last message that it applied of each shard (ADR 0172): nothing that anybody sent is in it. */
const numbersApplied = "~inbox";

test("auth.enabled: given a run of all suites with a key, then each is conformant, and nothing of a sandbox tenant is left", async (t) => {
  t.timeout(600_000);
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const own = [...settings, `storage.dir=${folder}`];
  const first = await startProduction(t, own);
  const url = `http://127.0.0.1:${first.ports.http}`;
  const addr = `127.0.0.1:${first.ports.internal}`;
  const internal = ["--addr", addr, "--set", `internal.token_secret=${secret}`];
  const made = await runService(["bootstrap", "--tenant", "dev", ...internal]);
  t.is(made.code, 0, made.stderr);
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, made.stdout.trim());

  const refused = await runService(["conformance", "run", "--url", url]);
  t.is(refused.code, 1);
  t.regex(refused.stderr, /UNAUTHENTICATED/);
  await certify(t, url, ["--key-file", keyFile]);
  first.signal("SIGTERM");
  t.is((await first.ended).code, 0);
  const before = await rowsOfOthers(folder);
  t.true(before.length > 100, "a deleted tenant is purged a while later");
  t.log(`${new Set(before.map(([tenant]) => tenant)).size} sandbox tenants, ${before.length} collections`);

  // Each process starts with its clock a day later than the one before, and removes what is due by then.
  let round = 0;
  await eventually("every row of the sandbox tenants is gone", async () => {
    const again = await startProduction(t, own, {
      NODE_OPTIONS: `--import=${new URL("../cluster/skew.mjs", import.meta.url).href}`,
      TEST_CLOCK_SKEW_MS: String(++round * (limits.idempotencyKeptMs + 2 * hourMs)),
    });
    await sleep(roundMs);
    again.signal("SIGTERM");
    t.is((await again.ended).code, 0);
    const left = (await rowsOfOthers(folder)).filter(([, , , collection]) => collection !== numbersApplied);
    if (left.length > 0) t.log(`round ${round}: ${left.length} left, such as ${left[0]!.join(" ")}`);
    return left.length === 0 || undefined;
  });
});

/** Collections that have rows, of tenants that not every installation has. */
async function rowsOfOthers(dir: string): Promise<readonly (readonly string[])[]> {
  const host = await startStorage({ engine: "embedded", dir });
  const storage = await attachStorage(host.seat(0).data);
  const found = new Map<string, readonly string[]>();
  try {
    await storage.tables.measure({
      next: (partition) => partition,
      count(partition) {
        const [kind, tenant, ...rest] = decodeTuple(partition).map(String) as [string, string, ...string[]];
        if (!isUlid(tenant) || everywhere.has(tenant)) return;
        found.set(partition, [tenant, kind, ...rest]);
      },
    });
  } finally {
    await storage.close();
    await host.close();
  }
  return [...found.values()];
}

const everywhere: ReadonlySet<string> = new Set([devTenantId, systemTenantId]);
