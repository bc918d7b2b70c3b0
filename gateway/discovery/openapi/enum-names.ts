import type { Schema } from "../../contract/rules.ts";

/**
 * Generators name the type of a closed set after its message and its field: `Outcome.result` is `OutcomeResult`, which may be the
 * name of a message too. Such a set gets a title, from which they make another name.
 */
export function withOwnEnumNames(schemas: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const taken = new Set(Object.keys(schemas).map(typeName));
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, named(name, schema, taken)]),
  );
}

function named(name: string, schema: Schema, taken: Set<string>): Schema {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, Schema>> };
  if (properties === undefined) return schema;
  const own = Object.entries(properties).map(([field, property]) => {
    if (!hasValues(property)) return [field, property] as const;
    let title = field;
    while (taken.has(typeName(`${name}_${title}`))) title += "_value";
    taken.add(typeName(`${name}_${title}`));
    return [field, title === field ? property : titled(property, title)] as const;
  });
  return { ...schema, properties: Object.fromEntries(own) };
}

/** A set of values, or a list of them. */
function hasValues({ enum: values, items }: Schema): boolean {
  return values !== undefined || (items as Schema | undefined)?.enum !== undefined;
}

function titled(property: Schema, title: string): Schema {
  return property.enum === undefined
    ? { ...property, items: { ...(property.items as Schema), title } }
    : { ...property, title };
}

/** `pool_version_source` and `PoolVersionSource` are one name. */
function typeName(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}
