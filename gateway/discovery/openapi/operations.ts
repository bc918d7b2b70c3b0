import type { ModuleRoute, RouteAnswer, RouteMethod } from "#actors";
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

/** Plain routes of modules, as they describe themselves. */
export function routePaths(routes: readonly ModuleRoute[]): Record<string, Schema> {
  return Object.fromEntries(
    routes.map(({ path, methods }) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([verb, method]) => [verb.toLowerCase(), routeOperation(path, method)]),
      ),
    ]),
  );
}

function routeOperation(path: string, { operationId, summary, about, query = [], ...rest }: RouteMethod) {
  const { body: types, answers } = rest;
  const parameters = [
    ...pathVariables(path).map((name) => parameter(name, "path")),
    ...query.map((name) => parameter(name, "query")),
  ];
  const responses = Object.fromEntries(
    Object.entries(answers).map(([status, { description, type }]) => [
      status,
      type === undefined ? { description } : answer(description, type, schemaOf(type)),
    ]),
  );
  const [resource = "", action = ""] = about.split(":");
  return {
    ...plain(operationId, summary, responses, {
      ...(parameters.length > 0 && { parameters }),
      ...(types !== undefined && { requestBody: body(...types) }),
    }),
    ...governanceFields({ ...governance, resource, action }),
  };
}

function schemaOf(type: NonNullable<RouteAnswer["type"]>): Schema {
  if (type === "application/json") return { type: "object", additionalProperties: true };
  return type === "application/problem+json" ? { $ref: "#/components/schemas/Problem" } : { type: "string" };
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
