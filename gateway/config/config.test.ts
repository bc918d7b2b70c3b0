import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { isLoopbackIp } from "#base";
import {
  ConfigError,
  configProblems,
  describeConfig,
  isLoopback,
  loadConfig,
  settingsMarkdown,
  settingsTable,
  tenantValueProblem,
} from "./index.ts";

const nothing = { profile: "production", environment: {}, set: [] } as const;

test("defaults give way to the file, the file to the environment, the environment to --set", (t) => {
  const file = yaml(t, "server:\n  http_addr: ':1'\n  grpc_addr: ':1'\n  metrics_addr: ':1'\n");
  const { config, origins } = loadConfig({
    profile: "production",
    file,
    environment: { SERVICE_SERVER_GRPC_ADDR: ":2", SERVICE_SERVER_METRICS_ADDR: ":2" },
    set: ["server.metrics_addr=:3"],
  });
  t.is(config["server.http_addr"], ":1");
  t.is(config["server.grpc_addr"], ":2");
  t.is(config["server.metrics_addr"], ":3");
  t.is(config["api.addr"], ":50052");
  t.is(origins.get("server.grpc_addr"), "SERVICE_SERVER_GRPC_ADDR");
});

test("the dev profile is on loopback and without authentication, and both can be changed", (t) => {
  const { config } = loadConfig({ ...nothing, profile: "dev" });
  t.is(config["server.http_addr"], "127.0.0.1:8080");
  t.false(config["auth.enabled"]);
  t.true(loadConfig({ ...nothing, profile: "dev", set: ["auth.enabled=true"] }).config["auth.enabled"]);
});

test("an unknown key in the file or in --set, and a bad value anywhere, stop the start, all named at once", (t) => {
  const file = yaml(t, "server:\n  htp_addr: ':1'\napi:\n  max_request_body_size: many\n");
  const error = t.throws(
    () =>
      loadConfig({
        profile: "production",
        file,
        environment: { SERVICE_AUTH_ENABLED: "maybe" },
        set: ["no.such=1", "storage.engine=floppy", "nonsense"],
      }),
    { instanceOf: ConfigError },
  );
  const text = error.problems.join("\n");
  for (const key of [
    "server.htp_addr",
    "api.max_request_body_size",
    "auth.enabled",
    "no.such",
    "storage.engine",
    "nonsense",
  ])
    t.true(text.includes(key), key);
});

test("a value that could never work stops the start and names its key", (t) => {
  for (const pair of [
    // The working folder, and every interface: what empty variables of a script would come to.
    "storage.dir=",
    "server.http_addr=",
    "storage.cassandra.keyspace= ",
    "server.stuck_after=0s",
    // A timer of Node that is longer than 24 days fires at once.
    "server.shutdown_grace=1000h",
    "api.request_body_timeout=0s",
    "api.max_request_body_size=0",
    "api.max_request_body_size=2GiB",
    "cors.allowed_origins=https://a.example.com,https://b.example.com/",
    "cors.allowed_origins=a.example.com",
    "telemetry.otlp_endpoint=127.0.0.1:4318",
    "api.errors_url=errors",
    "docs.staging_url=//elsewhere.example.com",
    "deprecation.sunset=PoolService.ListPools",
  ]) {
    const { problems } = t.throws(() => loadConfig({ ...nothing, set: [pair] }), { instanceOf: ConfigError });
    t.is(problems.length, 1);
    t.true(problems[0]!.startsWith(`${pair.split("=")[0]}: must be `), problems[0]);
  }
  t.throws(() => loadConfig({ ...nothing, set: ["deprecation.sunset.PoolService.ListPools=tomorrow"] }), {
    message: /^deprecation\.sunset\.PoolService\.ListPools: must be a date such as /,
  });
});

test("values at the edge of what works are taken", (t) => {
  const { config } = loadConfig({
    ...nothing,
    environment: {
      SERVICE_DEPRECATION_SUNSET:
        "PoolService.ListPools=Mon, 01 Jan 2029 00:00:00 GMT; RuleService.GetRule=Tue, 02 Jan 2029 00:00:00 GMT",
    },
    set: [
      "server.internal_addr=",
      "server.shutdown_grace=24h",
      "server.drain_linger=0s",
      "cors.allowed_origins=http://localhost:3000,*",
      "telemetry.otlp_endpoint=http://127.0.0.1:4318/v1/traces",
      "api.errors_url=https://errors.example.com/v1",
    ],
  });
  t.deepEqual(Object.keys(config["deprecation.sunset"]), ["PoolService.ListPools", "RuleService.GetRule"]);
  t.is(config["server.shutdown_grace"], 86_400_000);
  t.deepEqual(config["cors.allowed_origins"], ["http://localhost:3000", "*"]);
});

