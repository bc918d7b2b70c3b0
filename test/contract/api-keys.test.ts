import anyTest, { type ExecutionContext, type TestFn } from "ava";
import type { ContractMethod } from "../../gateway/contract/index.ts";
import { eventually } from "../support/eventually.ts";
import { tenantA } from "./support/auth.ts";
import { type Door, type Doors, doorsOf, type Outcome } from "./support/clients.ts";
import { apiKeyProviders } from "./support/identity.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

type Message = Record<string, unknown>;
const test = anyTest as TestFn<{ service: TestService; doors: Doors }>;
const method = (name: string): ContractMethod => probeContract.byName.get(name)!;
const bearer = (name: string) => ({ authorization: `Bearer ${name}` });
const codeOf = (outcome: Outcome) => (outcome.ok ? "OK" : outcome.error.errorCode);

test.before(async (t) => {
  const service = await startTestService({
    runtime: true,
    settings: { authEnabled: true },
    vouching: apiKeyProviders,
  });
  t.context = { service, doors: doorsOf(service) };
});

test.after.always(async (t) => {
  for (const door of Object.values(t.context.doors)) door.close?.();
  await t.context.service.close();
});

/** One door of each protocol. */
function someDoors({ context: { doors } }: ExecutionContext<{ doors: Doors }>): Door[] {
  return [doors.grpc, doors["rest-uws"], doors["rest-node"], doors["connect-json"], doors["native-grpc"]];
}

async function create(
  door: Door,
  request: Message,
  headers: Record<string, string> = bearer("admin"),
): Promise<Message> {
  const outcome = await door.unary(method("ApiKeyService.CreateApiKey"), { name: "k", ...request }, headers);
  if (!outcome.ok) throw new Error(`${door.name}: ${JSON.stringify(outcome.error)}`);
  return outcome.message as Message;
}

test("a new key signs in on every door, with its roles, scopes and tenant", async (t) => {
  for (const door of someDoors(t)) {
    const key = await create(door, { roles: ["operator"], scopes: ["pool:read", "pool:write"] });
    t.regex(key.secret as string, new RegExp(`^sy_${key.id}_[A-Za-z0-9_-]{43}$`));
    t.is(key.prefix, `sy_${key.id}`);
    const headers = { "x-api-key": key.secret as string };
    const who = await door.unary(method("MetaService.WhoAmI"), {}, headers);
    t.like(who, {
      ok: true,
      message: {
        kind: "api_key",
        subject: `api_key:${key.id}`,
        owner: "anna",
        tenant_id: tenantA,
        roles: ["operator"],
        scopes: ["pool:read", "pool:write"],
        permissions: ["pool:read", "pool:write"],
      },
    });
    t.is(codeOf(await door.unary(method("PoolService.CreatePool"), { name: "p" }, headers)), "OK");
    t.is(
      codeOf(await door.unary(method("QueueControlService.ListQueues"), {}, headers)),
      "PERMISSION_DENIED",
    );
  }
});

test("the secret of a key is in the first answer only: not in a repeat, a get or a list", async (t) => {
  for (const door of someDoors(t)) {
    const headers = { ...bearer("admin"), "idempotency-key": door.name.replaceAll(" ", "_") };
    const first = await create(door, { roles: ["viewer"] }, headers);
    const again = await door.unary(
      method("ApiKeyService.CreateApiKey"),
      { name: "k", roles: ["viewer"] },
      headers,
    );
    t.true(again.ok && again.headers.get("idempotent-replayed") === "true", door.name);
    const { secret, ...shown } = first;
    t.is(typeof secret, "string");
    t.deepEqual(again.ok && again.message, shown, door.name);
    const got = await door.unary(method("ApiKeyService.GetApiKey"), { id: first.id }, bearer("admin"));
    t.deepEqual(got.ok && got.message, shown, door.name);
    const list = await door.unary(method("ApiKeyService.ListApiKeys"), { page_size: 1_000 }, bearer("admin"));
    const listed = (list.ok && (list.message as { api_keys: Message[] }).api_keys) || [];
    t.deepEqual(
      listed.find(({ id }) => id === first.id),
      shown,
      door.name,
    );
    t.true(listed.every((key) => key.secret === undefined));
  }
});

test("a key that is malformed, unknown, revoked or has a wrong secret is refused with the same error", async (t) => {
  for (const door of someDoors(t)) {
    const key = await create(door, { roles: ["viewer"] });
    const revoked = await create(door, { roles: ["viewer"] });
    const look = (secret: string) => door.unary(method("PoolService.ListPools"), {}, { "x-api-key": secret });
    t.is(codeOf(await look(revoked.secret as string)), "OK", door.name);
    const revoke = await door.unary(
      method("ApiKeyService.RevokeApiKey"),
      { id: revoked.id },
      bearer("admin"),
    );
    t.true(revoke.ok && (revoke.message as Message).revoked_at !== undefined, door.name);
    const secret = key.secret as string;
    const other = `${secret.slice(0, 30)}${"A".repeat(43)}`;
    const bad = [
      "nonsense",
      secret.slice(0, -1),
      `sy_01ARZ3NDEKTSV4RRFFQ69G5FAV_${secret.slice(30)}`,
      other,
      revoked.secret as string,
    ];
    for (const credential of bad) {
      const outcome = await look(credential);
      t.like(outcome, {
        ok: false,
        error: { errorCode: "UNAUTHENTICATED", detail: "the API key is not valid" },
      });
    }
    t.is(codeOf(await look(secret)), "OK", door.name);
  }
});

