import * as oauth from "oauth4webapi";
import { type Outgoing, OutgoingError } from "../../outgoing.ts";
import { render, rendering } from "../catalogue/template.ts";
import type { AuthFile } from "../catalogue/types.ts";
import type { Credential } from "./request.ts";

/** An OAuth client as a provider config and the catalogue describe it. */
export interface OAuthClient {
  readonly auth: AuthFile;
  readonly config: unknown;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Tokens {
  readonly credential: Credential;
  /** Absent: the provider did not say. */
  readonly expiresInMs?: number;
  readonly scopes: readonly string[];
}

export type TokenOutcome =
  | { readonly type: "tokens"; readonly tokens: Tokens }
  /** The provider's error code. */
  | { readonly type: "refused"; readonly error: string }
  /** Not sent, or 5xx: it may be tried again. */
  | { readonly type: "unavailable"; readonly message: string }
  /** Sent, and no whole answer came. */
  | { readonly type: "unknown"; readonly message: string };

export function serverOf({ auth, config }: OAuthClient): oauth.AuthorizationServer {
  const at = rendering("request", { config, input: {}, now: 0 });
  const text = (template: string | undefined) => template && String(render(template, at));
  const token_endpoint = text(auth.token_url) ?? "";
  const authorization_endpoint = text(auth.authorization_url);
  const revocation_endpoint = text(auth.revocation_url);
  return {
    issuer: text(auth.issuer) ?? new URL(token_endpoint).origin,
    token_endpoint,
    ...(authorization_endpoint !== undefined && { authorization_endpoint }),
    ...(revocation_endpoint !== undefined && { revocation_endpoint }),
  };
}

/** The state was consumed already; what is left to check is who answered. Throws where that is another issuer. */
export function callbackParameters(client: OAuthClient, parameters: URLSearchParams): URLSearchParams {
  return oauth.validateAuthResponse(serverOf(client), clientOf(client), parameters, oauth.skipStateCheck);
}

export function exchangeCode(
  outgoing: Outgoing,
  client: OAuthClient,
  asked: {
    readonly code: string;
    readonly verifier: string;
    readonly redirectUri: string;
    readonly scopes: readonly string[];
  },
): Promise<TokenOutcome> {
  const { server, registered, authentication, options } = callOf(outgoing, client);
  const given = new URLSearchParams({ code: asked.code, iss: server.issuer });
  const parameters = callbackParameters(client, given);
  const verifier = client.auth.pkce === "none" ? oauth.nopkce : asked.verifier;
  const { redirectUri } = asked;
  return tokensOf(
    client,
    asked.scopes,
    oauth.authorizationCodeGrantRequest(
      server,
      registered,
      authentication,
      parameters,
      redirectUri,
      verifier,
      options,
    ),
    (response) => oauth.processAuthorizationCodeResponse(server, registered, response),
  );
}

export function refreshTokens(
  outgoing: Outgoing,
  client: OAuthClient,
  token: string,
  scopes: readonly string[],
): Promise<TokenOutcome> {
  const { server, registered, authentication, options } = callOf(outgoing, client);
  return tokensOf(
    client,
    scopes,
    oauth.refreshTokenGrantRequest(server, registered, authentication, token, options),
    (response) => oauth.processRefreshTokenResponse(server, registered, response),
  );
}

export function clientTokens(
  outgoing: Outgoing,
  client: OAuthClient,
  scopes: readonly string[],
): Promise<TokenOutcome> {
  const { server, registered, authentication, options } = callOf(outgoing, client);
  const { scope_separator: separator = " ", params = {} } = client.auth;
  const parameters = new URLSearchParams(params);
  if (scopes.length > 0) parameters.set("scope", scopes.join(separator));
  return tokensOf(
    client,
    scopes,
    oauth.clientCredentialsGrantRequest(server, registered, authentication, parameters, options),
    (response) => oauth.processClientCredentialsResponse(server, registered, response),
  );
}

/** Whether the provider has revoked the token, or never will. */
export async function revokeToken(outgoing: Outgoing, client: OAuthClient, token: string): Promise<boolean> {
  const { server, registered, authentication, options } = callOf(outgoing, client);
  if (server.revocation_endpoint === undefined) return true;
  try {
    const response = await oauth.revocationRequest(server, registered, authentication, token, options);
    return response.status < 500 && response.status !== 429;
  } catch (error) {
    if (error instanceof OutgoingError) return error.stage === "denied";
    throw error;
  }
}

/** What every request to the provider's server needs. */
function callOf(outgoing: Outgoing, client: OAuthClient) {
  const server = serverOf(client);
  return {
    server,
    registered: clientOf(client),
    authentication: authenticationOf(client),
    options: optionsOf(outgoing, server),
  };
}

function clientOf({ clientId }: OAuthClient): oauth.Client {
  return { client_id: clientId };
}

function authenticationOf({ auth, clientSecret }: OAuthClient): oauth.ClientAuth {
  const method = auth.client_auth ?? (clientSecret === "" ? "none" : "basic");
  if (method === "none") return oauth.None();
  return method === "post" ? oauth.ClientSecretPost(clientSecret) : oauth.ClientSecretBasic(clientSecret);
}

/** Every call goes through the egress guard. */
function optionsOf(outgoing: Outgoing, { token_endpoint: endpoint = "" }: oauth.AuthorizationServer) {
  return {
    [oauth.customFetch]: async (url: string, { method, headers, body }: FetchOptions) => {
      const answer = await outgoing.request({
        method,
        url,
        headers,
        ...(body !== undefined && body !== null && { body: String(body) }),
      });
      const bodiless = answer.status === 204 || answer.status === 304;
      return new Response(bodiless ? null : Buffer.from(answer.body), {
        status: answer.status,
        headers: answer.headers,
      });
    },
    // A catalogue that names http means it; the egress guard decides where calls may go.
    [oauth.allowInsecureRequests]: endpoint.startsWith("http:"),
  };
}

interface FetchOptions {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

async function tokensOf(
  client: OAuthClient,
  asked: readonly string[],
  sent: Promise<Response>,
  process: (response: Response) => Promise<oauth.TokenEndpointResponse>,
): Promise<TokenOutcome> {
  let response: Response;
  try {
    response = await sent;
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return { type: error.sent ? "unknown" : "unavailable", message: error.message };
  }
  if (response.status >= 500 || response.status === 429)
    return { type: "unavailable", message: `the token endpoint answered ${response.status}` };
  try {
    const body = client.auth.token
      ? byPointers(client.auth.token, (await response.json()) as Record<string, unknown>)
      : ((await process(response)) as unknown as Record<string, unknown>);
    return { type: "tokens", tokens: read(client, asked, body) };
  } catch (error) {
    const code = errorCodeOf(error);
    // It may have given tokens out and used the code or the refresh token up.
    if (response.status < 400 && code === unreadable)
      return { type: "unknown", message: "the answer of the token endpoint cannot be read" };
    return { type: "refused", error: code };
  }
}

function read({ auth }: OAuthClient, asked: readonly string[], body: Record<string, unknown>): Tokens {
  const { access_token, refresh_token, expires_in, scope } = body;
  if (typeof access_token !== "string" || access_token === "")
    throw typeof body.error === "string" ? new TokenRefusal(body.error) : new Error("no access_token");
  const expires = Number(expires_in);
  const separator = auth.scope_separator ?? " ";
  return {
    credential: { access_token, ...(typeof refresh_token === "string" && { refresh_token }) },
    ...(Number.isFinite(expires) && expires_in !== undefined && { expiresInMs: expires * 1_000 }),
    // Without a word of scopes, those that were asked for are granted (RFC 6749 5.1).
    scopes: typeof scope === "string" ? scope.split(separator).filter((one) => one !== "") : asked,
  };
}

function byPointers(
  pointers: NonNullable<AuthFile["token"]>,
  body: Record<string, unknown>,
): Record<string, unknown> {
  const at = (pointer: string) =>
    pointer
      .split("/")
      .slice(1)
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], body);
  const found = Object.entries(pointers).map(([name, pointer]) => [name, at(pointer)]);
  return { ...body, ...Object.fromEntries(found.filter(([, value]) => value !== undefined)) };
}

/** The provider's own word, or what kind of answer it was; never its text. */
function errorCodeOf(error: unknown): string {
  if (error instanceof oauth.ResponseBodyError) return error.error;
  if (error instanceof TokenRefusal) return error.code;
  if (error instanceof oauth.WWWAuthenticateChallengeError) return "invalid_client";
  return unreadable;
}

const unreadable = "invalid_response";

/** Some providers say no with status 200. */
class TokenRefusal extends Error {
  override readonly name = "TokenRefusal";
  readonly code: string;

  constructor(code: string) {
    super("the provider refused");
    this.code = /^[a-z_]{1,64}$/.test(code) ? code : "refused";
  }
}
