import type { Config } from "../config/index.ts";
import type { HttpRequest, HttpResponse, Page } from "../http/server.ts";

/** RFC 9728: which issuer the tokens of this resource come from. */
export function resourceMetadata(config: Config): {
  readonly pages: ReadonlyMap<string, Page>;
  readonly urlOf: (request: HttpRequest) => string;
} {
  const path = `/.well-known/oauth-protected-resource${config["mcp.path"]}`;
  const issuer = config["api.oidc_issuer"];
  const page = (request: HttpRequest): HttpResponse => ({
    status: 200,
    headers: [
      ["content-type", "application/json"],
      ["cache-control", "no-cache"],
    ],
    body: JSON.stringify({
      resource: `${originOf(request)}${config["mcp.path"]}`,
      ...(issuer !== "" && { authorization_servers: [issuer] }),
      bearer_methods_supported: ["header"],
    }),
  });
  return { pages: new Map([[path, page]]), urlOf: (request) => `${originOf(request)}${path}` };

  /** As the caller knows us; a proxy that ends TLS is known by the setting only. */
  function originOf({ headers }: HttpRequest): string {
    return config["server.public_url"].replace(/\/$/, "") || `http://${headers.get("host") ?? ""}`;
  }
}
