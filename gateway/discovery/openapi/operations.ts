import type { Governance } from "../../contract/method.ts";
import type { Schema } from "../../contract/rules.ts";
import { operationsPaths } from "../../ops/index.ts";
import { documentPaths } from "../paths.ts";
import { governanceFields } from "./governance.ts";
import { pathVariables } from "./parameters.ts";

export const operationsTag: Schema = {
  name: "Operations",
  description:
    "Pages for probes, Prometheus and readers. They need no credentials and are no methods of the contract.",
};

/** The pages beside the contract, one path for each alias. */
export function operationalPaths(): Record<string, Schema> {
  return Object.fromEntries(
    pages.flatMap(({ name, paths, summary, responses }) =>
      paths.map((path, index) => [
        path,
        {
          get: {
            operationId: `Operations_${name}${index === 0 ? "" : `_${index + 1}`}`,
            tags: [operationsTag.name],
            summary,
            description: index === 0 ? summary : `${summary} The same as \`${paths[0]}\`.`,
            parameters: pathVariables(path).map((name) => parameter(name, "path")),
            responses: { ...responses, ...refused },
            security: [],
            ...governanceFields(governance),
          },
        },
      ]),
    ),
  );
}

/** Plain routes of modules: the token in the path is the credential, or the page asks for one. */
export function connectPaths(): Record<string, Schema> {
  const token = parameter("token", "path");
  const page = answer("A page.", "text/html", { type: "string" });
  const onward = { description: "To the provider, or back to the caller's page." };
  const pages: Schema = {
    200: page,
    302: onward,
    404: { ...page, description: "No such session." },
    410: { ...page, description: "The session is over." },
  };
  const said = (description: string) => answer(description, "text/plain", { type: "string" });
  return {
    "/connect/callback": {
      get: plain("Connect_callback", "Where a provider sends the browser back to.", pages, {
        parameters: ["code", "state", "iss", "error"].map((name) => parameter(name, "query")),
      }),
    },
    "/workspaces/{tenant}/health": {
      get: plain(
        "Workspace_health",
        "The page that shows operational health reports.",
        { 200: page },
        {
          parameters: [parameter("tenant", "path")],
        },
      ),
    },
    "/connect/{token}": {
      get: plain("Connect_page", "The page of a connect session.", pages, { parameters: [token] }),
      post: plain("Connect_submit", "Submits the fields that the page asks for.", pages, {
        parameters: [token],
        requestBody: body("application/x-www-form-urlencoded"),
      }),
    },
    "/connect/hooks/{token}": {
      post: plain(
        "Connect_hook",
        "Where a provider posts the events of a trigger subscription, signed.",
        {
          200: said("Taken, or passed over by the filter; to a challenge of the provider, its answer."),
          401: said("The signature is not the provider's."),
          404: said("No such subscription."),
          413: said("The event is too long."),
          429: said("Too many events are waiting."),
          503: said("Not now."),
        },
        { parameters: [token], requestBody: body("application/json", "application/x-www-form-urlencoded") },
      ),
    },
    ...linkPaths(token, said),
  };
}

/** Where the links of mails lead. */
function linkPaths(token: Schema, said: (description: string) => Schema): Record<string, Schema> {
  const shown = { 200: said("What a POST does; nothing is changed.") };
  const over = { 404: said("No such link."), 429: said("Too many at once."), 503: said("Not now.") };
  const parameters = [token];
  const link = (...given: Parameters<typeof plain>) => ({
    ...plain(...given),
    ...governanceFields({ ...governance, resource: "notification", action: "write" }),
  });
  return {
    "/notifications/confirm/{token}": {
      get: link("Links_confirmation", "Says what a POST to the link does.", shown, { parameters }),
      post: link(
        "Links_confirm",
        "Confirms that an address belongs to whom it was sent to. Once, within 7 days.",
        { 200: said("Confirmed."), 410: said("Used, replaced, or over."), ...over },
        { parameters },
      ),
    },
    "/notifications/unsubscribe/{token}": {
      get: link("Links_unsubscription", "Says what a POST to the link does.", shown, { parameters }),
      post: link(
        "Links_unsubscribe",
        "Unsubscribes from the mails of a workflow with one click (RFC 8058).",
        { 200: said("Unsubscribed, also where it was before."), 409: said("Too many preferences."), ...over },
        { parameters },
      ),
    },
  };
}