test("an unknown SERVICE_ variable only warns: orchestrators inject such names", (t) => {
  const { warnings } = loadConfig({ ...nothing, environment: { SERVICE_PORT_8080_TCP: "x", OTHER: "y" } });
  t.deepEqual(warnings, ["SERVICE_PORT_8080_TCP is no setting and was ignored"]);
});

test("a file that was named must be there and be YAML; the usual one may be missing", (t) => {
  t.throws(() => loadConfig({ ...nothing, file: "/does/not/exist.yaml" }), { message: /cannot be read/ });
  t.throws(() => loadConfig({ ...nothing, file: yaml(t, "a: [") }), { message: /is not YAML/ });
  t.notThrows(() => loadConfig(nothing));
});

test("every kind of value is read as it is printed", (t) => {
  for (const [key, setting] of Object.entries(settingsTable)) {
    const { kind, default: usual } = setting as {
      kind: { parse(raw: unknown): unknown; print(value: unknown): string };
      default: unknown;
    };
    if (typeof usual === "object" && usual !== null && !Array.isArray(usual)) continue;
    t.deepEqual(kind.parse(kind.print(usual)), usual, key);
  }
  const { config } = loadConfig({
    ...nothing,
    set: [
      "api.max_request_body_size=2MiB",
      "server.shutdown_grace=2m",
      "api.allowed_hosts=a, b",
      "deprecation.sunset.PoolService.ListPools=Mon, 01 Jan 2029 00:00:00 GMT",
    ],
  });
  t.is(config["api.max_request_body_size"], 2 * 1_024 * 1_024);
  t.is(config["server.shutdown_grace"], 120_000);
  t.deepEqual(config["api.allowed_hosts"], ["a", "b"]);
  t.is(config["deprecation.sunset"]["PoolService.ListPools"], "Mon, 01 Jan 2029 00:00:00 GMT");
});

test("production refuses to start while nobody could sign in", async (t) => {
  const { config } = loadConfig({ ...nothing, set: ["server.internal_addr=127.0.0.1:0"] });
  const [problem] = await configProblems(config, "production");
  t.regex(problem!, /api\.oidc_issuer.*auth\.api_key_enabled/);
  const keys = loadConfig({
    ...nothing,
    set: ["server.internal_addr=127.0.0.1:0", "auth.api_key_enabled=true"],
  });
  t.deepEqual(await configProblems(keys.config, "production"), []);
});

test("an internal plane beyond loopback is refused, naming both ways out, unless mTLS is required", async (t) => {
  const open = loadConfig({ ...nothing, set: ["auth.api_key_enabled=true"] });
  const [problem] = await configProblems(open.config, "production");
  t.regex(problem!, /server\.internal_addr.*127\.0\.0\.1.*server\.internal_require_mtls=true/);
  const files = ["ca", "cert", "key"].map((name) => `server.internal_tls_${name}_file=/x`);
  const closed = loadConfig({
    ...nothing,
    set: ["auth.api_key_enabled=true", "server.internal_require_mtls=true", ...files],
  });
  // Files that are not there are another matter, and have tests of their own.
  const others = await configProblems(closed.config, "production");
  t.true(others.every((problem) => problem.startsWith("server.internal_tls_")));
});

test("loopback is 127.0.0.0/8, ::1, and names that resolve to nothing else", async (t) => {
  for (const host of ["127.0.0.1", "127.9.9.9", "::1", "localhost"]) t.true(await isLoopback(host), host);
  for (const host of ["0.0.0.0", "10.0.0.1", "::", "fe80::1", "no-such-host.invalid"])
    t.false(await isLoopback(host), host);
});

test("an address of Redis that is none is refused without being repeated", async (t) => {
  for (const url of ["", "redis", "http://:secret@a:1", "redis://"]) {
    const set = ["ratelimit.backend=redis", `redis.url=${url}`];
    const problems = await configProblems(loadConfig({ ...nothing, profile: "dev", set }).config, "dev");
    t.is(problems.length, 1, url);
    t.regex(problems[0]!, /^redis\.url: /);
    t.false(problems[0]!.includes("secret"));
  }
  const set = ["ratelimit.backend=redis", "redis.url=rediss://user:secret@cache.internal:6380/2"];
  t.deepEqual(await configProblems(loadConfig({ ...nothing, profile: "dev", set }).config, "dev"), []);
});

