import anyTest, { type TestFn } from "ava";
import jwt from "jsonwebtoken";
import { systemClock } from "#base";
import { serviceTokens } from "../../gateway/identity/index.ts";
import { testAccess } from "../support/module-parts.ts";
import { tenantA, testProviders } from "./support/auth.ts";
import { type Door, doorsOf, type Outcome } from "./support/clients.ts";
import { apiKeyProviders } from "./support/identity.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

/** What a credential makes is at most what the credential is: every field of a key, asked for by every kind of maker. */
const test = anyTest as TestFn<{ service: TestService; door: Door; internal: Door }>;
const secret = "a secret for tests, of 32 bytes or more";
const create = probeContract.byName.get("ApiKeyService.CreateApiKey")!;
const inDays = (days: number) => new Date(today + days * 86_400_000).toISOString();
const today = Math.floor(Date.now() / 1_000) * 1_000;

type Mode = "any" | "production_only" | "non_production_only";
const modes: readonly Mode[] = ["any", "production_only", "non_production_only"];
const makerScopes = ["api_key:write", "pool:read", "tenant:write"];

/** The fields of a request or of a key that say what the key may do. */
interface Authority {
  readonly roles: readonly string[];
  readonly scopes?: readonly string[];
  readonly environment_mode?: Mode;
  readonly expires_at?: string;
}

interface Maker {
  readonly name: string;
  /** Absent fields: it is not limited. */
  readonly has: Omit<Authority, "roles">;
  readonly plane: "door" | "internal";
  headers(admin: Door): Promise<Record<string, string>>;
}

/** Keys in every combination of limits, and tokens, which only scopes limit. */
function makers(): Maker[] {
  const keys = modes.flatMap((environment_mode) =>
    [undefined, makerScopes].flatMap((scopes) =>
      [undefined, inDays(10)].map((expires_at) =>
        keyMaker({
          ...(scopes && { scopes }),
          ...(expires_at && { expires_at }),
          ...(environment_mode !== "any" && { environment_mode }),
        }),
      ),
    ),
  );
  const user = { name: "user token", has: {}, plane: "door", headers: async () => bearer("admin") } as const;
  const tokens = [undefined, makerScopes].map((scopes): Maker => {
    const headers = { ...bearer(serviceToken(scopes)), "x-tenant-id": tenantA };
    const name = `service token of ${scopes?.join(" ") ?? "all scopes"}`;
    return { name, has: scopes ? { scopes } : {}, plane: "internal", headers: async () => headers };
  });
  return [...keys, user, ...tokens];
}

function keyMaker(has: Maker["has"]): Maker {
  return {
    name: `key of ${JSON.stringify(has)}`,
    has,
    plane: "door",
    headers: async (door) => {
      const made = await door.unary(create, { name: "maker", roles: ["admin"], ...has }, bearer("admin"));
      return { "x-api-key": keyIn(made).secret };
    },
  };
}

/** Every field left out, and set to each kind of value. */
const asked: readonly Authority[] = [
  { roles: ["admin"] },
  { roles: ["viewer"] },
  ...modes.map((environment_mode) => ({ roles: ["viewer"], environment_mode })),
  ...[5, 10, 15].map((days) => ({ roles: ["viewer"], expires_at: inDays(days) })),
  { roles: ["admin"], scopes: ["pool:read"] },
  { roles: ["admin"], scopes: ["pool:read", "pool:write"] },
  { roles: ["service"], scopes: ["pool:write"] },
  { roles: ["service"], scopes: ["pool:read"] },
];

/** `undefined`: the maker cannot grant it. */
function expected({ has }: Maker, wanted: Authority): Required<Omit<Authority, "expires_at">> | undefined {
  const { scopes, environment_mode: mode, expires_at: expiry } = wanted;
  if (scopes?.some((scope) => has.scopes?.includes(scope) === false)) return undefined;
  if (mode !== undefined && has.environment_mode !== undefined && mode !== has.environment_mode)
    return undefined;
  if (expiry !== undefined && has.expires_at !== undefined && expiry > has.expires_at) return undefined;
  const ends = expiry ?? has.expires_at;
  return {
    roles: wanted.roles,
    scopes: scopes ?? has.scopes ?? [],
    environment_mode: mode ?? has.environment_mode ?? "any",
    ...(ends !== undefined && { expires_at: ends }),
  };
}

test.before(async (t) => {
  const service = await startTestService({
    runtime: true,
    settings: { authEnabled: true },
    vouching: (runtime) => ({
      external: { ...apiKeyProviders(runtime).external, bearer: testProviders.bearer! },
      internal: { bearer: serviceTokens([secret], testAccess, systemClock) },
    }),
  });
  const doors = doorsOf(service);
  t.context = { service, door: doors["rest-uws"], internal: doors["internal-rest"] };
});

test.after.always((t) => t.context.service.close());

