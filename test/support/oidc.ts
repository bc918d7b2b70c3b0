import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { ExecutionContext } from "ava";
import Provider from "oidc-provider";

export async function listen(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers for the token endpoint in place of the provider; `false`: the provider answers. */
export type TokenFault = (body: string, response: ServerResponse) => Promise<boolean>;

export interface OidcSide {
  readonly issuer: string;
  /** The API that accepts the tokens. */
  readonly api: string;
  /** The provider itself, without the injected faults. */
  readonly behind: string;
  /** Requests to the token endpoint, by grant type. */
  readonly granted: string[];
  /** Bearer tokens that the API has seen. */
  readonly bearers: string[];
  /** Every refresh token and code that was issued. */
  readonly secrets: Set<string>;
  /** The decision of the person at the provider. */
  consent: "yes" | "no";
  firstTtlSeconds: number;
  /** True: the API refuses every token. */
  unauthorized: boolean;
  token: TokenFault | undefined;
}

export const clientSecret = "a client secret of the provider";

/** A real provider with rotation and reuse detection, and an API behind it. */
export async function startOidc(t: ExecutionContext, callback: string): Promise<OidcSide> {
  let provider: Provider | undefined;
  const handle: RequestListener = async (request, response) => {
    if (request.url?.startsWith("/interaction/")) {
      const result = made.consent === "yes" ? await consented(provider!) : { error: "access_denied" };
      await provider!.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
      return;
    }
    provider!.callback()(request, response);
  };
  const made: OidcSide = {
    issuer: await listen(t, async (request, response) => {
      if (request.url === "/token") {
        const body = (await buffer(request)).toString();
        made.granted.push(new URLSearchParams(body).get("grant_type") ?? "");
        if (made.token && (await made.token(body, response))) return;
        (request as IncomingMessage & { body: string }).body = body;
      }
      await handle(request, response);
    }),
    behind: await listen(t, handle),
    api: await listen(t, (request, response) => {
      made.bearers.push(request.headers.authorization ?? "");
      response.writeHead(made.unauthorized ? 401 : 200, { "content-type": "application/json" }).end("{}");
    }),
    granted: [],
    bearers: [],
    secrets: new Set(),
    consent: "yes",
    firstTtlSeconds: 3_600,
    unauthorized: false,
    token: undefined,
  };
  provider = new Provider(made.issuer, {
    clients: [
      {
        client_id: "app",
        client_secret: clientSecret,
        redirect_uris: [callback],
        grant_types: ["authorization_code", "refresh_token"],
      },
      {
        client_id: "robot",
        client_secret: clientSecret,
        grant_types: ["client_credentials"],
        response_types: [],
        redirect_uris: [],
      },
    ],
    scopes: ["openid", "read", "write"],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
    },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId }),
    }),
    ttl: {
      AccessToken: () => (made.granted.includes("refresh_token") ? 3_600 : made.firstTtlSeconds),
      ClientCredentials: () => 3_600,
      RefreshToken: () => 86_400,
      Grant: () => 86_400,
      Session: () => 86_400,
      Interaction: () => 600,
      IdToken: () => 600,
      AuthorizationCode: () => 60,
    },
  });
  for (const kind of ["access_token", "refresh_token", "authorization_code"])
    provider.on(`${kind}.saved`, ({ jti }: { jti: string }) => made.secrets.add(jti));
  return made;
}

/** Alice logs in and allows the client to read. */
async function consented(provider: Provider): Promise<object> {
  const grant = new provider.Grant({ clientId: "app", accountId: "alice" });
  grant.addOIDCScope("openid read");
  return { login: { accountId: "alice" }, consent: { grantId: await grant.save() } };
}

/** A folder with the file of this provider. */
export function oauthCatalogue(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), "switchyard.catalogue-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "oidc.yaml"), providerFile);
  return folder;
}

const providerFile = `
schema: 1
key: oidc
version: "1"
name: A real provider
base_url: \${config.api}
config: {type: object, required: [issuer, api], properties: {issuer: {type: string}, api: {type: string}}}
auth:
  code:
    type: oauth2_code
    authorization_url: \${config.issuer}/auth
    token_url: \${config.issuer}/token
    revocation_url: \${config.issuer}/token/revocation
    issuer: \${config.issuer}
  client: {type: oauth2_client, token_url: "\${config.issuer}/token", issuer: "\${config.issuer}"}
limits: {rps: 10000, burst: 10000, concurrency: 64}
actions:
  - {key: read, title: Read, mutation: none, scopes: {any_of: [[read]]}, input: {type: object}, request: {path: /}}
  - {key: write, title: Write, mutation: none, scopes: {any_of: [[write]]}, input: {type: object}, request: {path: /}}
`;
