import { hash, randomBytes } from "node:crypto";
import {
  asAuthentication,
  askSession,
  awaitRefresh,
  type ConsoleSession,
  encryptCredential,
  endSession,
  isOwnPage,
  leaseRefresh,
  openByCookie,
  refreshed,
  refreshFailed,
  type SessionCookie,
  type SessionCredential,
  sessionCookieIn,
} from "#actors";
import { type Clock, limits, RefusalError, refusalError } from "#base";
import type { Asker } from "#runtime";
import type { Call, Principal } from "../calls/call.ts";
import { CredentialError } from "../calls/stages/credential-error.ts";
import type { AuthenticationProvider, SessionProvider, Shower } from "../calls/stages/stage.ts";
import type { OidcClient } from "./oidc-client.ts";
import { endOf } from "./token.ts";

interface SessionParts {
  readonly asker: Asker;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly bearer?: AuthenticationProvider;
  readonly apiKey?: AuthenticationProvider;
  readonly oidc?: OidcClient;
}

/** A session that this thread has opened. */
interface Opened {
  readonly mac: string;
  readonly session: Pick<ConsoleSession, "id" | "version" | "expiresAt">;
  readonly credential: SessionCredential;
  /** Of its access token. */
  readonly endsAtMs: number;
  /** By the monotonic clock: after it the session is opened again. */
  readonly untilMs: number;
}

/**
 * Opens the sessions of browsers, and has the provider of their credential judge it. What was opened is believed for some seconds; an
 * end is heard by broadcast. A token that is about to end is refreshed by the one thread that gets the lease.
 */
