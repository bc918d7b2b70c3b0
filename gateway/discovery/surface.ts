import { methodOptions } from "#protos";
import type { Surface } from "#protos/surface";
import type { Contract, ContractMethod } from "../contract/index.ts";
import type { Schema } from "../contract/rules.ts";
import { commentOf } from "./comments.ts";
import { SchemaCollection } from "./openapi/schemas.ts";

/**
 * `protos/gen/surface.json`: what clients need of the contract. Commands, client libraries, the reference and its snippets read
 * only this. A method and a schema have a line each.
 */
export function surfaceJson(contract: Contract): string {
  const { methods, schemas } = surfaceOf(contract);
  return [
    `{"contract_sha256":"${contract.sha256}",`,
    `"methods":[\n${methods.map((method) => JSON.stringify(method)).join(",\n")}\n],`,
    `"schemas":{\n${Object.entries(schemas)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`)
      .join(",\n")}\n}}\n`,
  ].join("\n");
}

export function surfaceOf(contract: Contract): Surface {
  const inputs = contract.methods.map(({ descriptor }) => descriptor.input);
  const collection = new SchemaCollection(contract.registry, inputs, "#/schemas/");
  const methods = contract.methods.map((method) => entryOf(contract, method, collection));
  const refs = refsOf(contract);
  const schemas = { ...collection.schemas };
  for (const { descriptor } of contract.methods) {
    const name = descriptor.input.typeName.slice(descriptor.input.file.proto.package.length + 1);
    const schema = schemas[name];
    if (schema !== undefined) schemas[name] = withRefs(schema, refs, descriptor.parent.name);
  }
  return { contract_sha256: contract.sha256, methods, schemas } as unknown as Surface;
}

function entryOf(contract: Contract, method: ContractMethod, schemas: SchemaCollection): object {
  const { descriptor, governance, pagination, command, sse, wait } = method;
  const [binding] = method.rest;
  const { authorizationRequired, resource, action, scopes, roles } = governance;
  return {
    id: method.name,
    comment: commentOf(descriptor),
    plane: governance.internalOnly ? "internal" : "external",
    kind: method.kind,
    ...(binding !== undefined && {
      rest: {
        verb: binding.verb,
        path: binding.template.replaceAll(/=[^}]*\}/g, "}"),
        ...(binding.body !== undefined && { body: binding.body }),
        ...(binding.responseBody !== undefined && { response_body: binding.responseBody }),
      },
    }),
    request: nameIn(schemas.refer(descriptor.input)),
    response: nameIn(schemas.refer(descriptor.output)),
    envelope: method.envelope,
    ...(authorizationRequired && { permissions: [...new Set([`${resource}:${action}`, ...scopes])] }),
    ...(roles.length > 0 && { roles }),
    environment: method.environment.from,
    repeat: method.readOnly ? "read" : repeatOf(contract, method),
    ...(pagination !== undefined && {
      page: { convention: pagination.convention, items: pagination.itemsField },
    }),
    ...(wait !== undefined && { wait }),
    ...(sse !== undefined && { sse }),
    ...(method.raw !== undefined && { raw: true }),
    ...(method.headers.length > 0 && { headers: method.headers }),
    ...(method.mediaType !== undefined && { media_type: method.mediaType }),
    ...(method.example !== undefined && { example: method.example }),
    ...(method.deprecated !== undefined && { deprecated: true }),
    ...(command !== undefined && {
      cli: {
        group: command.group,
        ...(command.verb !== undefined && { verb: command.verb }),
        args: command.args,
        ...(command.columns.length > 0 && { columns: command.columns }),
      },
    }),
    ...(method.tool !== undefined && { mcp: method.tool }),
  };
}

/** Why a repeat does no harm: `key`, `token`, `no_effect`; absent of streams. */
function repeatOf({ registry }: Contract, { descriptor }: ContractMethod): string | undefined {
  const { method } = methodOptions(registry, descriptor);
  return method?.repeat?.replace(/^REPEAT_(BY_)?/, "").toLowerCase();
}

/** The name of a message; of a well-known type, which is described where it stands, nothing. */
function nameIn({ $ref }: Schema): string | undefined {
  return typeof $ref === "string" ? $ref.slice($ref.lastIndexOf("/") + 1) : undefined;
}

interface Ref {
  /** A list of what has the id. */
  readonly list: string;
  /** The field of its items that is the name. */
  readonly by: string;
}

/** By the field that holds an id; `id` by its service. */
function refsOf({ methods }: Contract): ReadonlyMap<string, Ref> {
  return new Map(
    methods.flatMap(({ name, descriptor, command }) => {
      if (command?.named === undefined) return [];
      const { by, ids } = command.named;
      return [`${descriptor.parent.name}.id`, ...ids].map((id) => [id, { list: name, by }] as const);
    }),
  );
}

/** The fields of a request that hold the id of something with a name say where the name is found. */
function withRefs(schema: Schema, refs: ReadonlyMap<string, Ref>, service: string): Schema {
  const properties = schema.properties as Readonly<Record<string, Schema>> | undefined;
  if (properties === undefined) return schema;
  const own = Object.entries(properties).map(([field, property]) => {
    const ref = refs.get(field === "id" ? `${service}.id` : field);
    return [field, ref === undefined || property.type !== "string" ? property : { ...property, ref }];
  });
  return { ...schema, properties: Object.fromEntries(own) };
}
