import { type DescMessage, type DescMethod, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { FieldError } from "#base";
import { type ContractMethod, fillDefaults, fromPlain, toPlain } from "../../../gateway/contract/index.ts";
import { callRaw } from "./raw-client.ts";
import { callRest } from "./rest-client.ts";
import { probeContract, type TestService } from "./service.ts";
import { socketDoor } from "./socket-client.ts";
import { callEvents } from "./sse-client.ts";

/** The outcome of a call, in the same form for every door. */
export type Outcome =
  | { readonly ok: true; readonly message: unknown; readonly headers: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly error: Told; readonly headers: ReadonlyMap<string, string> };

/** What every door must agree on in a refusal. */
export interface Told {
  readonly errorCode: string;
  readonly retryable: boolean;
  readonly detail: string;
  readonly reason: string | undefined;
  readonly fields: readonly FieldError[];
  readonly retryAfterMs: number | undefined;
  /** For a route with an explanation that found no recipient. */
  readonly explanation: unknown;
}

export interface Door {
  readonly name: string;
  readonly serves: (method: ContractMethod) => boolean;
  unary(method: ContractMethod, message: unknown, headers?: Record<string, string>): Promise<Outcome>;
  /** Sends and reads everything, or leaves after `take` answers; the outcome's message is the list of answers. */
  stream?(method: ContractMethod, messages: readonly unknown[], options?: StreamOptions): Promise<Outcome>;
  close?(): void;
}

export interface StreamOptions {
  readonly headers?: Record<string, string>;
  readonly take?: number;
}

export type Doors = Readonly<Record<DoorName, Door>>;
type DoorName =
  | "grpc"
  | "rest-uws"
  | "rest-node"
  | "connect-json"
  | "connect-binary"
  | "grpc-web"
  | "native-grpc"
  | "native-grpc-js"
  | "native-connect"
  | "socket-json"
  | "socket-proto"
  | "internal-socket"
  | "internal-grpc"
  | "internal-rest"
  | "internal-connect";

export function doorsOf({ ports }: TestService): Doors {
  const http1 = { baseUrl: `http://127.0.0.1:${ports.uws}`, httpVersion: "1.1" as const };
  const http2 = { baseUrl: `http://127.0.0.1:${ports.native}`, httpVersion: "2" as const };
  const inner = { baseUrl: `http://127.0.0.1:${ports.internal}`, httpVersion: "2" as const };
  return {
    grpc: grpcDoor("gRPC on :50051", ports.grpc),
    "rest-uws": restDoor("REST on uWebSockets.js", ports.uws),
    "rest-node": restDoor("REST on node:http", ports.node),
    "connect-json": transportDoor(
      "Connect JSON",
      createConnectTransport({ ...http1, useBinaryFormat: false }),
    ),
    "connect-binary": transportDoor(
      "Connect binary",
      createConnectTransport({ ...http1, useBinaryFormat: true }),
    ),
    "grpc-web": transportDoor("gRPC-Web", createGrpcWebTransport(http1)),
    "native-grpc": transportDoor("gRPC on :50052", createGrpcTransport(http2)),
    "native-grpc-js": grpcDoor("gRPC on :50052 by grpc-js", ports.native),
    "native-connect": transportDoor("Connect on :50052", createConnectTransport(http2)),
    "socket-json": socketDoor("WebSocket on uWebSockets.js", ports.uws, "service.v1.json"),
    "socket-proto": socketDoor("WebSocket on node:http", ports.node, "service.v1.proto"),
    "internal-socket": socketDoor("WebSocket, internal", ports.internal, "service.v1.json"),
    "internal-grpc": grpcDoor("gRPC, internal", ports.internalGrpc),
    "internal-rest": restDoor("REST, internal", ports.internal),
    "internal-connect": transportDoor("Connect, internal", createConnectTransport(inner)),
  };
}

function restDoor(name: string, port: number): Door {
  return {
    name,
    serves: (method) => method.rest.length > 0,
    unary: (method, message, headers) => callRest(port, method, message, headers ?? {}),
    stream: (method, messages, options) =>
      method.raw === undefined
        ? callEvents(port, method, messages[0], options)
        : callRaw(port, method, messages, options?.headers),
  };
}

export function transportDoor(name: string, transport: Transport): Door & Required<Pick<Door, "stream">> {
  return {
    name,
    serves: () => true,
    async unary(method, message, headers) {
      const { input, output } = method.descriptor;
      try {
        const request = fromPlain(input, message);
        const descriptor = method.descriptor as DescMethod & { methodKind: "unary" };
        const answer = await transport.unary(descriptor, undefined, 30_000, headers, request as never);
        const plain = toPlain(output, answer.message as Message);
        return { ok: true, message: plain, headers: headersOf(answer.header, answer.trailer) };
      } catch (thrown) {
        return refused(ConnectError.from(thrown), name);
      }
    },
    async stream(method, messages, { headers, take } = {}) {
      const { input, output } = method.descriptor;
      const enough = new AbortController();
      try {
        const requests = (async function* () {
          for (const message of messages) yield fromPlain(input, message) as never;
          if (take !== undefined && method.kind !== "server_streaming")
            await new Promise((resolve) => enough.signal.addEventListener("abort", resolve));
        })();
        const descriptor = method.descriptor as DescMethod & { methodKind: "bidi_streaming" };
        const answer = await transport.stream(descriptor, enough.signal, 30_000, headers, requests);
        const answers: unknown[] = [];
        for await (const one of answer.message) {
          answers.push(toPlain(output, one as Message));
          if (answers.length === take) break;
        }
        enough.abort();
        return { ok: true, message: answers, headers: headersOf(answer.header, answer.trailer) };
      } catch (thrown) {
        return refused(ConnectError.from(thrown), name);
      }
    },
  };
}

function headersOf(...all: Headers[]): ReadonlyMap<string, string> {
  return new Map(all.flatMap((headers) => [...headers]));
}

function refused(error: ConnectError, door: string): Outcome {
  const details = error.details.flatMap((detail) =>
    "type" in detail ? [[detail.type, detail.value] as const] : [],
  );
  const told = toldBy(error.rawMessage, details);
  const inDoorsNames = door === "Connect JSON" ? withProtoNames(told) : told;
  return { ok: false, error: inDoorsNames, headers: headersOf(error.metadata) };
}

/** Connect JSON names fields as it prints them. */
function withProtoNames(told: Told): Told {
  const [first] = told.fields;
  if (first === undefined) return told;
  const fields = told.fields.map(({ field, reason }) => ({ field: protoPath(field), reason }));
  const named = told.detail.startsWith(`${first.field} `);
  return {
    ...told,
    fields,
    detail: named ? fields[0]!.field + told.detail.slice(first.field.length) : told.detail,
  };
}

function protoPath(path: string): string {
  return path.replaceAll(/"[^"]*"|[A-Z]/g, (part) =>
    part.startsWith('"') ? part : `_${part.toLowerCase()}`,
  );
}

