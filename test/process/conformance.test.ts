/**
 * An installation with authentication certifies itself, and its sandbox tenants leave no row. In dev: test/api/conformance.test.ts;
 * on Cassandra: test/cluster/nodes.test.ts.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test, { type ExecutionContext } from "ava";
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
  t.is(refused.code, 4);
  t.regex(refused.stderr, /UNAUTHENTICATED/);
  await certify(t, url, ["--key-file", keyFile]);
  await ownKeyCannotApprove(t, url, made.stdout.trim());
  first.signal("SIGTERM");
  t.is((await first.ended).code, 0);
  const { own: before } = await rowsOfSandboxes(folder, new Set());
  t.true(before.length > 100, "a deleted tenant is purged a while later");
  const sandboxes = new Set(before.map(([tenant]) => tenant!));
  t.log(`${sandboxes.size} sandbox tenants, ${before.length} collections`);

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
    const { own: collections, named } = await rowsOfSandboxes(folder, sandboxes);
    const left = [...collections, ...named];
    if (left.length > 0) t.log(`round ${round}: ${left.length} left, such as ${left[0]!.join(" ")}`);
    return left.length === 0 || undefined;
  });
});

/** A key counts as its maker: a second key of the author approves no more than the first. */
async function ownKeyCannotApprove(t: ExecutionContext, url: string, key: string): Promise<void> {
  type Message = Record<string, unknown>;
  const call = async (path: string, body: object, by = key) => {
    const headers = { "content-type": "application/json", "x-api-key": by };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const told = (await response.json()) as Message & { data: Message };
    return { status: response.status, told, data: told.data ?? {} };
  };
  const { data: own } = await call("/api/v2/api-keys", { name: "own", roles: ["admin"] });
  const { data: pool } = await call("/api/pools", { name: "p" });
  const content = { strategy: { strategy: "round_robin" } };
  const { data: version } = await call(`/api/pools/${pool.id}/versions`, { kind: "strategy", content });
  const artifacts = [{ kind: "strategy", id: pool.id, version: version.version }];
  const asked = { environment_id: "production", artifacts };
  const { data: candidate } = await call("/api/promotions/candidates", asked);
  const at = `/api/promotions/candidates/${candidate.id}`;
  for (const step of ["preflight", "guardrails/evaluate", "canary/start", "canary/stop"])
    t.is((await call(`${at}/${step}`, {})).status, 200, step);
  const approval = { decision: "approve", reason: "fine", accept_inconclusive: true };
  for (const by of [key, String(own.secret)]) {
    const { status, told } = await call(`${at}/approve`, approval, by);
    t.like({ status, ...told }, { status: 403, errorCode: "PERMISSION_DENIED", reason: "SELF_APPROVAL" });
  }
}

interface SandboxRows {
  /** Collections that have rows, of tenants that not every installation has: tenant, kind, key, collection. */
  readonly own: readonly (readonly string[])[];
  /** Rows of the shards themselves (timers, outbox, lists) in whose key or value one of these tenants is named. */
  readonly named: readonly (readonly string[])[];
}

async function rowsOfSandboxes(dir: string, sandboxes: ReadonlySet<string>): Promise<SandboxRows> {
  const host = await startStorage({ engine: "embedded", dir });
  const storage = await attachStorage(host.bootstrap(0).data);
  const own = new Map<string, readonly string[]>();
  const ofShards = new Set<string>();
  try {
    await storage.tables.measure({
      next: (partition) => partition,
      count(partition) {
        const [kind, tenant, ...rest] = decodeTuple(partition).map(String) as [string, string, ...string[]];
        // Published events have a time of their own: a shard forgets its last ones when others follow.
        if (kind === "~shard" && tenant !== "~events") ofShards.add(partition);
        if (!isUlid(tenant) || everywhere.has(tenant)) return;
        own.set(partition, [tenant, kind, ...rest]);
      },
    });
    const named: string[][] = [];
    for (const partition of ofShards)
      for (let shard = 0; shard < limits.shardCount; shard++)
        for (const { key, value } of await storage.tables.scan({ shard, partition, limit: 10_000 })) {
          const text = key + Buffer.from(value).toString("latin1");
          const tenant = [...sandboxes].find((id) => text.includes(id));
          if (tenant !== undefined) named.push([tenant, ...decodeTuple(partition).map(String)]);
        }
    return { own: [...own.values()], named };
  } finally {
    await storage.close();
    await host.close();
  }
}

const everywhere: ReadonlySet<string> = new Set([devTenantId, systemTenantId]);
