import { readFileSync } from "node:fs";
import test from "ava";
import { configProblems, loadConfig } from "./index.ts";
import { enterpriseControls, profileMarkdown } from "./security-profile.ts";
import { settingsTable } from "./table.ts";

const load = (set: readonly string[], profile: "dev" | "production" = "production") =>
  loadConfig({ profile, environment: {}, set });
const signIn = ["auth.api_key_enabled=true", "server.internal_addr=127.0.0.1:0"];
const key = `connector.encryption_key=${Buffer.alloc(32, 1).toString("base64")}`;
const signingKey = "evidence.signing_key_file=/etc/service/evidence.pem";
const enterprise = ["security_profile=enterprise", ...signIn, key, signingKey];
/** Its module is not built yet. */
const awaited = ["analytics.allow_unscoped_metrics"];
const table = settingsTable as unknown as Record<string, { kind: { parse(raw: unknown): unknown } }>;

test("given enterprise and nothing else, every control is in force, comes from the profile, and the start is accepted", async (t) => {
  const { config, origins } = load(enterprise);
  const values = config as Readonly<Record<string, unknown>>;
  for (const { key, value } of enterpriseControls.filter(({ key }) => key in settingsTable)) {
    t.is(values[key], value, key);
    t.is(origins.get(key as never), "security_profile=enterprise", key);
  }
  t.deepEqual(await configProblems(config, "production"), []);
});

test("given enterprise without a key for credentials, the start is refused", async (t) => {
  const { config } = load(enterprise.filter((set) => set !== key));
  const [problem, ...others] = await configProblems(config, "production");
  t.regex(problem!, /^connector\.encryption_key: is required because security_profile is enterprise/);
  t.deepEqual(others, []);
});

test("given enterprise without a key that signs evidence, the start is refused", async (t) => {
  const { config } = load(enterprise.filter((set) => set !== signingKey));
  const [problem, ...others] = await configProblems(config, "production");
  t.regex(problem!, /^evidence\.signing_key_file: is required because security_profile is enterprise/);
  t.deepEqual(others, []);
});

test("given no profile, nothing is forced", async (t) => {
  const { config } = load(signIn);
  t.like(config, { "ratelimit.fail_mode": "open", "egress.mode": "shadow", "audit.sink": "none" });
  t.deepEqual(await configProblems(config, "production"), []);
});

const contradictions = {
  "auth.enabled": "false",
  "auth.allow_anonymous": "true",
  "authz.allow_when_unconfigured": "true",
  "ratelimit.fail_mode": "open",
  "egress.mode": "shadow",
  "audit.sink": "none",
  "entitlement.enforcement": "report",
  "mcp.legacy": "true",
  "notification.queue.mode": "single",
  "analytics.allow_unscoped_metrics": "true",
  "promotion.allow_self_approval": "true",
  "promotion.evidence_required": "none",
};

test("every control has a value that contradicts it in this test, and a setting or a module to come", (t) => {
  t.deepEqual(enterpriseControls.map(({ key }) => key).sort(), Object.keys(contradictions).sort());
  for (const { key, value } of enterpriseControls) {
    if (!(key in settingsTable)) t.true(awaited.includes(key), key);
    else t.is(table[key]!.kind.parse(value), value, key);
  }
});

for (const [key, value] of Object.entries(contradictions).filter(([name]) => name in settingsTable))
  test(`given enterprise and ${key}=${value}, the start is refused by name, value and what is wanted`, async (t) => {
    const { config } = load([
      ...enterprise,
      "auth.anonymous_tenant=0000000000000000000000000A",
      `${key}=${value}`,
    ]);
    const [problem, ...more] = await configProblems(config, "production");
    const { value: forced, takes } = enterpriseControls.find((control) => control.key === key)!;
    const wants = takes?.wants ?? String(forced);
    t.true(
      problem!.startsWith(
        `${key}: ${value} is refused because security_profile is enterprise, which wants ${wants}`,
      ),
    );
    t.deepEqual(more, []);
  });

test("given enterprise and any other sink, the start is accepted", async (t) => {
  for (const sink of ["stdout", "stderr", "file"])
    t.deepEqual(await configProblems(load([...enterprise, `audit.sink=${sink}`]).config, "production"), []);
});

test("given enterprise, the development profile is refused", async (t) => {
  const { config } = load(["security_profile=enterprise", signingKey], "dev");
  t.regex((await configProblems(config, "dev")).join("\n"), /^auth\.enabled: false is refused/);
});

test("docs/security.md has the table as it is", (t) => {
  const page = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
  t.true(page.includes(profileMarkdown()), profileMarkdown());
});
