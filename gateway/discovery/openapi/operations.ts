import type { Governance } from "../../contract/method.ts";
import type { Schema } from "../../contract/rules.ts";
import { operationsPaths } from "../../ops/index.ts";
import { documentPaths } from "../paths.ts";
import { governanceFields } from "./governance.ts";

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
            parameters: [],
            responses: { ...responses, ...refused },
            security: [],
            ...governanceFields(governance),
          },
        },
      ]),
    ),
  );
}

/** Plain routes for browsers: their token is the credential. */
export function connectPaths(): Record<string, Schema> {
  const token = { name: "token", in: "path", required: true, schema: { type: "string" } };
  const page = {
    200: { description: "A page." },
    302: { description: "To the provider, or back to the caller's page." },
  };
  const gone = { 404: { description: "No such session." }, 410: { description: "The session is over." } };
  const operation = (operationId: string, summary: string, parameters: readonly Schema[]): Schema => ({
    operationId,
    tags: [operationsTag.name],
    summary,
    description: summary,
    parameters,
    responses: { ...page, ...gone, ...refused },
    security: [],
    ...governanceFields({ ...governance, resource: "connect_session", action: "write" }),
  });
  const query = (name: string): Schema => ({
    name,
    in: "query",
    required: false,
    schema: { type: "string" },
  });
  return {
    "/connect/callback": {
      get: operation(
        "Connect_callback",
        "Where a provider sends the browser back to.",
        ["code", "state", "iss", "error"].map(query),
      ),
    },
    "/connect/{token}": {
      get: operation("Connect_page", "The page of a connect session.", [token]),
      post: {
        ...operation("Connect_submit", "Submits the fields that the page asks for.", [token]),
        requestBody: {
          required: true,
          content: { "application/x-www-form-urlencoded": { schema: { type: "object" } } },
        },
      },
    },
  };
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
  {
    name: "Docs",
    paths: documentPaths.docs,
    summary: "The interactive reference.",
    responses: { 200: answer("The page.", "text/html", { type: "string" }) },
  },
];

function answer(description: string, type: string, schema: Schema): Schema {
  return { description, content: { [type]: { schema } } };
}
