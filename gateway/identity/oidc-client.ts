import * as oauth from "oauth4webapi";
import { type OidcAttempt, type OidcSignIn, type OidcTokens, type Outgoing, OutgoingError } from "#actors";
import { type Clock, limits, type RefusalError, refusalError } from "#base";
import type { Logger } from "#runtime";
import { isSafeUrl } from "../config/index.ts";

interface OidcClientParts {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: string;
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  readonly log: Logger;
}

type RefreshOutcome =
  | { readonly type: "tokens"; readonly tokens: OidcTokens }
  /** There is nothing to refresh any more. */
  | { readonly type: "over" }
  /** No answer, or none that says so: it may be tried again. */
  | { readonly type: "failed" };

/** This service as a client of the issuer: authorization code with PKCE, and refresh. */
export class OidcClient implements OidcSignIn {
  readonly #parts: OidcClientParts;
  #server: { readonly found: Promise<oauth.AuthorizationServer>; readonly untilMs: number } | undefined;

  constructor(parts: OidcClientParts) {
    this.#parts = parts;
  }

  async addressOf({ state, nonce, verifier, redirectUri }: OidcAttempt): Promise<string> {
    const { authorization_endpoint: endpoint } = await this.#found();
    if (endpoint === undefined) throw unreachable();
    const url = new URL(endpoint);
    const parameters = {
      response_type: "code",
      client_id: this.#parts.clientId,
      redirect_uri: redirectUri,
      scope: this.#parts.scopes,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  async exchange(
    { state, nonce, verifier, redirectUri }: OidcAttempt,
    answer: URLSearchParams,
  ): Promise<OidcTokens> {
    const server = await this.#found();
    const { client, authentication, options } = this.#call();
    try {
      const parameters = oauth.validateAuthResponse(server, client, answer, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        redirectUri,
        verifier,
        options,
      );
      if (response.status >= 500) throw unreachable();
      const checks = { expectedNonce: nonce, requireIdToken: true };
      return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, response, checks));
    } catch (error) {
      throw this.#told(error);
    }
  }

  async refresh(token: string): Promise<RefreshOutcome> {
    try {
      const server = await this.#found();
      const { client, authentication, options } = this.#call();
      const response = await oauth.refreshTokenGrantRequest(server, client, authentication, token, options);
      const tokens = tokensOf(await oauth.processRefreshTokenResponse(server, client, response));
      // An issuer that does not rotate says nothing of the one it was given.
      return { type: "tokens", tokens: { refreshToken: token, ...tokens } };
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError && error.error === "invalid_grant")
        return { type: "over" };
      this.#parts.log.warn({ issuer: this.#parts.issuer, err: error }, "a sign-in could not be refreshed");
      return { type: "failed" };
    }
  }

  /** Found by discovery; what failed is tried again a second later. */
  #found(): Promise<oauth.AuthorizationServer> {
    const nowMs = this.#parts.clock.monotonic();
    if (this.#server !== undefined && nowMs < this.#server.untilMs) return this.#server.found;
    const found = this.#discover();
    const server = { found, untilMs: nowMs + limits.issuerKeysMs };
    this.#server = server;
    found.catch(() => {
      if (this.#server === server) this.#server = { found, untilMs: nowMs + limits.retryAfterMs };
    });
    return found;
  }

  async #discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.#parts.issuer);
    try {
      const response = await oauth.discoveryRequest(issuer, this.#call().options);
      const server = await oauth.processDiscoveryResponse(issuer, response);
      for (const endpoint of [server.authorization_endpoint, server.token_endpoint])
        if (endpoint === undefined || !isSafeUrl(endpoint)) throw new Error(`${endpoint} is not https`);
      return server;
    } catch (error) {
      this.#parts.log.error(
        { issuer: issuer.href, err: error },
        "the issuer cannot be discovered for sign-ins",
      );
      throw unreachable();
    }
  }

  #call() {
    const { clientId, clientSecret, issuer } = this.#parts;
    const authentication = clientSecret === "" ? oauth.None() : oauth.ClientSecretBasic(clientSecret);
    const options = {
      [oauth.customFetch]: (url: string, asked: Asked) => this.#fetch(url, asked),
      // Only to this very machine: `isSafeUrl`.
      [oauth.allowInsecureRequests]: issuer.startsWith("http:"),
    };
    return { client: { client_id: clientId }, authentication, options };
  }

  async #fetch(url: string, { method, headers, body }: Asked): Promise<Response> {
    const answer = await this.#parts.outgoing.request({
      method,
      url,
      headers,
      timeoutMs: limits.issuerTimeoutMs,
      ...(body !== undefined && body !== null && { body: String(body) }),
    });
    const { status } = answer;
    return new Response(status === 204 ? null : Buffer.from(answer.body), {
      status,
      headers: answer.headers,
    });
  }

  /** The person is told what kind of refusal it was; the log has its words. */
  #told(error: unknown): unknown {
    const { issuer, log } = this.#parts;
    if (error instanceof OutgoingError) {
      log.error({ issuer, err: error }, "the issuer cannot be reached for a sign-in");
      return unreachable();
    }
    const isSaid =
      error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError;
    if (!isSaid && !(error instanceof oauth.OperationProcessingError)) return error;
    log.warn({ issuer, err: error }, "a sign-in was refused");
    const detail = isSaid
      ? "the issuer refused the sign-in"
      : "what came back is not the answer of the issuer";
    return refusalError("UNAUTHENTICATED", detail, { reason: isSaid ? "ISSUER_REFUSED" : "ISSUER_ANSWER" });
  }
}

interface Asked {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

function tokensOf({ access_token, refresh_token }: oauth.TokenEndpointResponse): OidcTokens {
  return { accessToken: access_token, ...(refresh_token !== undefined && { refreshToken: refresh_token }) };
}

function unreachable(): RefusalError {
  return refusalError("UNAVAILABLE", "the issuer cannot be reached", {
    retryAfterMs: limits.issuerTimeoutMs,
  });
}
