import type { DescMessage, FileRegistry } from "@bufbuild/protobuf";
import { oneofRequired } from "#protos";
import type { Pagination } from "./method.ts";
import { pageFields } from "./page.ts";
import type { Schema } from "./rules.ts";
import { fieldSchemas, wellKnownSchema } from "./schema.ts";

/** What a request must be, as one schema without references outside itself. */
export function requestSchema(registry: FileRegistry, desc: DescMessage, pagination?: Pagination): Schema {
  const definitions: Record<string, Schema> = {};
  // An update is laid over what is stored: whether a part is complete is known only there.
  const partial = desc.fields.some(({ name }) => name === "update_mask");
  const refer = (message: DescMessage): Schema => {
    const known = wellKnownSchema(message);
    if (known !== undefined) return known;
    if (definitions[message.typeName] === undefined) {
      // Before its own fields: a message may contain itself.
      definitions[message.typeName] = {};
      Object.assign(definitions[message.typeName]!, messageSchema(message));
    }
    return { $ref: `#/$defs/${message.typeName}` };
  };
  const messageSchema = (message: DescMessage): Schema => {
    const properties: Record<string, Schema | false> = {};
    const required: string[] = [];
    for (const { field, options, schema, zero, required: must } of fieldSchemas(registry, message, refer)) {
      properties[field.name] = options.outputOnly
        ? false
        : zero === undefined
          ? schema
          : { ...schema, default: zero };
      if (must && (message === desc || !partial)) required.push(field.name);
    }
    const oneofs = message.oneofs.map((oneof) => ({
      oneOfFields: {
        fields: oneof.fields.map((field) => field.name),
        required: oneofRequired(registry, oneof),
      },
    }));
    return {
      type: "object",
      properties,
      additionalProperties: false,
      ...(required.length > 0 ? { required } : {}),
      ...(oneofs.length > 0 ? { allOf: oneofs } : {}),
    };
  };
  const root = messageSchema(desc);
  // Sizes and positions out of bounds are brought into them, never refused.
  const page = Object.fromEntries(
    pageFields(pagination).map((name) => [name, { type: "integer", default: 0 }]),
  );
  return { ...root, properties: { ...(root.properties as Schema), ...page }, $defs: definitions };
}
