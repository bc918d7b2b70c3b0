import type { DescMethod } from "@bufbuild/protobuf";
import type { FieldError } from "#base";
import type { SseOptions } from "#protos";

/** One RPC of the contract with everything the options say about it: what every door and every stage reads. */
export interface ContractMethod {
  /** `PoolService.CreatePool`: how the rest of the system names it. */
  readonly name: string;
  /** `/service.api.PoolService/CreatePool`: Connect and gRPC path. */
  readonly path: string;
  readonly kind: "unary" | "server_streaming" | "client_streaming" | "bidi_streaming";
  readonly descriptor: DescMethod;
  readonly governance: Governance;
  readonly environment: MethodEnvironment;
  /** Which entity answers; absent: an orchestration or a handler of the gateway. */
  readonly actor?: ActorKey;
  readonly rest: readonly RestBinding[];
  /** Takes an Idempotency-Key. */
  readonly idempotent: boolean;
  /** The request has a field that is a secret of its caller. */
  readonly acceptsSecrets: boolean;
  /** Members of the answer that are not kept for a repeat; absent: all are kept. */
  readonly replayOmitted?: readonly string[];
  /** NO_SIDE_EFFECTS: also served as Connect GET. */
  readonly readOnly: boolean;
  readonly rateCost: number;
  /** It may hold the request open: counted as a stream, with its own deadline. */
  readonly wait?: Wait;
  readonly audit: "none" | "write" | "always";
  readonly pagination?: Pagination;
  readonly deprecated?: { readonly successor?: string };
  readonly envelope: "data" | "none";
  /**
   * The answer is a new resource: REST says 201, and where it is. A path taken apart at its `{…}`, which are fields of the
   * answer: texts, and between each two of them the name of a field.
   */
  readonly creates?: readonly string[];
  /** What a google.api.HttpBody in the answer is, for the reference. */
  readonly mediaType?: string;
  /** A REST body that is valid as it stands, for the reference. */
  readonly example?: unknown;
  /** Counted against this quota of the tenant, where it has one. */
  readonly quota?: Quota;
  /** The item that the tenant's entitlements must allow. */
  readonly entitlement?: string;
  /** Over REST its body is raw bytes, the `data` of its messages; of a request at most so many. */
  readonly raw?: { readonly bytesMax: number };
  /** Headers that it alone asks for. */
  readonly headers: readonly string[];
  /** `service pools set-enabled`: how clients call it; absent where it has no REST path. */
  readonly command?: Command;
  /** A tool of assistants: one that only reads, or one that has effects. */
  readonly tool?: "read" | "trigger";
  /** Served on its REST path as text/event-stream. */
  readonly sse?: SseOptions;
  /** Field errors of a plain message (proto names), or `undefined` where it is valid. Fills defaults in place. */
  readonly validate: (message: unknown) => readonly FieldError[] | undefined;
}

export interface Command {
  readonly group: string;
  /** Absent where the group alone is the command. */
  readonly verb?: string;
  /** Fields of the request that are given by position. */
  readonly args: readonly string[];
  /** Fields of a list's items that a table shows. */
  readonly columns: readonly string[];
  /** Of a list: the field of its items that people know them by, and the fields of other requests that hold their ids. */
  readonly named?: { readonly by: string; readonly ids: readonly string[] };
}

export interface Governance {
  readonly lifecycle: "supported" | "experimental" | "internal" | "operational" | "disabled";
  readonly audience: "public" | "tenant" | "operator" | "internal";
  readonly authenticationRequired: boolean;
  readonly authorizationRequired: boolean;
  readonly resource: string;
  readonly action: string;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  readonly internalOnly: boolean;
}

/**
 * Where the environment comes from in which a method acts: the resource that the request names, X-Environment for something new,
 * each thing that is listed; or it has none. `open`: why a credential that is limited to some environments may call it then.
 */
export interface MethodEnvironment {
  readonly from: "resource" | "new" | "each" | "none";
  readonly open?: string;
}

export interface ActorKey {
  readonly kind: string;
  /** Request field that holds the id, e.g. `pool_id`; absent where the tenant alone names the entity. */
  readonly field?: string;
  /** How the key is taken: last 8 characters, characters 10..17, the whole value, or a constant (`value`). */
  readonly form: "handle" | "child" | "whole" | "constant";
  readonly value?: string;
}

export interface RestBinding {
  readonly verb: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `/api/pools/{pool_id}:set_enabled` */
  readonly template: string;
  /** "*": the whole message; a field name; absent: no body. */
  readonly body?: string;
  readonly responseBody?: string;
}

/** How long an answer may wait: as a field of the request says, or always the same. */
export type Wait = { readonly field: string; readonly unitMs: number } | { readonly ms: number };

export interface Quota {
  /** `enqueue`: what quotas are set for. */
  readonly operation: string;
  /** The repeated field of the request whose length is the cost; absent: 1. */
  readonly lengthOf?: string;
  /** The number of the request that is the cost. */
  readonly amountOf?: string;
}

export interface Pagination {
  /** "cursor": limit/cursor/offset in REST, page_size/page_token in RPC. "page": page/per_page (marketplace). */
  readonly convention: "cursor" | "page";
  /** The repeated field of the response. */
  readonly itemsField: string;
}
