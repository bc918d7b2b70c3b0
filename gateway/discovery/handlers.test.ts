import test from "ava";
import { parse } from "yaml";
import { RefusalError } from "#base";
import { accessOf } from "../calls/access.ts";
import type { Call } from "../calls/call.ts";
import type { Providers } from "../calls/stages/stage.ts";
import { loadConfig, type Setting } from "../config/index.ts";
import { loadContract } from "../contract/index.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { configSchema, configYaml } from "./config-schema.ts";
import { discoveryHandlers } from "./index.ts";

const contract = loadContract();

function ask(
  name: string,
  request: object,
  {
    set = [],
    plane = "external",
    tenant = "T",
    providers = {},
    tenantSettings = {},
    contract: given = contract,
  }: {
    set?: string[];
    plane?: string;
    tenant?: string;
    providers?: Providers;
    tenantSettings?: Record<string, unknown>;
    contract?: typeof contract;
  } = {},
) {
  const { config } = loadConfig({ profile: "dev", environment: {}, set });
  const access = accessOf(() => contract);
  const handlers = discoveryHandlers({ contract: given, config, providers, access });
  const message = structuredClone(request);
  const errors = contract.byName.get(name)!.validate(message);
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  const call = { plane, tenant, tenantFacts: { settings: tenantSettings } } as Call;
  return handlers[name]!(message, call) as Promise<Record<string, unknown>>;
}

const ids = (answer: Record<string, unknown>) =>
  (answer.capabilities as { id: string }[]).map(({ id }) => id);

test("the report names every service with addresses and all governance fields, and the contract it runs", async (t) => {
  const report = await ask("MetaService.GetServices", {});
  t.is(report.contract_sha256, contract.sha256);
  const services = report.services as { name: string; methods: object[] }[];
  const pools = services.find(({ name }) => name === "service.api.PoolService")!;
  t.deepEqual(pools.methods[0], {
    name: "CreatePool",
    http_method: "POST",
    path: "/api/pools",
    scopes: ["pool:write"],
    roles: [],
    lifecycle: "supported",
    audience: "tenant",
    authentication_required: true,
    authorization_required: true,
    resource: "pool",
    action: "write",
    internal_only: false,
  });
  t.is(
    services.flatMap(({ methods }) => methods).length,
    contract.methods.filter(({ governance }) => !governance.internalOnly).length,
  );
});

test("the posture has every feature, in whatever condition", async (t) => {
  const answer = await ask("CapabilityService.GetPosture", {});
  const modes = new Map(
    (answer.capabilities as { id: string; mode: string }[]).map(({ id, mode }) => [id, mode]),
  );
  t.is(modes.get("routing"), "active");
  t.is(modes.get("authentication"), "disabled");
  t.is(modes.get("dynamic_config"), "disabled");
});

function conditionsWith(set: string[], providers: Providers = {}) {
  const { config } = loadConfig({ profile: "dev", environment: {}, set });
  const all = capabilitiesOf(contract.capabilities, { config, providers });
  return new Map(all.map((capability) => [capability.id, capability]));
}

test("a capability that is not active says why, and ids are in order", (t) => {
  const all = conditionsWith(["storage.engine=memory"]);
  t.deepEqual([...all.keys()], [...all.keys()].sort());
  for (const { mode, reason } of all.values()) t.is(reason === "", mode === "active");
  for (const { dependencies } of all.values()) t.true(dependencies.every((id) => all.has(id)));
});

test("credentials that nothing verifies are no capability, whatever the settings say", (t) => {
  const set = [
    "auth.enabled=true",
    "auth.api_key_enabled=true",
    "api.oidc_issuer=https://issuer.test",
    "api.oidc_audience=service",
  ];
  const modes = (providers: Providers) => {
    const found = conditionsWith(set, providers);
    return ["api_keys", "oidc", "authentication", "authorization"].map((id) => found.get(id)?.mode);
  };
  const provider = { authenticate: () => Promise.reject(new Error("unused")) };
  t.deepEqual(modes({}), ["unwired", "unwired", "unwired", "unwired"]);
  t.deepEqual(modes({ apiKey: provider }), ["active", "unwired", "active", "active"]);
  t.deepEqual(modes({ bearer: provider }), ["unwired", "active", "active", "active"]);
  const withoutAudience = conditionsWith(set.slice(0, 3), { bearer: provider }).get("oidc");
  t.like(withoutAudience, { mode: "unwired", reason: "api.oidc_audience is not set" });
  const off = conditionsWith(["auth.api_key_enabled=false"], { apiKey: provider }).get("api_keys");
  t.like(off, { mode: "disabled", reason: "auth.api_key_enabled is false" });
});

test("evidence on Cassandra is degraded without a key file: each node would sign with a key of its own", (t) => {
  const modeOf = (...set: string[]) => conditionsWith(set, {}).get("evidence")?.mode;
  const cassandra = ["storage.engine=cassandra", "storage.cassandra.contact_points=127.0.0.1"];
  t.is(modeOf(...cassandra), "degraded");
  t.is(modeOf(...cassandra, "evidence.signing_key_file=/etc/service/evidence.pem"), "active");
  t.is(modeOf("storage.engine=embedded"), "active");
});

