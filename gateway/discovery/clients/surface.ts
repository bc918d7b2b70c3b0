import { isNamed, type Method, type NamedMethod, type Surface } from "#protos/surface";

/** Methods as clients call them: of the external plane, with a REST path and a name. */
export function namedMethods({ methods }: Surface): readonly NamedMethod[] {
  return methods.filter(
    (method: Method): method is NamedMethod => method.plane === "external" && isNamed(method),
  );
}

/** By the first word of the command; methods of one word have the group "". */
export function grouped(methods: readonly NamedMethod[]): ReadonlyMap<string, readonly NamedMethod[]> {
  const groups = new Map<string, NamedMethod[]>();
  for (const method of methods) {
    const group = method.cli.verb === undefined ? "" : method.cli.group;
    groups.set(group, [...(groups.get(group) ?? []), method]);
  }
  return groups;
}

/** These messages and all that they contain, by name. */
export function messagesOf({ schemas }: Surface, roots: readonly string[]): readonly string[] {
  const found = new Set(roots);
  // A set goes on over what is added meanwhile.
  for (const name of found)
    for (const [, inner] of JSON.stringify(schemas[name]).matchAll(/"#\/schemas\/([^"]+)"/g))
      found.add(inner!);
  return [...found].sort();
}
