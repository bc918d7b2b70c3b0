import { isRefusal, type Refusal, RefusalError, refuse } from "#base";
import type { CallContext, Orchestration } from "../module.ts";
import type { KeyHasher, ModuleParts } from "../parts.ts";
import { apiKeyPrefix } from "../shared/api-key-record.ts";
import { directoryOf } from "../shared/records/directory.ts";

interface CreateApiKeyRequest {
  readonly name: string;
  readonly roles: readonly string[];
  readonly scopes?: readonly string[];
  readonly expires_at?: string;
}

/**
 * Draws the secret and sends the directory its hash: what is journaled and replayed never had the secret in it. The answer
 * that creates the key gets the secret here, a replayed one does not.
 */
export function createApiKey({
  access,
  keyHasher,
}: Pick<ModuleParts, "access" | "keyHasher">): Orchestration {
  const draw = drawing(keyHasher);
  return async (request, call) => {
    const asked = request as CreateApiKeyRequest;
    const refusal = invalid(asked, call, access) ?? lacking(asked, call, access);
    if (refusal !== undefined) throw new RefusalError(refusal);
    const { secret, hash } = await draw(call.idempotency?.scope);
    const { caller, asker, deadlineMs, signal, idempotency } = call;
    const answer = await asker.ask({
      to: directoryOf(caller.tenant, "api_key"),
      method: "ApiKeyService.CreateApiKey",
      request: { ...asked, hash },
      caller,
      deadlineMs,
      signal,
      ...(idempotency && { idempotency }),
    });
    if (isRefusal(answer)) throw new RefusalError(answer);
    const key = answer.response as { readonly id: string };
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

function invalid(
  { roles, scopes = [], expires_at: expiresAt }: CreateApiKeyRequest,
  { clock }: CallContext,
  access: Access,
): Refusal | undefined {
  const role = roles.findIndex((name) => !access.isRole(name));
  if (role >= 0) return wrong(`roles[${role}]`, `${roles[role]} is not a role of this service`);
  const scope = scopes.findIndex((name) => !access.isPermission(name));
  if (scope >= 0) return wrong(`scopes[${scope}]`, `${scopes[scope]} is not a scope of this service`);
  if (scopes.length === 0 && roles.some((name) => access.isByScopes(name)))
    return wrong("scopes", "must have at least one: the role service may do what its scopes name");
  if (expiresAt !== undefined && Date.parse(expiresAt) <= clock.now())
    return wrong("expires_at", "must be in the future");
  return undefined;
}

/** A key may do no more than its maker. */
function lacking(
  { roles, scopes = [] }: CreateApiKeyRequest,
  { caller, may }: CallContext,
  access: Access,
): Refusal | undefined {
  const holder = { roles, tenant: caller.tenant, ...(scopes.length > 0 && { scopes }) };
  const missing = [...scopes, ...access.permissionsOf(holder)].find((permission) => !may(permission));
  if (missing === undefined) return undefined;
  return refuse("PERMISSION_DENIED", `the caller lacks ${missing}, and cannot grant it`);
}

function wrong(field: string, reason: string): Refusal {
  return refuse("INVALID_ARGUMENT", `${field} ${reason}`, { fields: [{ field, reason }] });
}
