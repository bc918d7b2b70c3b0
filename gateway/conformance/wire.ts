import { request as httpRequest, type IncomingMessage } from "node:http";
import { fromBinary, fromJson, type JsonValue, type Message, toBinary, toJson } from "@bufbuild/protobuf";
import { errorCodes } from "#base";
import { type Contract, type ContractMethod, fromPlain, toPlain } from "../contract/index.ts";
import { NotApplicable } from "./failures.ts";

/** Where the listeners of this node are. */
export interface Targets {
  readonly http: string;
  /** Absent: gRPC is not served. */
  readonly grpc?: string;
  /** A name that `api.allowed_hosts` has. */
  readonly host: string;
}

/** What came of a call, the same whichever door it went by. */
export interface Outcome {
  /** The message; of a refusal nothing. */
  readonly message?: Readonly<Record<string, unknown>>;
  /** gRPC code of a refusal; 0: none. */
  readonly code: number;
  /** Only REST says it in words. */
  readonly errorCode?: string;
  readonly detail?: string;
  /** Of HTTP doors. */
  readonly status?: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** REST only: the whole body. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export type DoorName = "rest" | "connect" | "grpc_web" | "grpc";
export type Headers = Readonly<Record<string, string>>;

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

type Call = (
  targets: Targets,
  method: ContractMethod,
  message: Readonly<Record<string, unknown>>,
  headers: Headers,
) => Promise<Outcome>;

export function doorsOf({ registry }: Contract): Readonly<Record<DoorName, Call>> {
  return { rest: callRest, connect: callConnect, grpc_web: callGrpcWeb, grpc: callGrpc };

  async function callConnect(...[targets, method, message, headers]: Parameters<Call>): Promise<Outcome> {
    const { input, output } = method.descriptor;
    const body = JSON.stringify(toJson(input, fromPlain(input, message) as Message, { registry }));
    const answer = await send(targets, "POST", method.path, { ...headers, ...connectHeaders }, body);
    const json = parsed(answer.body);
    if (answer.status !== 200) {
      const { code, message: detail } = json as { code?: string; message?: string };
      const named = connectCodes.indexOf(String(code));
      return {
        code: named < 0 ? 2 : named,
        detail: String(detail),
        status: answer.status,
        headers: answer.headers,
      };
    }
    const read = toPlain(output, fromJson(output, json as JsonValue, { registry }));
    return { message: read as never, code: 0, status: 200, headers: answer.headers };
  }
}

const connectHeaders = { "content-type": "application/json", "connect-protocol-version": "1" };
const connectCodes = [
  "ok",
  "canceled",
  "unknown",
  "invalid_argument",
  "deadline_exceeded",
  "not_found",
  "already_exists",
  "permission_denied",
  "resource_exhausted",
  "failed_precondition",
  "aborted",
  "out_of_range",
  "unimplemented",
  "internal",
  "unavailable",
  "data_loss",
  "unauthenticated",
];

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
  const json = parsed(answer.body) as Record<string, unknown>;
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

/** One frame there, a frame and the trailers back. */
async function callGrpcWeb(...[targets, method, message, headers]: Parameters<Call>): Promise<Outcome> {
  const { input, output } = method.descriptor;
  const request = toBinary(input, fromPlain(input, message) as Message);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(request.length, 1);
  const type = "application/grpc-web+proto";
  const sent = { ...headers, "content-type": type, accept: type, "x-grpc-web": "1" };
  const answer = await send(targets, "POST", method.path, sent, Buffer.concat([head, request]));
  let found: Buffer | undefined;
  let trailers: Readonly<Record<string, string | undefined>> = answer.headers;
  for (let at = 0; at + 5 <= answer.body.length; ) {
    const size = answer.body.readUInt32BE(at + 1);
    const frame = answer.body.subarray(at + 5, at + 5 + size);
    if ((answer.body[at]! & 0x80) === 0) found = frame;
    else trailers = { ...trailers, ...trailersOf(frame.toString()) };
    at += 5 + size;
  }
  const code = Number(trailers["grpc-status"] ?? 2);
  const { status } = answer;
  if (code !== 0 || found === undefined)
    return {
      code: code || 2,
      detail: decodeURIComponent(trailers["grpc-message"] ?? ""),
      status,
      headers: trailers,
    };
  return {
    message: toPlain(output, fromBinary(output, found)) as never,
    code: 0,
    status,
    headers: answer.headers,
  };
}

function trailersOf(text: string): Readonly<Record<string, string>> {
  const lines = text.split("\r\n").filter((line) => line.includes(":"));
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
}

async function callGrpc(...[targets, method, message, headers]: Parameters<Call>): Promise<Outcome> {
  const { input, output } = method.descriptor;
  const { client, metadata } = await grpcClient(targets, headers);
  try {
    return await new Promise<Outcome>((resolve) => {
      client.makeUnaryRequest(
        method.path,
        (plain: object) => Buffer.from(toBinary(input, fromPlain(input, plain) as Message)),
        (bytes: Buffer) => toPlain(output, fromBinary(output, bytes)) as Record<string, unknown>,
        message,
        metadata,
        (error, answer) => {
          if (error) resolve({ code: error.code, detail: error.details, headers: {} });
          else resolve({ message: answer as never, code: 0, headers: {} });
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

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return {};
  }
}