function grpcDoor(name: string, port: number): Door {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  return {
    name,
    serves: () => true,
    unary: (method, message, headers = {}) =>
      new Promise((resolve) => {
        const received = new Map<string, string>();
        const call = client.makeUnaryRequest(
          method.path,
          (plain: unknown) => serialize(method.descriptor.input, plain),
          (bytes) => toPlain(method.descriptor.output, fromBinary(method.descriptor.output, bytes)),
          message,
          metadataOf(headers),
          { deadline: Date.now() + 30_000 },
          (error, answer) => {
            if (error === null) resolve({ ok: true, message: answer, headers: received });
            else resolve(refusedByGrpc(error, received));
          },
        );
        call.on("metadata", (metadata) => collect(metadata, received));
      }),
    stream: (method, messages, { headers = {}, take } = {}) =>
      new Promise((resolve) => {
        const received = new Map<string, string>();
        const answers: unknown[] = [];
        const call = client.makeBidiStreamRequest(
          method.path,
          (plain: unknown) => serialize(method.descriptor.input, plain),
          (bytes) => toPlain(method.descriptor.output, fromBinary(method.descriptor.output, bytes)),
          metadataOf(headers),
          { deadline: Date.now() + 30_000 },
        );
        call.on("metadata", (metadata) => collect(metadata, received));
        call.on("data", (answer) => {
          answers.push(answer);
          if (answers.length !== take) return;
          resolve({ ok: true, message: answers, headers: received });
          call.cancel();
        });
        call.on("error", (error: ServiceError) => resolve(refusedByGrpc(error, received)));
        call.on("end", () => resolve({ ok: true, message: answers, headers: received }));
        for (const message of messages) call.write(message);
        if (take === undefined || method.kind === "server_streaming") call.end();
      }),
    close: () => client.close(),
  };
}

function serialize(desc: DescMessage, plain: unknown): Buffer {
  return Buffer.from(toBinary(desc, fromPlain(desc, plain)));
}

function metadataOf(headers: Record<string, string>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

function collect(metadata: Metadata, into: Map<string, string>): void {
  for (const [name, value] of Object.entries(metadata.getMap())) into.set(name, String(value));
}

function refusedByGrpc(error: ServiceError, headers: Map<string, string>): Outcome {
  collect(error.metadata, headers);
  const bytes = error.metadata.get("grpc-status-details-bin")[0] as Buffer | undefined;
  if (bytes === undefined) return { ok: false, error: toldBy(error.details, []), headers };
  return { ok: false, error: { ...refusedStatus(bytes), detail: error.details }, headers };
}

/** A google.rpc.Status without its envelope. */
export function refusedStatus(bytes: Uint8Array): Told {
  const status = decode("google.rpc.Status", bytes) as {
    message: string;
    details: { type_url: string; value: string }[];
  };
  const details = status.details.map(
    ({ type_url, value }) =>
      [type_url.slice(type_url.lastIndexOf("/") + 1), Buffer.from(value, "base64")] as const,
  );
  return toldBy(status.message, details);
}

function toldBy(detail: string, details: readonly (readonly [type: string, value: Uint8Array])[]): Told {
  const byType = new Map(details.map(([type, value]) => [type, decode(type, value)]));
  const info = byType.get("google.rpc.ErrorInfo") as
    | { reason: string; metadata: Record<string, string> }
    | undefined;
  const bad = byType.get("google.rpc.BadRequest") as
    | { field_violations: { field: string; description: string }[] }
    | undefined;
  const retry = byType.get("google.rpc.RetryInfo") as { retry_delay: string } | undefined;
  const failure = byType.get("service.api.RoutingFailure") as { explanation: unknown } | undefined;
  return {
    errorCode: info?.reason ?? "(none)",
    retryable: info?.metadata.retryable === "true",
    detail,
    reason: info?.metadata.reason,
    fields: (bad?.field_violations ?? []).map(({ field, description }) => ({ field, reason: description })),
    retryAfterMs: retry === undefined ? undefined : Number(retry.retry_delay.slice(0, -1)) * 1_000,
    explanation: failure?.explanation,
  };
}

function decode(type: string, bytes: Uint8Array): unknown {
  const desc = probeContract.registry.getMessage(type);
  return desc === undefined ? undefined : toPlain(desc, fromBinary(desc, bytes));
}

/** An answer in the same form for every door, with defaults filled in. */
export function completed(method: ContractMethod, message: unknown): unknown {
  const copy = structuredClone(message);
  fillDefaults(method.descriptor.output, copy);
  return copy;
}
