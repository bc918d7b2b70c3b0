import { randomBytes } from "node:crypto";
import { isObject, limits, newUlid, Random, RefusalError, refusalError, toFault, toRfc3339 } from "#base";
import { ask } from "../../kit/ask.ts";
import type {
  Identified,
  RouteContext,
  RouteEntry,
  RouteRequest,
  RouteResponse,
  SignInWay,
} from "../../module.ts";
import type { Parts } from "../parts.ts";
import { type ConsoleSession, sessionAddress, startSession } from "../record.ts";
import { type SessionCookie, secretHashOf, sessionCookieOf } from "./cookie.ts";
import { asAuthentication, encryptCredential, type SessionCredential } from "./open.ts";
import { isOwnPage, type Place, placeOf, type Visit } from "./place.ts";

export function visitOf({ publicUrl }: Parts, request: RouteRequest): Visit {
  const { remoteAddress, isEncrypted } = request;
  return { publicUrl, remoteAddress, isEncrypted, headers: { get: (name) => request.header(name) } };
}

/** Throws where what a sign-in sends could be read on its way. */
export function safePlaceOf(visit: Visit): Place {
  const place = placeOf(visit);
  if (place !== undefined) return place;
  throw refusalError(
    "FAILED_PRECONDITION",
    "signing in needs https: set server.public_url to the https address of this service, or come by loopback",
    { reason: "SIGN_IN_NEEDS_HTTPS" },
  );
}

/** POST /auth/session: the browser that sends a key gets a session of it. */
export function signInByKey(
  parts: Parts,
  request: RouteRequest,
  context: RouteContext,
): Promise<RouteResponse> {
  return counted(parts, "api_key", request, context, async (noted) => {
    const visit = visitOf(parts, request);
    if (!isOwnPage(visit)) throw foreignPage();
    const place = safePlaceOf(visit);
    const key = keyIn(await request.body());
    const who = await context.signIn.identify("api_key", key, request);
    const begun = await begin(parts, { kind: "api_key", key }, who, request, context);
    noted(who, begun.session.id);
    return {
      status: 201,
      headers: {
        ...jsonHeaders,
        "set-cookie": sessionCookieOf(begun.cookie, place, parts.ttlMs / 1_000),
      },
      body: JSON.stringify({
        tenant_id: who.tenant,
        subject: who.subject,
        expires_at: toRfc3339(begun.session.expiresAt),
      }),
    };
  });
}

export const jsonHeaders = { "content-type": "application/json", "cache-control": "no-store" };

function foreignPage(): RefusalError {
  return refusalError("PERMISSION_DENIED", "only pages of this service may sign in and out");
}

function keyIn(body: Buffer): string {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    value = undefined;
  }
  const key = isObject(value) ? (value as Record<string, unknown>).api_key : undefined;
  if (typeof key === "string" && key !== "") return key;
  throw refusalError("INVALID_ARGUMENT", 'the body must be {"api_key": "sy_…"}');
}

type Begun = { readonly session: Pick<ConsoleSession, "id" | "expiresAt">; readonly cookie: SessionCookie };

/** Every sign-in draws a new id and a new secret; the entity gets what only the secret opens. */
export async function begin(
  { clock, ttlMs, idleMs }: Parts,
  credential: SessionCredential,
  { tenant = "", subject }: Identified,
  { requestId }: RouteRequest,
  { asker, admit }: RouteContext,
): Promise<Begun> {
  await admit(tenant);
  const now = clock.now();
  const word = () => randomBytes(4).readUInt32LE();
  const id = newUlid(now, new Random([word(), word(), word(), word()]));
  const cookie = { id, secret: randomBytes(limits.consoleSessionSecretBytes) };
  const session = {
    id,
    tenant,
    principalKind: credential.kind,
    subject,
    credential: encryptCredential(cookie, credential),
    secretHash: secretHashOf(cookie.secret),
    expiresAt: now + ttlMs,
    idleMs,
  };
  const { tenant: system, key } = sessionAddress(id);
  await ask(asAuthentication(asker, now, requestId), startSession, { tenant: system, key, request: session });
  return { session, cookie };
}

/** Every try is counted by what came of it, and in the audit log. */
export async function counted(
  { metrics }: Parts,
  way: SignInWay,
  request: RouteRequest,
  context: RouteContext,
  signIn: (noted: (caller: Identified, session: string) => void) => Promise<RouteResponse>,
): Promise<RouteResponse> {
  const entry = { act: "ConsoleSession.Start", about } as const;
  const audit = (more: Partial<RouteEntry>) => context.audit(request, { ...entry, ...more });
  try {
    const answer = await signIn((caller, session) =>
      audit({ caller, target: { console_session_id: session } }),
    );
    metrics.add(metric, { way, result: "ok" });
    return answer;
  } catch (error) {
    const fault = toFault(error);
    if (!("refusal" in fault)) throw error;
    const { refusal } = fault;
    metrics.add(metric, { way, result: refusal.reason ?? refusal.code });
    audit({ refusal });
    throw new RefusalError(refusal);
  }
}

export const about = "console_session:write";
const metric = "service_sign_ins_total";