for (const maker of makers())
  test(`${maker.name}: a key that it makes has what it has or less, and what is left out is as the maker has it`, async (t) => {
    const { door } = t.context;
    const headers = await maker.headers(door);
    for (const wanted of asked) {
      const outcome = await t.context[maker.plane].unary(create, { name: "child", ...wanted }, headers);
      const about = JSON.stringify(wanted);
      const granted = expected(maker, wanted);
      if (granted === undefined) {
        t.is(outcome.ok ? "OK" : outcome.error.errorCode, "PERMISSION_DENIED", about);
        continue;
      }
      const { roles, scopes, environment_mode, expires_at } = keyIn(outcome);
      const child = { roles, scopes: [...scopes!].sort(), environment_mode };
      t.deepEqual({ ...child, ...(expires_at && { expires_at }) }, granted, about);
    }
  });

test("a key of a limited key makes keys with the same limits, over three generations", async (t) => {
  const { door } = t.context;
  const has = { environment_mode: "production_only", expires_at: inDays(10), scopes: makerScopes } as const;
  let headers = await keyMaker(has).headers(door);
  for (let generation = 0; generation < 3; generation++) {
    const child = keyIn(await door.unary(create, { name: "child", roles: ["admin"] }, headers));
    t.like(child, has);
    headers = { "x-api-key": child.secret };
  }
});

const roles = [...probeContract.roles.names].filter((role) => testAccess.isRole(role)).sort();
const others = roles.filter((role) => role !== "admin");
/** A role that acts by scopes has to name some. */
const named = (...of: string[]) => ({
  roles: of,
  ...(of.some((role) => testAccess.isByScopes(role)) && {
    scopes: ["api_key:write", "pool:read", "tenant:write"],
  }),
});
const makersByRole: readonly Omit<Authority, "environment_mode" | "expires_at">[] = [
  ...roles.map((role) => named(role)),
  ...others.map((role) => named("admin", role)),
  { roles: ["admin"], scopes: makerScopes },
  // One that acts by scopes has them already.
  ...others
    .filter((role) => !testAccess.isByScopes(role))
    .map((role) => ({ roles: ["admin", role], scopes: makerScopes })),
];

for (const maker of makersByRole)
  test.serial(
    `a key of ${JSON.stringify(maker)} makes keys of each role that may do no more than it does, and no others`,
    async (t) => {
      const { door } = t.context;
      const made = await door.unary(create, { name: "maker", ...maker }, bearer("admin"));
      const headers = { "x-api-key": keyIn(made).secret };
      const own = new Set(testAccess.permissionsOf({ tenant: tenantA, ...maker }));
      const may = maker.roles.includes("admin") && own.has("api_key:write") && own.has("tenant:write");
      let granted = 0;
      for (const wanted of [
        ...roles.map((role) => named(role)),
        ...roles.map((role) => ({ roles: [role] })),
      ]) {
        const about = JSON.stringify(wanted);
        const outcome = await door.unary(create, { name: "child", ...wanted }, headers);
        // What is left out is as the maker has it.
        const filled = { tenant: tenantA, ...(maker.scopes && { scopes: maker.scopes }), ...wanted };
        const asks = testAccess.permissionsOf(filled);
        const isUnfit = filled.scopes === undefined && testAccess.isByScopes(wanted.roles[0]!);
        if (!may) t.false(outcome.ok, about);
        else if (isUnfit) t.is(outcome.ok ? "OK" : outcome.error.errorCode, "INVALID_ARGUMENT", about);
        else
          t.is(
            outcome.ok,
            asks.every((permission) => own.has(permission)),
            about,
          );
        if (!outcome.ok) continue;
        granted++;
        const { scopes = [], ...child } = keyIn(outcome);
        const gets = testAccess.permissionsOf({
          tenant: tenantA,
          roles: child.roles,
          ...(scopes.length > 0 && { scopes }),
        });
        t.deepEqual(
          gets.filter((permission) => !own.has(permission)),
          [],
          about,
        );
      }
      t.is(granted > 0, may);
    },
  );

for (const scope of ["", "openid", "pools:read", "pool:read", 7])
  test(`a service token with the scope ${JSON.stringify(scope)} makes neither tenants nor keys`, async (t) => {
    const headers = { ...bearer(serviceToken(scope)), "x-tenant-id": tenantA };
    const make = (name: string, message: object) =>
      t.context.internal.unary(probeContract.byName.get(name)!, message, headers);
    for (const outcome of [
      await make("TenantService.CreateTenant", { name: "acme" }),
      await make("ApiKeyService.CreateApiKey", { name: "k", roles: ["viewer"] }),
    ])
      t.is(outcome.ok ? "OK" : outcome.error.errorCode, "PERMISSION_DENIED");
  });

function keyIn(outcome: Outcome): Authority & { readonly secret: string } {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.error));
  return outcome.message as Authority & { secret: string };
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function serviceToken(scope: unknown): string {
  const claims = { iss: "service", aud: "service-internal", sub: "job" };
  const named = Array.isArray(scope) ? scope.join(" ") : scope;
  return jwt.sign({ ...claims, ...(named !== undefined && { scope: named }) }, secret, { expiresIn: 300 });
}