/** A request to upgrade is no operation of REST; a generator passes it over. */
export function socketPaths(): Record<string, Schema> {
  const summary = "Opens a WebSocket for one call of a streaming method.";
  const responses = { 101: { description: "Frames follow." }, 404: { $ref: "#/components/responses/404" } };
  const parameters = ["service", "method"].map((name) => parameter(name, "path"));
  const get = plain("Sockets_open", summary, responses, { parameters });
  return { "/api/streams/{service}/{method}": { get } };
}

function plain(operationId: string, summary: string, responses: Schema, more: Schema): Schema {
  return {
    operationId,
    tags: [operationsTag.name],
    summary,
    description: summary,
    ...more,
    responses: { ...refused, ...responses },
    security: [],
    ...governanceFields({ ...governance, resource: "connect_session", action: "write" }),
  };
}

function parameter(name: string, place: "path" | "query"): Schema {
  return { name, in: place, required: place === "path", schema: { type: "string" } };
}

function body(...types: readonly string[]): Schema {
  return { required: true, content: contentOf(types, { type: "object", additionalProperties: true }) };
}

const governance: Governance = {
  lifecycle: "operational",
  audience: "public",
  authenticationRequired: false,
  authorizationRequired: false,
  resource: "operations",
  action: "read",
  scopes: [],
  roles: [],
  internalOnly: false,
};

/** A Host that is not listed, another verb than GET. */
const refused: Schema = {
  400: { $ref: "#/components/responses/400" },
  default: { $ref: "#/components/responses/Problem" },
};

const component: Schema = {
  type: "object",
  properties: {
    status: { type: "string", enum: ["healthy", "degraded", "unhealthy"] },
    detail: { type: "string" },
  },
  required: ["status", "detail"],
};

const readiness: Schema = {
  type: "object",
  properties: {
    ready: { type: "boolean" },
    status: { type: "string", enum: ["ready", "degraded", "not_ready"] },
    components: {
      type: "object",
      properties: { database: component, cache: component, queue: component },
      required: ["database", "cache", "queue"],
    },
  },
  required: ["ready", "status", "components"],
};

const health: Schema = {
  type: "object",
  properties: { status: { type: "string", const: "ok" } },
  required: ["status"],
};

interface OperationalPage {
  readonly name: string;
  readonly paths: readonly string[];
  readonly summary: string;
  readonly responses: Schema;
}

const missing: Schema = { 404: { $ref: "#/components/responses/404" } };
const html: Schema = { 200: answer("The page.", "text/html", { type: "string" }) };

const pages: readonly OperationalPage[] = [
  {
    name: "Health",
    paths: operationsPaths.health,
    summary: "Says that the process answers, and nothing about what it depends on.",
    responses: { 200: answer("Alive.", "application/json", health) },
  },
  {
    name: "Ready",
    paths: operationsPaths.ready,
    summary:
      "Says whether the process can serve: its start is done, and storage, cache and queue answer within a second.",
    responses: {
      200: answer("Ready, perhaps with a degraded component.", "application/json", readiness),
      503: answer("Not ready.", "application/json", readiness),
    },
  },
  {
    name: "Metrics",
    paths: operationsPaths.metrics,
    summary: "Metrics of all threads in the text format of Prometheus.",
    responses: { 200: answer("The metrics.", "text/plain", { type: "string" }) },
  },
  {
    name: "OpenApi",
    paths: documentPaths.openapi,
    summary: "This document.",
    responses: { 200: answer("The document.", "application/yaml", { type: "string" }) },
  },
  { name: "Docs", paths: documentPaths.docs, summary: "The interactive reference.", responses: html },
  {
    name: "DocsAsset",
    paths: documentPaths.assets,
    summary: "A script or style of the interactive reference.",
    responses: {
      200: {
        description: "The file.",
        content: contentOf(["text/javascript", "text/css"], { type: "string" }),
      },
      ...missing,
    },
  },
  {
    name: "Errors",
    paths: documentPaths.errors,
    summary: "Every error code, what it means and what to do.",
    responses: html,
  },
  {
    name: "Error",
    paths: documentPaths.error,
    summary: "What one error code means and what to do.",
    responses: { ...html, ...missing },
  },
  {
    name: "Runbooks",
    paths: documentPaths.runbooks,
    summary: "Every reason of a health report.",
    responses: html,
  },
  {
    name: "Runbook",
    paths: documentPaths.runbook,
    summary: "What one reason of a health report means and what to do.",
    responses: { ...html, ...missing },
  },
];

function answer(description: string, type: string, schema: Schema): Schema {
  return { description, content: contentOf([type], schema) };
}

function contentOf(types: readonly string[], schema: Schema): Schema {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}
