import { setTimeout as sleep } from "node:timers/promises";
import { type DescMessage, toBinary } from "@bufbuild/protobuf";
import { RefusalError, refuse } from "#base";
import type { Call } from "../../../gateway/calls/call.ts";
import type { Handler } from "../../../gateway/calls/targets.ts";
import { fromPlain } from "../../../gateway/contract/index.ts";
import type { HeaderTable } from "../../../gateway/http/headers.ts";
import type { HttpRequest } from "../../../gateway/http/server.ts";

/** The suite's service as its comments describe it, on plain messages. */
export function conformanceHandlers(
  requestOf: (call: Call) => HttpRequest,
): Readonly<Record<string, Handler>> {
  return {
    "ConformanceService.Unary": single,
    "ConformanceService.IdempotentUnary": single,
    "ConformanceService.ClientStream": clientStream as Handler,
    "ConformanceService.ServerStream": serverStream as Handler,
    "ConformanceService.BidiStream": bidiStream as Handler,
  };

  async function single(request: unknown, call: Call) {
    const { response_definition: definition } = request as Request<UnaryDefinition>;
    return answerOnce(definition, infoOf(call, [request]), call);
  }

  async function* clientStream(requests: AsyncIterable<unknown>, call: Call) {
    const seen: unknown[] = [];
    for await (const request of requests) seen.push(request);
    const first = seen[0] as Request<UnaryDefinition> | undefined;
    yield await answerOnce(first?.response_definition, infoOf(call, seen), call);
  }

  async function* serverStream(requests: AsyncIterable<unknown>, call: Call) {
    for await (const request of requests) {
      const { response_definition: definition } = request as Request<StreamDefinition>;
      yield* answerMany(definition, infoOf(call, [request]), call);
    }
  }

  async function* bidiStream(requests: AsyncIterable<unknown>, call: Call) {
    const seen: unknown[] = [];
    let definition: StreamDefinition | undefined;
    let sent = 0;
    for await (const request of requests) {
      const first = seen.length === 0;
      const { response_definition, full_duplex } = request as Request<StreamDefinition> & {
        full_duplex?: boolean;
      };
      seen.push(request);
      if (first) {
        definition = response_definition;
        setHeaders(definition, call);
        if (full_duplex !== true) continue;
      }
      if (!isFullDuplex(seen)) continue;
      const data = definition?.response_data?.[sent];
      if (data === undefined) break;
      await sleep(definition?.response_delay_ms ?? 0);
      const info =
        sent === 0 ? infoOf(call, [request]) : { requests: [anyOf(call.method.descriptor.input, request)] };
      yield { payload: { data, request_info: info } };
      sent++;
    }
    const rest = { ...definition, response_data: definition?.response_data?.slice(sent) ?? [] };
    yield* answerMany(rest, sent === 0 ? infoOf(call, seen) : undefined, call);
  }

  function infoOf(call: Call, requests: readonly unknown[]): RequestInfo {
    const request = requestOf(call);
    const timeoutMs = timeoutOf(call);
    return {
      request_headers: [...(call.headers as HeaderTable).entries()].map(([name, value]) => ({
        name,
        value: [value],
      })),
      requests: requests.map((one) => anyOf(call.method.descriptor.input, one)),
      ...(timeoutMs === undefined ? undefined : { timeout_ms: timeoutMs }),
      ...(request.method === "GET" ? { connect_get_info: { query_params: queryOf(request) } } : undefined),
    };
  }
}

interface Header {
  name: string;
  value?: string[];
}

interface Definition {
  response_headers?: Header[];
  response_trailers?: Header[];
  response_delay_ms?: number;
  error?: WantedError;
}

interface UnaryDefinition extends Definition {
  response_data?: string;
}

interface StreamDefinition extends Definition {
  response_data?: string[];
}

interface Request<D> {
  response_definition?: D;
}

interface RequestInfo {
  request_headers: Header[];
  requests: unknown[];
  timeout_ms?: number;
  connect_get_info?: { query_params: Header[] };
}

/** What the suite wants to see on the wire, unchanged by our tables. */
export interface WantedError {
  code?: string;
  message?: string;
  details?: { type_url: string; value: string }[];
}

async function answerOnce(definition: UnaryDefinition | undefined, info: RequestInfo, call: Call) {
  setHeaders(definition, call);
  await sleep(definition?.response_delay_ms ?? 0);
  if (definition?.error !== undefined) throw wanted(definition.error, info);
  return { payload: { data: definition?.response_data ?? "", request_info: info } };
}

async function* answerMany(
  definition: StreamDefinition | undefined,
  info: RequestInfo | undefined,
  call: Call,
) {
  setHeaders(definition, call);
  let first = info;
  for (const data of definition?.response_data ?? []) {
    await sleep(definition?.response_delay_ms ?? 0);
    yield { payload: first === undefined ? { data } : { data, request_info: first } };
    first = undefined;
  }
  if (definition?.error !== undefined) throw wanted(definition.error, first);
}

function isFullDuplex(seen: readonly unknown[]): boolean {
  return (seen[0] as { full_duplex?: boolean }).full_duplex === true;
}

function wanted(error: WantedError, info: RequestInfo | undefined): RefusalError {
  const details = [...(error.details ?? [])];
  return new RefusalError(
    refuse("STATE_CONFLICT", error.message ?? "", { extra: { wanted: { ...error, details }, info } }),
  );
}

function setHeaders(definition: Definition | undefined, call: Call): void {
  for (const { name, value } of definition?.response_headers ?? [])
    call.responseHeaders.set(name, (value ?? []).join(", "));
  for (const { name, value } of definition?.response_trailers ?? [])
    call.responseTrailers.set(name, (value ?? []).join(", "));
}

function anyOf(desc: DescMessage, plain: unknown) {
  const value = Buffer.from(toBinary(desc, fromPlain(desc, plain))).toString("base64");
  return { type_url: `type.googleapis.com/${desc.typeName}`, value };
}

function timeoutOf(call: Call): number | undefined {
  const connect = call.headers.get("connect-timeout-ms");
  if (connect !== undefined) return Number(connect);
  const grpc = call.headers.get("grpc-timeout");
  if (grpc === undefined) return undefined;
  const unit = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 }[grpc.at(-1)!] ?? 1;
  return Math.floor(Number(grpc.slice(0, -1)) * unit);
}

function queryOf(request: HttpRequest): Header[] {
  return [...new URLSearchParams(request.query)].map(([name, value]) => ({ name, value: [value] }));
}