test("a key whose expiry has passed already is not created", async (t) => {
  const past = { name: "k", roles: ["viewer"], expires_at: "2020-01-01T00:00:00Z" };
  for (const door of someDoors(t)) {
    const outcome = await door.unary(method("ApiKeyService.CreateApiKey"), past, bearer("admin"));
    t.is(codeOf(outcome), "INVALID_ARGUMENT", door.name);
    t.is(!outcome.ok && outcome.error.fields[0]?.field, "expires_at", door.name);
  }
});

test("unknown roles and scopes are refused, and so are roles and scopes that the caller lacks", async (t) => {
  const maker = await create(t.context.doors["rest-uws"], {
    roles: ["admin"],
    scopes: ["api_key:write", "tenant:write", "pool:read"],
  });
  const narrowed = { "x-api-key": maker.secret as string };
  const cases: [request: Message, headers: Record<string, string>, code: string, field?: string][] = [
    [{ roles: ["plumber"] }, bearer("admin"), "INVALID_ARGUMENT", "roles[0]"],
    [
      { roles: ["admin"], scopes: ["pool:read", "pool:fly"] },
      bearer("admin"),
      "INVALID_ARGUMENT",
      "scopes[1]",
    ],
    [{ roles: ["service"] }, bearer("admin"), "INVALID_ARGUMENT", "scopes"],
    [{ roles: [] }, bearer("admin"), "INVALID_ARGUMENT", "roles"],
    [{ roles: ["service"], scopes: ["pool:write"] }, bearer("admin"), "OK"],
    [{ roles: ["viewer"] }, narrowed, "OK"],
    [{ roles: ["admin"], scopes: ["pool:write"] }, narrowed, "PERMISSION_DENIED"],
    [{ roles: ["service"], scopes: ["pool:write"] }, narrowed, "PERMISSION_DENIED"],
    [{ roles: ["admin"], scopes: ["pool:read"] }, narrowed, "OK"],
    [{ roles: ["viewer"] }, bearer("operator"), "PERMISSION_DENIED"],
  ];
  for (const door of someDoors(t))
    for (const [request, headers, code, field] of cases) {
      const outcome = await door.unary(
        method("ApiKeyService.CreateApiKey"),
        { name: "k", ...request },
        headers,
      );
      t.is(codeOf(outcome), code, `${door.name} ${JSON.stringify(request)}`);
      if (field !== undefined) t.is(!outcome.ok && outcome.error.fields[0]?.field, field, door.name);
    }
});

test("a key of another tenant is not found, just like an unknown id", async (t) => {
  const door = t.context.doors["connect-json"];
  const key = await create(door, { roles: ["viewer"] });
  for (const name of ["ApiKeyService.GetApiKey", "ApiKeyService.RevokeApiKey"]) {
    const other = await door.unary(method(name), { id: key.id }, bearer("root"));
    const nothing = await door.unary(method(name), { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }, bearer("root"));
    t.is(codeOf(other), "NOT_FOUND");
    t.deepEqual(!other.ok && other.error, !nothing.ok && nothing.error);
  }
});

test("the last use of a key is recorded, at most once a minute", async (t) => {
  const door = t.context.doors["rest-uws"];
  const key = await create(door, { roles: ["viewer"] });
  const get = async () => {
    const got = await door.unary(method("ApiKeyService.GetApiKey"), { id: key.id }, bearer("admin"));
    return got.ok ? ((got.message as Message).last_used_at as string | undefined) : undefined;
  };
  t.is(await get(), undefined);
  const look = () => door.unary(method("PoolService.ListPools"), {}, { "x-api-key": key.secret as string });
  await look();
  const first = await eventually("the use is known", get);
  for (let i = 0; i < 20; i++) await look();
  t.is(await get(), first);
});

test("a source address with many bad keys is throttled, and keys that were verified before still work", async (t) => {
  // A separate service: otherwise other tests from this address would be throttled too.
  const service = await startTestService({
    runtime: true,
    settings: { authEnabled: true },
    vouching: apiKeyProviders,
  });
  const doors = doorsOf(service);
  const door = doors["rest-uws"];
  const key = await create(door, { roles: ["viewer"] });
  const look = (secret: string) => door.unary(method("PoolService.ListPools"), {}, { "x-api-key": secret });
  t.is(codeOf(await look(key.secret as string)), "OK");
  const codes = new Set<string>();
  for (let i = 0; i < 100; i++)
    codes.add(codeOf(await look(`sy_01ARZ3NDEKTSV4RRFFQ69G5FAV_${String(i).padStart(43, "0")}`)));
  t.deepEqual([...codes].sort(), ["RATE_LIMITED", "UNAUTHENTICATED"]);
  t.is(codeOf(await look(key.secret as string)), "OK");
  for (const one of Object.values(doors)) one.close?.();
  await service.close();
});
