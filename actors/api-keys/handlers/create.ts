import { invalid, orThrow, type Refusal, RefusalError, refuse, toRfc3339 } from "#base";
import type { CreateApiKeyRequest } from "#protos";
import { apiKeyPrefix } from "../../kit/api-key-record.ts";
import { contractMethod, tryAsk } from "../../kit/ask.ts";
import type { CallContext, Handler } from "../../module.ts";
import type { KeyHasher, ModuleParts } from "../../parts.ts";

const create = contractMethod<Filled & { readonly hash: string }, { readonly id: string }>(
  "directory",
  "ApiKeyService.CreateApiKey",
);

/**
 * Draws the secret and sends the directory its hash: what is journaled and replayed never had the secret in it. The answer
 * that creates the key gets the secret here, a replayed one does not.
 */
export function createApiKey({
  access,
  keyHasher,
}: Pick<ModuleParts, "access" | "keyHasher">): Handler<"ApiKeyService.CreateApiKey"> {
  const draw = drawing(keyHasher);
  return async (given, call) => {
    const asked = filled(given, call);
    const refusal = unfit(asked, call, access) ?? lacking(asked, call, access);
    if (refusal !== undefined) throw new RefusalError(refusal);
    const { secret, hash } = await draw(call.idempotency?.scope);
    const request = { ...asked, hash };
    const answer = orThrow(await tryAsk(call, create, { key: "api_key", request, step: "" }));
    const key = answer.response;
    return answer.replayed ? key : { ...key, secret: `${apiKeyPrefix(key.id)}_${secret}` };
  };
}

interface Drawn {
  readonly secret: string;
  readonly hash: string;
}

/** Repeats of one request that come while it is under way share what was drawn: hashing is slow, and one of them creates. */
function drawing(hasher: KeyHasher): (scope: string | undefined) => Promise<Drawn> {
  const underWay = new Map<string, Promise<Drawn>>();
  const draw = async (): Promise<Drawn> => {
    const secret = hasher.drawSecret();
    return { secret, hash: await hasher.hash(secret) };
  };
  return (scope) => {
    if (scope === undefined) return draw();
    const found = underWay.get(scope) ?? draw().finally(() => underWay.delete(scope));
    underWay.set(scope, found);
    return found;
  };
}

type Access = ModuleParts["access"];
type Filled = CreateApiKeyRequest & Required<Pick<CreateApiKeyRequest, "scopes" | "environment_mode">>;

/** What the request leaves open is as its maker has it. */
function filled(asked: CreateApiKeyRequest, call: CallContext): Filled {
  const { scopes = [], keyExpiresAtMs } = call;
  return {
    ...asked,
    // Of its scopes a maker has only those that its roles grant as well.
    scopes: asked.scopes.length ? asked.scopes : scopes.filter((name) => call.may(name, "grant")),
    environment_mode: asked.environment_mode ?? call.caller.environmentMode,
    ...(asked.expires_at === undefined &&
      keyExpiresAtMs !== undefined && { expires_at: toRfc3339(keyExpiresAtMs) }),
  };
}

function unfit(
  { roles, scopes, expires_at: expiresAt }: Filled,
  { clock }: CallContext,
  access: Access,
): Refusal | undefined {
  const role = roles.findIndex((name) => !access.isRole(name));
  if (role >= 0)
    return invalid({ field: `roles[${role}]`, reason: `${roles[role]} is not a role of this service` });
  const scope = scopes.findIndex((name) => !access.isPermission(name));
  if (scope >= 0)
    return invalid({ field: `scopes[${scope}]`, reason: `${scopes[scope]} is not a scope of this service` });
  if (scopes.length === 0 && roles.some((name) => access.isByScopes(name)))
    return invalid({
      field: "scopes",
      reason: "must have at least one: the role service may do what its scopes name",
    });
  if (expiresAt !== undefined && Date.parse(expiresAt) <= clock.now())
    return invalid({ field: "expires_at", reason: "must be in the future" });
  return undefined;
}

/** A key may do no more than its maker, in no more environments and for no longer. */
function lacking(asked: Filled, call: CallContext, access: Access): Refusal | undefined {
  const { roles, scopes, environment_mode: mode, expires_at: expiresAt } = asked;
  const { caller, may, keyExpiresAtMs } = call;
  const holder = { roles, tenant: caller.tenant, ...(scopes.length > 0 && { scopes }) };
  const missing = [...scopes, ...access.permissionsOf(holder)].find(
    (permission) => !may(permission, "grant"),
  );
  if (missing !== undefined) return denied(`the caller lacks ${missing}, and cannot grant it`);
  const { environmentMode: own } = caller;
  if (own !== "any" && mode !== own)
    return denied(`the caller is limited to ${own}, and cannot make a key with environment_mode ${mode}`);
  if (keyExpiresAtMs !== undefined && Date.parse(expiresAt!) > keyExpiresAtMs)
    return denied(
      `the caller's key ends at ${toRfc3339(keyExpiresAtMs)}, and cannot make one that ends later`,
    );
  return undefined;
}

function denied(detail: string): Refusal {
  return refuse("PERMISSION_DENIED", detail);
}
