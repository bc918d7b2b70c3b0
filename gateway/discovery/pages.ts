import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Module } from "#actors";
import { errorCodes, keysOf, once } from "#base";
import { packageRoot } from "#protos";
import type { Plane } from "../calls/call.ts";
import { type Config, splitAddress } from "../config/index.ts";
import type { Contract } from "../contract/index.ts";
import { sendsGzip } from "../http/accept-encoding.ts";
import type { HttpRequest, HttpResponse, Page } from "../http/server.ts";
import { docsPage, docsScript, docsStyle, rapidocName } from "./docs-page.ts";
import { errorIndexPage, errorPage } from "./error-pages.ts";
import { documentPaths } from "./paths.ts";
import { runbookCodes, runbookIndexPage, runbookPage } from "./runbook-pages.ts";

export interface PageParts {
  readonly contract: Contract;
  readonly config: Config;
  readonly plane: Plane;
  readonly apiVersion: string;
  readonly modules?: readonly Module[];
}

/** The documents anybody may read, by path: the OpenAPI document, its reference page, the meaning of every error, runbooks. */
export function discoveryPages(parts: PageParts): ReadonlyMap<string, Page> {
  const pages = new Map<string, Page>();
  const yaml = once(async () => {
    const { openApiYaml } = await import("./openapi/document.ts");
    const routes = (parts.modules ?? []).flatMap((module) => module.routes ?? []);
    return openApiYaml(parts.contract, { ...parts, routes, servers: serversOf(parts.config) });
  });
  for (const path of documentPaths.openapi)
    pages.set(path, async () => page("application/yaml; charset=utf-8", await yaml(), "no-cache"));
  for (const path of documentPaths.docs) pages.set(path, () => html(docsPage));
  pages.set("/docs/assets/reference.js", () => page(script, docsScript, "no-cache"));
  pages.set("/docs/assets/reference.css", () => page("text/css; charset=utf-8", docsStyle, "no-cache"));
  pages.set(`/docs/assets/${rapidocName}`, rapidoc);
  for (const path of documentPaths.errors) pages.set(path, () => html(errorIndexPage()));
  for (const code of keysOf(errorCodes)) {
    pages.set(`/docs/errors/${code}`, () => html(errorPage(code)));
  }
  for (const path of documentPaths.runbooks) pages.set(path, () => html(runbookIndexPage()));
  for (const code of runbookCodes) pages.set(`/docs/runbooks/${code}`, () => html(runbookPage(code)));
  return pages;
}

const script = "text/javascript; charset=utf-8";

function serversOf(config: Config): { production: string; staging: string; local: string } {
  const { port } = splitAddress(config["server.http_addr"]);
  return {
    production: config["docs.production_url"],
    staging: config["docs.staging_url"],
    local: `http://127.0.0.1:${port === 0 ? 8080 : port}`,
  };
}

/** Scripts and styles come from this server only; the reference's components write style attributes. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

function html(body: string): HttpResponse {
  return page("text/html; charset=utf-8", body, "no-cache");
}

function page(type: string, body: string | Uint8Array, caching: string): HttpResponse {
  return {
    status: 200,
    headers: [
      ["content-type", type],
      ["cache-control", caching],
      ["content-security-policy", contentSecurityPolicy],
      ["x-content-type-options", "nosniff"],
      ["referrer-policy", "no-referrer"],
    ],
    body,
  };
}

const rapidocPacked = once(() => readFileSync(join(packageRoot(), `gateway/discovery/ui/${rapidocName}.gz`)));

/** Kept once unpacked: anybody may ask, and every time anew it would hold up the thread. */
const rapidocPlain = once(() => gunzipSync(rapidocPacked()));

function rapidoc(request: HttpRequest): HttpResponse {
  const acceptsGzip = sendsGzip(request.headers.get("accept-encoding"), true);
  const body = acceptsGzip ? rapidocPacked() : rapidocPlain();
  const answer = page(script, body, "public, max-age=31536000, immutable");
  const coding: HttpResponse["headers"] = acceptsGzip ? [["content-encoding", "gzip"]] : [];
  return { ...answer, headers: [...answer.headers, ["vary", "accept-encoding"], ...coding] };
}
