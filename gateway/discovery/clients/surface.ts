/** What the generators of clients read: `protos/gen/surface.json`. */
export interface Surface {
  readonly contract_sha256: string;
  readonly methods: readonly SurfaceMethod[];
  readonly schemas: Readonly<Record<string, SurfaceSchema>>;
}

interface SurfaceMethod {
  readonly id: string;
  readonly comment: string;
  readonly plane: "external" | "internal";
  readonly kind: "unary" | "client_streaming" | "server_streaming" | "bidi_streaming";
  readonly rest?: { readonly verb: string; readonly path: string; readonly body?: string };
  readonly request: string;
  readonly response: string;
  readonly envelope: "data" | "none";
  readonly permissions?: readonly string[];
  readonly repeat?: "read" | "key" | "token" | "no_effect";
  readonly page?: { readonly convention: "cursor" | "page"; readonly items: string };
  readonly wait?: { readonly field?: string; readonly unitMs?: number; readonly ms?: number };
  readonly sse?: { readonly oneof?: string; readonly data?: string; readonly last?: string };
  readonly raw?: boolean;
  readonly example?: Readonly<Record<string, unknown>>;
  readonly deprecated?: boolean;
  readonly headers?: readonly string[];
  readonly cli?: { readonly group: string; readonly verb?: string };
}

export interface SurfaceSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SurfaceSchema>>;
  readonly required?: readonly string[];
  readonly items?: SurfaceSchema;
  readonly additionalProperties?: SurfaceSchema | boolean;
  readonly enum?: readonly string[];
  readonly $ref?: string;
}

/** A method as clients call it: of the external plane, with a REST path and a name. */
export interface NamedMethod extends SurfaceMethod {
  readonly rest: NonNullable<SurfaceMethod["rest"]>;
  readonly cli: NonNullable<SurfaceMethod["cli"]>;
}

export function namedMethods({ methods }: Surface): readonly NamedMethod[] {
  return methods.filter((method): method is NamedMethod => isNamed(method));
}

function isNamed({ plane, rest, cli }: SurfaceMethod): boolean {
  return plane === "external" && rest !== undefined && cli !== undefined;
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
