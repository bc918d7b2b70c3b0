import { request as httpRequest, type IncomingMessage } from "node:http";
import {
  type DescMethod,
  type DescMethodUnary,
  fromBinary,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { assert, errorCodes } from "#base";
import { type Contract, type ContractMethod, fromPlain, toPlain } from "../contract/index.ts";
import { NotApplicable } from "./failures.ts";

/** Where the listeners of this node are. */
export interface Targets {
  readonly http: string;
  /** Absent: gRPC is not served. */
  readonly grpc?: string;
  /** Absent: assistants are not served. `legacy`: clients of 2025 are, too. */
  readonly mcp?: { readonly path: string; readonly legacy: boolean };
  /** A name that `api.allowed_hosts` has. */
  readonly host: string;
}

/** What came of a call, the same whichever door it went by. */
export interface Outcome {
  /** The message; of a refusal nothing. */
  readonly message?: Fields;
  /** gRPC code of a refusal; 0: none. */
  readonly code: number;
  /** Only REST says it in words. */
  readonly errorCode?: string;
  readonly detail?: string;
  /** Of HTTP doors. */
  readonly status?: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** REST only: the whole body. */
  readonly body?: Fields;
}

export type DoorName = "rest" | "connect" | "grpc_web" | "grpc";
export type Headers = Readonly<Record<string, string>>;
export type Fields = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

export function send(
  targets: Targets,
  verb: string,
  path: string,
  headers: Headers,
  body?: string | Uint8Array,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const url = new URL(path, targets.http);
    const sent = httpRequest(url, { method: verb, headers: { host: targets.host, ...headers } }, (answer) => {
      collect(answer).then(resolve, reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function collect(answer: IncomingMessage): Promise<Answer> {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  return { status: answer.statusCode ?? 0, headers, body: Buffer.concat(pieces) };
}

type Call = (targets: Targets, method: ContractMethod, message: Fields, headers: Headers) => Promise<Outcome>;

export function doorsOf({ registry }: Contract): Readonly<Record<DoorName, Call>> {
  const jsonOptions = { registry, ignoreUnknownFields: false };
  return {
    rest: callRest,
    connect: async (targets, ...call) => {
      const { createConnectTransport } = await import("@connectrpc/connect-node");
      const options = {
        baseUrl: targets.http,
        httpVersion: "1.1",
        useBinaryFormat: false,
        jsonOptions,
      } as const;
      return callRpc(createConnectTransport(options), targets, ...call);
    },
    grpc_web: async (targets, ...call) => {
      const { createGrpcWebTransport } = await import("@connectrpc/connect-node");
      return callRpc(createGrpcWebTransport({ baseUrl: targets.http, httpVersion: "1.1" }), targets, ...call);
    },
    grpc: callGrpc,
  };
}

async function callRpc(
  transport: Transport,
  ...[{ host }, { descriptor }, message, headers]: Parameters<Call>
): Promise<Outcome> {
  assert(isUnary(descriptor), "a case calls a stream by `work` only");
  try {
    const request = fromPlain(descriptor.input, message);
    const sent = { host, ...headers };
    const answer = await transport.unary(descriptor, undefined, undefined, sent, request);
    return {
      message: toPlain(descriptor.output, answer.message) as Fields,
      code: 0,
      headers: Object.fromEntries(answer.header),
    };
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return { code, detail: rawMessage, headers: {} };
  }
}

function isUnary(descriptor: DescMethod): descriptor is DescMethodUnary {
  return descriptor.methodKind === "unary";
}

async function callRest(...[targets, method, message, headers]: Parameters<Call>): Promise<Outcome> {
  const binding = method.rest[0];
  if (!binding) throw new NotApplicable(`${method.name} has no REST path`);
  const rest: Record<string, unknown> = { ...message };
  let path = binding.template.replace(/\{([^}=]+)(=[^}]*)?\}/g, (_, field: string) => {
    const value = rest[field];
    delete rest[field];
    return encodeURIComponent(String(value ?? ""));
  });
  const paged: Readonly<Record<string, string>> =
    method.pagination?.convention === "cursor" ? { page_size: "limit", page_token: "cursor" } : {};
  const asked = binding.body === "*" ? {} : rest;
  const query = new URLSearchParams(
    Object.fromEntries(Object.entries(asked).map(([name, value]) => [paged[name] ?? name, String(value)])),
  ).toString();
  if (query !== "") path += `?${query}`;
  const body = binding.body === "*" ? JSON.stringify(rest) : undefined;
  const type = binding.verb === "PATCH" ? "application/merge-patch+json" : "application/json";
  const sent = body === undefined ? headers : { "content-type": type, ...headers };
  const answer = await send(targets, binding.verb, path, sent, body);
  const json = parsed(answer.body);
  const common = { status: answer.status, headers: answer.headers, body: json };
  if (answer.status >= 400) {
    const errorCode = String(json.errorCode);
    const code = errorCodes[errorCode as keyof typeof errorCodes]?.grpc ?? 2;
    return { ...common, code, errorCode, detail: String(json.detail) };
  }
  return { ...common, code: 0, message: messageOf(method, json) };
}

/** In the words of RPC. */
function messageOf({ pagination, envelope }: ContractMethod, json: Record<string, unknown>) {
  if (envelope === "none") return json;
  if (pagination === undefined) return json.data as Record<string, unknown>;
  const { data, next_cursor, total } = json;
  return {
    [pagination.itemsField]: data,
    next_page_token: next_cursor ?? "",
    ...(total !== null && { total }),
  };
}

async function callGrpc(...[targets, method, message, headers]: Parameters<Call>): Promise<Outcome> {
  const { input, output } = method.descriptor;
  const { client, metadata } = await grpcClient(targets, headers);
  try {
    return await new Promise<Outcome>((resolve) => {
      client.makeUnaryRequest(
        method.path,
        (plain: object) => Buffer.from(toBinary(input, fromPlain(input, plain) as Message)),
        (bytes: Buffer) => toPlain(output, fromBinary(output, bytes)) as Fields,
        message,
        metadata,
        (error, answer) => {
          if (error) resolve({ code: error.code, detail: error.details, headers: {} });
          else resolve({ ...(answer && { message: answer }), code: 0, headers: {} });
        },
      );
    });
  } finally {
    client.close();
  }
}

/** Loaded when it is needed: half of the installations never test themselves. */
export async function grpcClient(targets: Targets, headers: Headers) {
  if (targets.grpc === undefined) throw new NotApplicable("server.grpc_addr is empty: gRPC is not served");
  const { Client, credentials, Metadata } = await import("@grpc/grpc-js");
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const options = { "grpc.default_authority": targets.host, "grpc.use_local_subchannel_pool": 1 };
  return { client: new Client(targets.grpc, credentials.createInsecure(), options), metadata };
}

function parsed(body: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(body.toString());
  } catch {
    return {};
  }
}
