import type { ModuleRoute } from "#actors";
import { exampleOf, snippetsOf } from "#protos/snippets";
import type { Method, Surface } from "#protos/surface";
import type { Plane } from "../../calls/call.ts";
import type { Contract } from "../../contract/index.ts";
import type { ContractMethod, Governance, RestBinding } from "../../contract/method.ts";
import type { Schema } from "../../contract/rules.ts";
import { commentOf, firstSentence } from "../comments.ts";
import { surfaceOf } from "../surface.ts";
import { withOwnEnumNames } from "./enum-names.ts";
import { governanceFields } from "./governance.ts";
import { operationalPaths, operationsTag, routePaths, socketPaths } from "./operations.ts";
import { isUpload, parametersOf, pathVariables, sharedParameters } from "./parameters.ts";
import { bytes, problemResponses, responsesOf, sharedHeaders, sharedSchemas } from "./responses.ts";
import { SchemaCollection } from "./schemas.ts";
import { yamlOf } from "./yaml.ts";

export interface OpenApiOptions {
  readonly plane: Plane;
  readonly apiVersion: string;
  readonly servers: { readonly production: string; readonly staging: string; readonly local: string };
  /** Plain routes, which only the external plane has. */
  readonly routes?: readonly ModuleRoute[];
}

/** The OpenAPI 3.1 document of one plane, as YAML. */
export function openApiYaml(contract: Contract, options: OpenApiOptions): string {
  return yamlOf(openApiDocument(contract, options));
}

/** One operation per REST binding and per page of operators; the external plane does not know of internal-only methods. */
export function openApiDocument(
  contract: Contract,
  { plane, apiVersion, servers, routes = [] }: OpenApiOptions,
): Schema {
  const methods = contract.methods.filter(
    (method) => plane === "internal" || !method.governance.internalOnly,
  );
  const bound = methods.filter((method) => method.rest.length > 0);
  const schemas = new SchemaCollection(
    contract.registry,
    bound.map((method) => method.descriptor.input),
  );
  const paths: Record<string, Record<string, Schema>> = {};
  const surface = surfaceOf(contract);
  const named = new Map(surface.methods.map((method) => [method.id, method]));
  for (const method of bound) {
    for (const [index, binding] of method.rest.entries()) {
      const path = binding.template.replaceAll(/=[^}]*\}/g, "}");
      paths[path] ??= {};
      paths[path][binding.verb.toLowerCase()] = {
        ...operationOf(method, binding, index, schemas),
        ...(index === 0 && samplesOf(surface, named.get(method.name)!)),
      };
    }
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Switchyard",
      version: apiVersion,
      summary: "Routes work items to recipients in pools.",
      description: introduction,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      "x-contract-sha256": contract.sha256,
    },
    servers: [
      { url: servers.production, description: "Production" },
      {
        url: servers.staging,
        description: servers.staging === "/" ? "Staging (none is set: this server)" : "Staging",
      },
      { url: servers.local, description: "Local development" },
    ],
    tags: [...tagsOf(bound), operationsTag],
    paths: {
      ...paths,
      ...socketPaths(),
      ...operationalPaths(),
      ...(plane === "external" && routePaths(routes)),
    },
    components: {
      schemas: withOwnEnumNames({ ...schemas.schemas, ...sharedSchemas }),
      parameters: sharedParameters,
      headers: sharedHeaders,
      responses: problemResponses(),
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "An access token." },
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "A key made by an admin." },
      },
    },
  };
}

const introduction = [
  "Every method is also served as Connect, gRPC-Web and gRPC under `/service.api.<Service>/<Method>`.",
  "Answers stand in `data` beside `metadata`; errors are RFC 9457 problems with a stable `errorCode`.",
].join("\n");

function tagsOf(methods: readonly ContractMethod[]): Schema[] {
  const services = new Set(methods.map((method) => method.descriptor.parent));
  return [...services].map((service) => ({ name: tagOf(service.name), description: commentOf(service) }));
}

/** `PoolService` → `Pool` */
function tagOf(serviceName: string): string {
  return serviceName.replace(/Service$/, "").replace(/(?<=[a-z])(?=[A-Z])/g, " ");
}

function operationOf(
  method: ContractMethod,
  binding: RestBinding,
  index: number,
  schemas: SchemaCollection,
): Schema {
  const comment = commentOf(method.descriptor);
  const { governance } = method;
  return {
    operationId: method.name.replace(".", "_") + (index === 0 ? "" : `_${index + 1}`),
    tags: [tagOf(method.descriptor.parent.name)],
    summary: firstSentence(comment),
    description: `${comment}\n\n${permissionText(governance)}`,
    ...(method.deprecated === undefined ? {} : { deprecated: true }),
    parameters: parametersOf(method, binding, schemas),
    ...requestBody(method, binding, schemas),
    responses: responsesOf(method, binding, schemas),
    security: governance.authenticationRequired ? [{ bearer: [] }, { apiKey: [] }] : [],
    ...governanceFields(governance),
  };
}

/** How it is called, for the page to show beside the operation. */
function samplesOf(surface: Surface, method: Method): Schema {
  const { request, headers } = exampleOf(surface, method);
  const samples = snippetsOf(surface, method, request, { headers });
  return samples.length === 0 ? {} : { "x-codeSamples": samples };
}

/** What readers of the page want to know of the governance. */
function permissionText({ authorizationRequired, resource, action, scopes, roles }: Governance): string {
  if (!authorizationRequired) return "Needs no permission.";
  const permissions = [...new Set([`${resource}:${action}`, ...scopes])].map((scope) => `\`${scope}\``);
  const role = roles.length === 0 ? "" : `, role ${roles.map((name) => `\`${name}\``).join(" or ")}`;
  return `Permission: ${permissions.join(" and ")}${role}.`;
}

function requestBody(method: ContractMethod, binding: RestBinding, schemas: SchemaCollection): Schema {
  if (isUpload(method))
    return {
      requestBody: { required: true, content: { "application/octet-stream": { schema: bytes } } },
    };
  if (binding.body === undefined) return {};
  const { input } = method.descriptor;
  if (binding.body !== "*") {
    const { schema } = schemas.fields(input).find((entry) => entry.field.name === binding.body)!;
    return { requestBody: { required: true, content: { "application/json": { schema } } } };
  }
  const elsewhere = new Set(pathVariables(binding.template));
  const examples = method.example === undefined ? {} : { examples: { example: { value: method.example } } };
  if (binding.verb !== "PATCH") {
    const schema = schemas.body(input, elsewhere);
    return { requestBody: { required: true, content: { "application/json": { schema, ...examples } } } };
  }
  // A merge patch says itself what it changes.
  elsewhere.add("update_mask");
  const content = { schema: schemas.body(input, elsewhere), ...examples };
  return {
    requestBody: {
      description: "A merge patch: what is absent stays, null resets, objects merge.",
      required: true,
      content: { "application/json": content, "application/merge-patch+json": content },
    },
  };
}