test("a password for Cassandra without a name is refused: it would not be used", async (t) => {
  const set = ["storage.engine=cassandra", "storage.cassandra.password=secret"];
  const load = (...more: string[]) =>
    loadConfig({ ...nothing, profile: "dev", set: [...set, ...more] }).config;
  t.deepEqual(await configProblems(load(), "dev"), [
    "storage.cassandra.username: is needed because storage.cassandra.password is set",
  ]);
  t.deepEqual(await configProblems(load("storage.cassandra.username=me"), "dev"), []);
});

test("secrets are not printed", (t) => {
  const loaded = loadConfig({
    ...nothing,
    set: ["internal.token_secret=do-not-print-me-do-not-print-me-x"],
  });
  const text = describeConfig(loaded);
  t.false(text.includes("do-not-print-me"));
  t.true(text.includes("internal.token_secret = (secret)"));
});

test("docs/configuration.md has the table as it is", (t) => {
  const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  t.true(page.includes(settingsMarkdown()), "run: service config --markdown");
});

function yaml(t: { teardown(fn: () => void): void }, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "config-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "service.yaml");
  writeFileSync(file, text);
  return file;
}

test("identities of certificates are read from YAML member by member, and from one text", (t) => {
  const text =
    '{"spiffe://a.b/c": {"roles": ["service"], "scopes": ["pool:read"], "tenant": "0000000000000000000000000A"}}';
  const expected = {
    "spiffe://a.b/c": { roles: ["service"], scopes: ["pool:read"], tenant: "0000000000000000000000000A" },
  };
  const load = (set: string[]) => loadConfig({ profile: "dev", environment: {}, set }).config;
  t.deepEqual(load([`internal.identities=${text}`])["internal.identities"], expected);
  const members = ["roles=service", "scopes=pool:read", "tenant=0000000000000000000000000A"];
  const pairs = members.map((member) => `internal.identities.spiffe://a.b/c.${member}`);
  t.deepEqual(load(pairs)["internal.identities"], expected);
  for (const wrong of ["nonsense", "[]", '{"a": 1}', '{"a": {"role": "admin"}}'])
    t.throws(() => load([`internal.identities=${wrong}`]), { message: /internal.identities/ });
});

for (const [set, problem] of [
  ["internal.token_secret=short", /internal.token_secret: must have at least 32 bytes/],
  ["internal.token_secret_previous=short", /internal.token_secret_previous: must have/],
  ["api.oidc_issuer=http://idp.example.com", /api.oidc_issuer: .* must be https/],
  ["api.oidc_issuer=https://idp.example.com", /api.oidc_audience: is needed/],
  ['internal.identities={"a": {"roles": []}}', /internal.identities: a has no roles/],
  ['internal.identities={"a": {"roles": ["admin"], "tenant": "acme"}}', /a tenant that is no id/],
] as const)
  test(`${set} is refused at the start`, async (t) => {
    const { config } = loadConfig({ profile: "dev", environment: {}, set: [set] });
    t.regex((await configProblems(config, "dev")).join("\n"), problem);
  });

test("the other end of a connection is loopback by IPv4, IPv6 and mapped IPv4, and by nothing that looks alike", (t) => {
  for (const address of ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"])
    t.true(isLoopbackIp(address), address);
  for (const address of ["", "10.0.0.1", "::ffff:10.0.0.1", "fe80::1", "128.0.0.1", "127.evil.example"])
    t.false(isLoopbackIp(address), address);
});

test("a tenant's own value has the type of the setting, as JSON; the default of every such setting is one", (t) => {
  for (const [name, { default: usual, dynamic }] of Object.entries<{ default: unknown; dynamic?: string }>(
    settingsTable,
  ))
    if (dynamic === "tenant") t.is(tenantValueProblem(name, usual), undefined, name);
  const wrong: readonly [string, unknown, RegExp][] = [
    ["notification.retention_days", "9", /^must be of type integer 1 to 3650, not text$/],
    ["notification.retention_days", 0, /^must be an integer 1 to 3650$/],
    ["notification.retention_days", 1.5, /^must be an integer/],
    ["notification.retention_days", null, /^must be an integer/],
    ["notification.require_verified", "true", /^must be of type true or false, not text$/],
    ["notification.timezone", "+01:00", /^must be an IANA time zone/],
    ["notification.timezone", ["UTC"], /^must be an IANA time zone/],
    ["promotion.live_environments", "production,staging", /^must be of type list, not text$/],
    ["promotion.live_environments", [1], /^must be a list/],
    ["evidence.trusted_keys", ["AAAA"], /public keys/],
    ["storage.engine", "memory", /^is no setting of tenants; those are /],
    ["constructor", {}, /^is no setting of tenants/],
  ];
  for (const [name, value, reason] of wrong)
    t.regex(tenantValueProblem(name, value) ?? "", reason, `${name} ${JSON.stringify(value)}`);
});
