/** `protos/gen/surface.json`: what clients need of the contract. */
export interface Surface {
  readonly contract_sha256: string;
  readonly methods: readonly Method[];
  readonly schemas: Readonly<Record<string, Schema>>;
}

export interface Method {
  /** `PoolService.GetPool` */
  readonly id: string;
  readonly comment: string;
  readonly plane: "external" | "internal";
  readonly kind: "unary" | "server_streaming" | "client_streaming" | "bidi_streaming";
  readonly rest?: { readonly verb: string; readonly path: string; readonly body?: string };
  readonly request: string;
  readonly response: string;
  readonly envelope: "data" | "none";
  readonly permissions?: readonly string[];
  readonly repeat?: "read" | "key" | "token" | "no_effect";
  readonly page?: { readonly convention: "cursor" | "page"; readonly items: string };
  readonly wait?: { readonly field?: string; readonly unitMs?: number; readonly ms?: number };
  /** How an event becomes a message, and the event after which none comes. */
  readonly sse?: {
    readonly oneof?: string;
    readonly data?: string;
    readonly id?: string;
    readonly last?: string;
  };
  /** Bytes are sent or answered as they are. */
  readonly raw?: boolean;
  readonly headers?: readonly string[];
  readonly media_type?: string;
  readonly example?: Fields;
  readonly deprecated?: boolean;
  readonly cli?: {
    readonly group: string;
    readonly verb?: string;
    readonly args: readonly string[];
    readonly columns?: readonly string[];
  };
}

/** A method with a REST path and a name, by which clients call it. */
export interface NamedMethod extends Method {
  readonly rest: NonNullable<Method["rest"]>;
  readonly cli: NonNullable<Method["cli"]>;
}

export function isNamed(method: Method): method is NamedMethod {
  return method.rest !== undefined && method.cli !== undefined;
}

/** A request under the names of REST: `limit` and `cursor` of a page; no `update_mask` is needed. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly contentEncoding?: string;
  readonly $ref?: string;
  readonly ref?: { readonly list: string; readonly by: string };
}

/** What REST calls the fields of a page. */
const restNames: Readonly<Record<string, string>> = { page_size: "limit", page_token: "cursor" };

export function restName({ page }: Method, field: string): string {
  return (page?.convention === "cursor" ? restNames[field] : undefined) ?? field;
}

/** The words of its command: `pools create`, `whoami`. */
export function wordsOf({ cli }: NamedMethod): readonly string[] {
  return cli.verb === undefined ? [cli.group] : [cli.group, cli.verb];
}

/** A map, and no message. */
export function isMap({ type, additionalProperties }: Schema): boolean {
  return type === "object" && typeof additionalProperties === "object";
}