export class Sessions implements SessionProvider {
  readonly oidc?: OidcClient;
  readonly #parts: SessionParts;
  readonly #macKey = randomBytes(32).toString("base64url");
  readonly #opened = new Map<string, Opened>();
  /** How often it was heard that a session ended: what is being opened meanwhile may have been read before. */
  #ends = 0;
  /** By id: refreshes of this thread. */
  readonly #refreshes = new Map<string, Promise<void>>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
    if (parts.oidc !== undefined) this.oidc = parts.oidc;
  }

  /** The cookie counts only where a page of the console sent it: browsers send it with requests of other pages too. */
  cookieOf({ headers, remoteAddress }: Pick<Call, "headers" | "remoteAddress">): SessionCookie | undefined {
    if (headers.get("x-console") !== "1") return undefined;
    const visit = { headers, remoteAddress, isEncrypted: false, publicUrl: this.#parts.publicUrl };
    return isOwnPage(visit) ? sessionCookieIn(visit) : undefined;
  }

  authenticate(cookie: SessionCookie, call: Shower): Principal | Promise<Principal> {
    const mac = hash("sha256", this.#macKey + cookie.secret.toString("base64url"), "base64url");
    const found = this.#opened.get(cookie.id);
    const isKnown = found?.mac === mac && found.untilMs > this.#parts.clock.monotonic();
    if (isKnown && !this.#isDue(found)) return this.#judge(found, call);
    return this.#authenticate(cookie, mac, isKnown ? found : undefined, call);
  }

  ended(id: string): void {
    this.#ends++;
    this.#opened.delete(id);
  }

  /** An end may have been missed: every session is opened again at its next call. */
  doubt(): void {
    this.#ends++;
    this.#opened.clear();
  }

  async #authenticate(cookie: SessionCookie, mac: string, found: Opened | undefined, call: Shower) {
    let opened = found ?? (await this.#open(cookie, mac, call));
    if (this.#isDue(opened)) {
      const refreshing = this.#refresh(cookie, opened, call);
      if (this.#leftMs(opened) > 0) refreshing.catch(() => undefined);
      else {
        await refreshing;
        opened = await this.#open(cookie, mac, call);
        if (this.#leftMs(opened) <= 0) throw noRefresh();
      }
    }
    return this.#judge(opened, call);
  }

  async #open(cookie: SessionCookie, mac: string, call: Shower): Promise<Opened> {
    const ends = this.#ends;
    const found = await openByCookie(this.#asking(call), cookie);
    if (found === undefined) throw notValid();
    const { session, credential } = found;
    const untilMs = this.#parts.clock.monotonic() + limits.consoleSessionOpenMs;
    const endsAtMs = credential.kind === "oidc" ? endOf(credential.accessToken) : Number.POSITIVE_INFINITY;
    const opened = { mac, session, credential, endsAtMs, untilMs };
    if (ends === this.#ends) {
      this.#opened.delete(cookie.id);
      this.#opened.set(cookie.id, opened);
      if (this.#opened.size > limits.consoleSessionsOpenMax)
        this.#opened.delete(this.#opened.keys().next().value!);
    }
    return opened;
  }

  /** What the provider does not take any more ends the session. */
  async #judge({ session, credential }: Opened, call: Shower): Promise<Principal> {
    const { apiKey, bearer } = this.#parts;
    const [provider, text] =
      credential.kind === "api_key" ? [apiKey, credential.key] : [bearer, credential.accessToken];
    if (provider === undefined) throw notValid();
    try {
      return principalOf(await provider.authenticate(text, call), session, credential);
    } catch (error) {
      if (error instanceof RefusalError && error.refusal.code === "UNAUTHENTICATED")
        await askSession(this.#asking(call), endSession, session.id, { why: "refused" });
      throw error;
    }
  }

  #isDue(opened: Opened): boolean {
    const { credential } = opened;
    const canRefresh = credential.kind === "oidc" && credential.refreshToken !== undefined;
    return canRefresh && this.#leftMs(opened) < limits.consoleSessionRefreshMs;
  }

  #leftMs({ endsAtMs }: Opened): number {
    return endsAtMs - this.#parts.clock.now();
  }

  #refresh(cookie: SessionCookie, opened: Opened, call: Shower): Promise<void> {
    const found = this.#refreshes.get(cookie.id);
    if (found !== undefined) return found;
    const refresh = this.#leased(cookie, opened, call).finally(() => {
      this.#refreshes.delete(cookie.id);
      this.#opened.delete(cookie.id);
    });
    this.#refreshes.set(cookie.id, refresh);
    return refresh;
  }

  async #leased(cookie: SessionCookie, { session, credential }: Opened, call: Shower): Promise<void> {
    const { version } = session;
    const { oidc } = this;
    if (oidc === undefined || credential.kind !== "oidc" || credential.refreshToken === undefined) return;
    const asking = this.#asking(call);
    const told = await askSession(asking, leaseRefresh, cookie.id, { version });
    if (told?.type === "wait") await askSession(asking, awaitRefresh, cookie.id, {});
    if (told?.type !== "leased") return;
    const outcome = await oidc.refresh(credential.refreshToken);
    if (outcome.type === "tokens") {
      const encrypted = encryptCredential(cookie, { kind: "oidc", ...outcome.tokens });
      await askSession(this.#asking(call), refreshed, cookie.id, { version, credential: encrypted });
    } else {
      const isOver = outcome.type === "over";
      await askSession(this.#asking(call), refreshFailed, cookie.id, { lease: told.lease, isOver });
    }
  }

  /** A stream has a day, and other calls of the session wait for this too. */
  #asking({ requestId }: Shower) {
    return asAuthentication(this.#parts.asker, this.#parts.clock.now(), requestId);
  }
}

/** A person, whatever it signed in with; it goes on as long as the session does, where its token is refreshed. */
function principalOf(
  found: Principal,
  { expiresAt }: Opened["session"],
  credential: SessionCredential,
): Principal {
  const canRefresh = credential.kind === "oidc" && credential.refreshToken !== undefined;
  const { expiresAtMs = Number.POSITIVE_INFINITY } = found;
  return {
    ...found,
    kind: "user",
    expiresAtMs: canRefresh ? expiresAt : Math.min(expiresAtMs, expiresAt),
    ...(credential.kind === "api_key" &&
      found.expiresAtMs !== undefined && { keyExpiresAtMs: found.expiresAtMs }),
  };
}

function notValid(): CredentialError {
  return new CredentialError("invalid", "the session is not valid: sign in again");
}

function noRefresh(): RefusalError {
  const options = { retryAfterMs: limits.consoleSessionRetryMs };
  return refusalError("UNAVAILABLE", "the issuer cannot be reached to go on with this session", options);
}
