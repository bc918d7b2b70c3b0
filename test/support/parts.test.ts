import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { partKinds } from "./parts.ts";
import { sourceArguments } from "./typescript/arguments.ts";

const root = new URL("../..", import.meta.url).pathname;
const folders = ["base", "storage", "runtime", "actors", "gateway", "cli", "protos", "test", "bench"];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file)),
);
const textOf = (file: string) => readFileSync(join(root, file), "utf8");

/** What in a source needs a part: a support file that starts it, or a program by name. */
const uses: Readonly<Record<string, RegExp>> = {
  chromium: /launchChromium\(|chromium\.launch/,
  redis: /new RedisServer\(|onDurableRedis\(|onBullmq\(|bullmqLifeCycles\(/,
  cassandra: /startCassandraNodes\(|crash\/cassandra\.ts"|clusterChaos\(/,
  connectconformance: /conformancePath\(/,
  namespaces: /new Network\(/,
  tmpfs: /"mount"/,
  openssl: /new Authority\(|"openssl"/,
  curl: /runExamples?\(|"(bash|sh)", \["-c", (?!'"\$0")/,
  shells: /"shells"/,
  "node 22": /\bnodePath\(22\)/,
  "newest node": /newestNodePath\(/,
  "openapi generators": /openapi-clients\.ts"/,
  "mcp conformance": /mcpConformance\(/,
  postgres: /dbosRuns|"pg_config"/,
  nats: /onDurableNats\(/,
  go: /"worker-go"/,
  python: /pythonPath\(|withPython\(/,
  "webhook verifiers": /webhookVerifiersPath\(/,
};

/** Tests of a full disk have the part in their support file. */
const mayUse = (file: string) => /\.(test|bench)\.ts$/.test(file) || file === "test/support/small-disk.ts";

test("every part is looked for by each test file and each bench that uses it", (t) => {
  t.deepEqual(Object.keys(uses).sort(), Object.keys(partKinds).sort());
  for (const [part, use] of Object.entries(uses)) {
    const users = files.filter(
      (file) => mayUse(file) && !file.endsWith("parts.test.ts") && use.test(textOf(file)),
    );
    t.true(users.length > 0, `no file uses ${part}`);
    for (const file of users) {
      const looks = /(needing|casesNeeding)\(|needs: \[/.test(textOf(file));
      t.true(
        looks && textOf(file).includes(`"${part}"`),
        `${file} uses ${part} and does not look for it: see test/support/needing.ts`,
      );
    }
  }
});

test("no test starts a program by a name that is not a part", (t) => {
  const known =
    /^(redis-server|openssl|bash|sh|ip|mount|umount|unshare|setpriv|nice|npm|git|pg_config|id|tar|stripe-mock)$/;
  for (const file of files)
    for (const [, program] of textOf(file).matchAll(
      /(?:spawn|spawnSync|execFile|execFileSync|fork)\(\s*"([^"]+)"/g,
    ))
      t.regex(program!, known, `${file} starts ${program}`);
});

/** A folder for PATH that has Node only. */
function bare(t: { teardown(fn: () => void): void }): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), "bare-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  symlinkSync(process.execPath, join(folder, "node"));
  return { PATH: folder, HOME: folder, PARTS_CACHE: join(folder, "none"), TEST_LISTS: folder };
}

const probe = "gateway/redis/rate-limiter.test.ts";

test("given no redis-server, when its tests run, then they are skipped by name and listed; under CI they fail", (t) => {
  const env = bare(t);
  const ava = (more: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, ["node_modules/ava/entrypoints/cli.mjs", probe], {
      cwd: root,
      env: { ...env, ...more },
      encoding: "utf8",
    });
  const skipped = ava({});
  t.is(skipped.status, 0, skipped.stdout + skipped.stderr);
  t.regex(skipped.stdout, /limits in a real Redis \(skipped: no redis\)/);
  t.regex(
    readFileSync(join(env.TEST_LISTS!, "test-skipped"), "utf8"),
    /rate-limiter\.test\.ts.*limits in a real Redis/,
  );
  const failed = ava({ CI: "true" });
  t.is(failed.status, 1);
  t.regex(failed.stdout + failed.stderr, /under CI: no redis \(apt-get install redis-server\)/);
});

test("given no part, when a bench is run, then every missing part is named with its command and nothing is measured", (t) => {
  const all = spawnSync(process.execPath, [...sourceArguments, "bench/run.ts"], {
    cwd: root,
    env: bare(t),
    encoding: "utf8",
  });
  t.is(all.status, 2, all.stderr);
  t.regex(all.stderr, /^nothing was measured/);
  t.regex(all.stderr, /redis-limit needs redis: apt-get install redis-server/);
  t.regex(all.stderr, /stream-append needs nats: go install /);
  t.is(all.stdout, "");
});
