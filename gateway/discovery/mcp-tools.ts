import type { DescMessage } from "@bufbuild/protobuf";
import type { Contract, ContractMethod } from "../contract/index.ts";
import type { Schema } from "../contract/rules.ts";
import { commentOf } from "./comments.ts";
import { SchemaCollection } from "./openapi/schemas.ts";

/** `protos/gen/mcp-tools.json`: what assistants may call over the Model Context Protocol, by name. A tool has a line. */
export function toolsJson(contract: Contract): string {
  const inputs = contract.methods.map(({ descriptor }) => descriptor.input);
  const schemas = new SchemaCollection(contract.registry, inputs, definitions);
  const tools = contract.methods
    .flatMap((method) => (method.tool === undefined ? [] : [toolOf(method, schemas)]))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return `[\n${tools.map((tool) => JSON.stringify(tool)).join(",\n")}\n]\n`;
}

function toolOf({ name, tool, descriptor }: ContractMethod, schemas: SchemaCollection) {
  const area = descriptor.parent.file.proto.package.split(".").at(-1);
  const input = wholeSchema(descriptor.input, schemas);
  return {
    name: `${area}_${name.replace(".", "_")}`.toLowerCase(),
    method: name,
    description: commentOf(descriptor),
    annotations: { readOnlyHint: tool === "read" },
    inputSchema: tool === "read" ? input : withKey(input),
    outputSchema: wholeSchema(descriptor.output, schemas),
  };
}

function withKey(schema: Schema): Schema {
  const properties = schema.properties as Readonly<Record<string, Schema>>;
  if ("idempotency_key" in properties) throw new Error("a request of a tool has a field idempotency_key");
  return { ...schema, properties: { ...properties, idempotency_key: idempotencyKey } };
}

const idempotencyKey: Schema = {
  type: "string",
  pattern: "^[\\x21-\\x7e]{1,255}$",
  description:
    "Names this one effect. Where the answer to a call was lost, call again with the same key and arguments: the effect happens once.",
};

const definitions = "#/$defs/";

/** A schema that stands alone: the messages that it refers to come with it. */
function wholeSchema(desc: DescMessage, collection: SchemaCollection): Schema {
  const whole = referred(collection.refer(desc), collection);
  const found = new Map<string, Schema>();
  const open = [whole];
  for (let schema = open.pop(); schema !== undefined; schema = open.pop())
    for (const [, name = ""] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      const next = collection.schemas[name] ?? {};
      found.set(name, next);
      open.push(next);
    }
  if (found.size === 0) return whole;
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...whole, $defs: Object.fromEntries(sorted) };
}

function referred({ $ref }: Schema, { schemas }: SchemaCollection): Schema {
  const schema = schemas[String($ref).slice(definitions.length)];
  if (schema?.type !== "object") throw new Error("a tool takes a message and answers with one");
  return schema;
}
