import { hash, randomBytes } from "node:crypto";
import { type ApiKeyRecord, apiKeyAddress, type KeyHasher, lookAtApiKey, useApiKey } from "#actors";
import { type Clock, isRefusal, isUlid, limits, RefusalError, systemTenantId } from "#base";
import type { Asker, Caller } from "#runtime";
import type { Principal } from "../calls/call.ts";
import { CredentialError } from "../calls/stages/credential-error.ts";
import type { AuthenticationProvider, Shower } from "../calls/stages/stage.ts";
import { BadKeys } from "./bad-keys.ts";

interface ApiKeyParts {
  readonly asker: Asker;
  readonly hasher: KeyHasher;
  readonly clock: Clock;
}

/** A key that was verified in this thread. */
interface Verified {
  readonly mac: string;
  readonly principal: Principal;
  /** In the past: it was revoked. */
  expiresAtMs: number;
  /** By the monotonic clock: after it the record is read again. */
  untilMs: number;
}

/**
 * Verifies API keys. A verified key is remembered by a keyed hash, and its record is read again after a minute; bcrypt runs
 * once for each key and thread. A revocation is heard by broadcast and forgets the key at once.
 */
export class ApiKeys implements AuthenticationProvider {
  readonly #parts: ApiKeyParts;
  readonly #badKeys: BadKeys;
  readonly #macKey = randomBytes(32).toString("base64url");
  readonly #verified = new Map<string, Verified>();
  /** By mac: calls with the same key wait for one verification. */
  readonly #flights = new Map<string, Flight>();

  constructor(parts: ApiKeyParts) {
    this.#parts = parts;
    this.#badKeys = new BadKeys(parts.clock);
  }

  authenticate(credential: string, call: Shower): Principal | Promise<Principal> {
    if (!hasShape(credential)) throw notValid("malformed");
    const id = credential.slice(3, 29);
    // The key of the hash is secret and its result is never shown: no HMAC is needed, which takes five times as long.
    const mac = hash("sha256", this.#macKey + credential, "base64url");
    const found = this.#verified.get(id);
    if (found === undefined || found.mac !== mac) {
      if (!isUlid(id)) throw notValid("malformed");
      return this.#once(id, mac, (flight) => this.#verify(flight, credential.slice(30), call));
    }
    if (found.expiresAtMs <= this.#parts.clock.now()) throw notValid();
    if (found.untilMs > this.#parts.clock.monotonic()) return found.principal;
    return this.#once(id, mac, (flight) => this.#renew(flight, call));
  }

  revoked(id: string): void {
    const found = this.#verified.get(id);
    if (found !== undefined) found.expiresAtMs = 0;
    // What is being looked at now may have been read before.
    for (const flight of this.#flights.values()) if (flight.id === id) flight.revoked = true;
  }

  /** A revocation may have been missed: every key is looked up again at its next call. */
  doubt(): void {
    for (const found of this.#verified.values()) found.untilMs = 0;
    for (const flight of this.#flights.values()) flight.doubted = true;
  }

  #once(id: string, mac: string, work: (flight: Flight) => Promise<Principal>): Promise<Principal> {
    const found = this.#flights.get(mac);
    if (found !== undefined) return found.result;
    const flight = new Flight(id, mac);
    this.#flights.set(mac, flight);
    flight.result = work(flight).finally(() => this.#flights.delete(mac));
    return flight.result;
  }

  async #verify(flight: Flight, secret: string, call: Shower): Promise<Principal> {
    const giveBack = this.#badKeys.take(call.remoteAddress);
    let isGood = true;
    try {
      const record = await this.#look(flight.id, call);
      isGood = await this.#parts.hasher.verify(secret, record?.hash);
      if (!isGood) throw notValid();
      return this.#keep(flight, record, call);
    } finally {
      // Also where it could not be looked up: that says nothing of the key.
      if (isGood) giveBack();
    }
  }

  /** The secret was verified and cannot have changed: only the record may have. */
  async #renew(flight: Flight, call: Shower): Promise<Principal> {
    return this.#keep(flight, await this.#look(flight.id, call), call);
  }

  #keep(flight: Flight, record: ApiKeyRecord | undefined, call: Shower): Principal {
    const { clock, asker } = this.#parts;
    const expiresAtMs = record?.expiresAt ?? Number.POSITIVE_INFINITY;
    if (record === undefined || flight.revoked || record.revokedAt || expiresAtMs <= clock.now()) {
      this.#verified.delete(flight.id);
      throw notValid();
    }
    const principal = principalOf(record);
    const untilMs = flight.doubted ? 0 : clock.monotonic() + limits.apiKeyVerifiedMs;
    this.#verified.delete(record.id);
    this.#verified.set(record.id, { mac: flight.mac, principal, expiresAtMs, untilMs });
    if (this.#verified.size > limits.apiKeysVerifiedMax)
      this.#verified.delete(this.#verified.keys().next().value!);
    asker.post(this.#ask(useApiKey.name, record.id, call), () => undefined);
    return principal;
  }

  async #look(id: string, call: Shower): Promise<ApiKeyRecord | undefined> {
    const answer = await this.#parts.asker.ask(this.#ask(lookAtApiKey.name, id, call));
    if (!isRefusal(answer)) return answer.response as ApiKeyRecord;
    if (answer.code === "NOT_FOUND") return undefined;
    throw new RefusalError(answer);
  }

  #ask(method: string, id: string, { requestId, deadlineMs: callDeadlineMs }: Shower) {
    // A stream has a day, and other calls with its key wait for this answer too.
    const deadlineMs = Math.min(callDeadlineMs, this.#parts.clock.now() + limits.requestTimeoutMs);
    const caller: Caller = {
      tenant: systemTenantId,
      principalKind: "module",
      subject: "authentication",
      owner: "authentication",
      requestId,
      environmentMode: "any",
      platform: true,
    };
    return { to: apiKeyAddress(id), method, request: {}, caller, deadlineMs };
  }
}

class Flight {
  readonly id: string;
  readonly mac: string;
  revoked = false;
  /** A revocation may have been missed since it began. */
  doubted = false;
  result!: Promise<Principal>;

  constructor(id: string, mac: string) {
    this.id = id;
    this.mac = mac;
  }
}

/** `sy_`, an id, `_`, a secret. */
function hasShape(credential: string): boolean {
  return credential.length === limits.apiKeyLength && credential.startsWith("sy_") && credential[29] === "_";
}

function principalOf(record: ApiKeyRecord): Principal {
  return {
    kind: "api_key",
    subject: `api_key:${record.id}`,
    owner: record.owner,
    tenant: record.tenant,
    roles: record.roles,
    ...(record.scopes.length > 0 && { scopes: record.scopes }),
    environmentMode: record.environmentMode,
    ...(record.expiresAt !== undefined && { expiresAtMs: record.expiresAt }),
  };
}

/** One text for all: it does not tell whether there is such a key. */
function notValid(why: "malformed" | "invalid" = "invalid"): CredentialError {
  return new CredentialError(why, "the API key is not valid");
}