test("what needs a capability that is missing is unwired, and one that needs a degraded one is degraded", (t) => {
  const { config } = loadConfig({ profile: "dev", environment: {}, set: ["storage.engine=memory"] });
  const of = (id: string, needs: string[], enabledBy?: string) =>
    ({ id, name: id, needs, requires: [], internal: false, ...(enabledBy && { enabledBy }) }) as const;
  const own = [of("a", ["b"]), of("b", ["c"]), of("c", [], "ratelimit.backend"), of("d", ["queues"])];
  const parts = { config, providers: {} };
  const found = new Map(
    capabilitiesOf([...contract.capabilities, ...own], parts).map(({ id, mode, reason }) => [
      id,
      [mode, reason],
    ]),
  );
  t.deepEqual(found.get("c"), ["disabled", "ratelimit.backend is none"]);
  t.deepEqual(found.get("b"), ["unwired", "needs c, which is disabled: ratelimit.backend is none"]);
  t.is(found.get("a")?.[0], "unwired");
  t.is(found.get("d")?.[0], "degraded");
  t.throws(() => capabilitiesOf([...contract.capabilities, of("e", [], "no.such")], parts), {
    message: "capability e: there is no setting no.such",
  });
});

test("the catalogue lists what is active, and the rest when asked for it", async (t) => {
  const list = (request: object) =>
    ask("CapabilityService.ListCapabilities", request, {
      set: ["auth.enabled=true", "ratelimit.backend=none", "storage.engine=memory"],
    });
  const plain = ids(await list({}));
  t.true(plain.includes("conformance"));
  t.false(["rate_limit", "authentication", "durability"].some((id) => plain.includes(id)));
  t.true(ids(await list({ include_degraded: true })).includes("durability"));
  t.true(ids(await list({ include_disabled: true })).includes("rate_limit"));
  t.true(ids(await list({ include_missing_dependency: true })).includes("authentication"));
});

test("pages of the catalogue join without gap or overlap, and a cursor of another filter, tenant or plane is refused", async (t) => {
  const all = ids(await ask("CapabilityService.ListCapabilities", { include_disabled: true }));
  const found: string[] = [];
  let token = "";
  do {
    const page = await ask("CapabilityService.ListCapabilities", {
      include_disabled: true,
      page_size: 2,
      page_token: token,
    });
    t.is(page.total, all.length);
    found.push(...ids(page));
    token = page.next_page_token as string;
    if (token !== "") {
      const foreign = { page_token: token };
      const error = await t.throwsAsync(ask("CapabilityService.ListCapabilities", foreign), {
        instanceOf: RefusalError,
      });
      t.is(error?.refusal.code, "INVALID_ARGUMENT");
      const same = { include_disabled: true, page_token: token };
      for (const other of [{ tenant: "U" }, { plane: "internal" }])
        await t.throwsAsync(ask("CapabilityService.ListCapabilities", same, other), {
          instanceOf: RefusalError,
        });
    }
  } while (token !== "");
  t.deepEqual(found, all);
  t.deepEqual(
    ids(await ask("CapabilityService.ListCapabilities", { include_disabled: true, offset: 3 })),
    all.slice(3),
  );
});

test("a hidden capability is not found on the external plane, and is there on the internal one", async (t) => {
  const hidden = {
    ...contract,
    capabilities: contract.capabilities.map((one) => (one.id === "live" ? { ...one, internal: true } : one)),
  };
  const get = (plane: string) =>
    ask("CapabilityService.GetCapability", { id: "live" }, { plane, contract: hidden });
  const error = await t.throwsAsync(get("external"), { instanceOf: RefusalError });
  t.is(error?.refusal.code, "NOT_FOUND");
  t.like(await get("internal"), { id: "live", mode: "active" });
});

test("export is unavailable unless dynamic configuration is on, and YAML when it is", async (t) => {
  const error = await t.throwsAsync(ask("ConfigService.ExportConfig", {}), { instanceOf: RefusalError });
  t.is(error?.refusal.code, "UNAVAILABLE");
  const set = ["dynamic_config.enabled=true", "notification.retention_days=9"];
  const tenantSettings = {
    "notification.timezone": "Asia/Kathmandu",
    "notification.require_verified": "of another type",
  };
  const body = await ask("ConfigService.ExportConfig", {}, { set, tenantSettings });
  t.is(body.content_type, "application/yaml");
  const exported = parse(Buffer.from(body.data as string, "base64").toString());
  t.is(exported["notification.timezone"], "Asia/Kathmandu", "the tenant's own value");
  t.is(exported["notification.retention_days"], 9, "the installation's");
  t.is(exported["notification.require_verified"], false, "the default");
});

test("nodes share the shards on Cassandra; the other engines serve one node, and the capability says so", (t) => {
  const modeOf = (...set: string[]) => conditionsWith(set).get("cluster")?.mode;
  t.is(modeOf("storage.engine=cassandra", "storage.cassandra.contact_points=127.0.0.1"), "active");
  t.is(modeOf("storage.engine=embedded"), "disabled");
  t.is(modeOf("storage.engine=cassandra", "server.internal_addr="), "unwired");
});

test("the schema shows the dynamic settings only, and an export their values only", async (t) => {
  const kind = (name: string) => ({ name, parse: () => undefined, print: String });
  const settings: Record<string, Setting<unknown>> = {
    "a.wait": { kind: kind("duration"), default: 250, reason: "Because.", dynamic: "tenant" },
    "a.names": { kind: kind("list"), default: ["x"], reason: "Because.", dynamic: "tenant" },
    "b.fixed": { kind: kind("text"), default: "", reason: "Because." },
  };
  t.like(configSchema(settings, true), {
    enabled: true,
    settings: [
      { key: "a.wait", type: "integer", unit: "ms", default: 250, description: "Because.", scope: "tenant" },
      { key: "a.names", type: "array", unit: "", default: ["x"], description: "Because.", scope: "tenant" },
    ],
  });
  const values: Record<string, unknown> = { "a.wait": 5, "a.names": ["x"] };
  const settingOf = (key: string) => ({ ...values, "b.fixed": "no" })[key];
  t.deepEqual(parse(await configYaml(settings, settingOf)), values);
});
