import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from "jose";
import type { Outgoing } from "#actors";
import { type Clock, limits, refusalError } from "#base";
import type { Logger } from "#runtime";
import { isSafeUrl } from "../config/index.ts";

interface IssuerParts {
  readonly issuer: string;
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  readonly log: Logger;
}

type LocalKeys = ReturnType<typeof createLocalJWKSet>;

/**
 * An issuer's public keys, found by discovery. They are fetched again after ten minutes, and for a key id that is not among
 * them; but at most once per cool-down, whatever tokens come. While the issuer cannot be reached, the keys are used for an
 * hour more.
 */
export class IssuerKeys {
  readonly #parts: IssuerParts;
  #keys: LocalKeys | undefined;
  #fetchedAtMs = Number.NEGATIVE_INFINITY;
  #triedAtMs = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(parts: IssuerParts) {
    this.#parts = parts;
  }

  async keyOf(
    header: JWSHeaderParameters,
    token: FlattenedJWSInput,
  ): Promise<Awaited<ReturnType<LocalKeys>>> {
    if (this.#ageMs() >= limits.issuerKeysMs) await this.#fetch();
    const keys = this.#known();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#fetch();
      return this.#known()(header, token);
    }
  }

  #known(): LocalKeys {
    if (this.#keys !== undefined && this.#ageMs() < limits.issuerKeysMsMax) return this.#keys;
    const options = { retryAfterMs: limits.issuerCoolDownMs };
    throw refusalError("UNAVAILABLE", "the issuer of bearer tokens cannot be reached", options);
  }

  #ageMs(): number {
    return this.#parts.clock.monotonic() - this.#fetchedAtMs;
  }

  /** Resolves also where nothing could be fetched: what is known then counts. */
  #fetch(): Promise<void> {
    const nowMs = this.#parts.clock.monotonic();
    if (this.#fetching !== undefined) return this.#fetching;
    if (nowMs - this.#triedAtMs < limits.issuerCoolDownMs) return Promise.resolve();
    this.#triedAtMs = nowMs;
    this.#fetching = this.#read()
      .then(
        (keys) => {
          this.#keys = createLocalJWKSet(keys);
          this.#fetchedAtMs = nowMs;
        },
        (error: unknown) => {
          const { issuer, log } = this.#parts;
          log.error({ issuer, err: error }, "the keys of the issuer of bearer tokens cannot be fetched");
        },
      )
      .finally(() => {
        this.#fetching = undefined;
      });
    return this.#fetching;
  }

  async #read(): Promise<JSONWebKeySet> {
    const { issuer } = this.#parts;
    const found = await this.#json(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
    if (found.issuer !== issuer)
      throw new Error(
        `the issuer calls itself ${JSON.stringify(found.issuer)}; api.oidc_issuer must be the same text`,
      );
    if (typeof found.jwks_uri !== "string" || !isSafeUrl(found.jwks_uri))
      throw new Error("the issuer's jwks_uri is not an https address");
    return (await this.#json(found.jwks_uri)) as unknown as JSONWebKeySet;
  }

  /** Redirects are not followed. */
  async #json(url: string): Promise<Record<string, unknown>> {
    const headers = { accept: "application/json" };
    const timeoutMs = limits.issuerTimeoutMs;
    const { status, body } = await this.#parts.outgoing.request({ method: "GET", url, headers, timeoutMs });
    if (status !== 200) throw new Error(`${url} answered with ${status}`);
    return JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>;
  }
}
