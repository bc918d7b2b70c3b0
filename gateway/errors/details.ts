import {
  create,
  type DescFile,
  type DescMessage,
  fromJson,
  type JsonObject,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { errorCodes, limits, once, type Refusal, type RefusalExplanation } from "#base";
import { contractBytes, loadRegistry } from "#protos";
import { retryAfterMsOf } from "./headers.ts";

/** A refusal's machine-readable parts as the google.rpc messages that Connect and gRPC clients know. */
export interface Detail {
  readonly desc: DescMessage;
  readonly value: Message;
}

export function detailsOf(refusal: Refusal, requestId: string): readonly Detail[] {
  const details = [detail("ErrorInfo", errorInfo(refusal, requestId))];
  if (refusal.fields !== undefined) {
    const fieldViolations = refusal.fields.map(({ field, reason }) => ({ field, description: reason }));
    details.push(detail("BadRequest", { fieldViolations }));
  }
  const retryAfterMs = retryAfterMsOf(refusal);
  if (retryAfterMs !== undefined) details.push(detail("RetryInfo", { retryDelay: duration(retryAfterMs) }));
  if (refusal.explanation !== undefined) details.push(routingFailure(refusal.explanation));
  return details;
}

/** Where the messages of details are written down. */
export function errorDetailFiles(): readonly DescFile[] {
  return ["google.rpc.ErrorInfo", "service.api.RoutingFailure"].map((name) => descOf(name).file);
}

/** google.rpc.Status, as it stands in `grpc-status-details-bin`. */
export function statusBytes(refusal: Refusal, requestId: string): Uint8Array {
  const status = detail("Status", {
    code: errorCodes[refusal.code].grpc,
    message: refusal.detail,
    details: detailsOf(refusal, requestId).map(({ desc, value }) => ({
      $typeName: "google.protobuf.Any",
      typeUrl: `type.googleapis.com/${desc.typeName}`,
      value: toBinary(desc, value),
    })),
  });
  return toBinary(status.desc, status.value);
}

function errorInfo(refusal: Refusal, requestId: string) {
  const metadata: Record<string, string> = {
    retryable: String(errorCodes[refusal.code].retryable),
    request_id: requestId,
  };
  if (refusal.reason !== undefined) metadata.reason = refusal.reason;
  for (const [name, value] of Object.entries(refusal.extra ?? {}))
    metadata[name] = typeof value === "string" ? value : JSON.stringify(value);
  return { reason: refusal.code, domain: "service.api", metadata };
}

/** As many of the candidates as trailers have room for. */
function routingFailure({ candidates, leftOut }: RefusalExplanation): Detail {
  const desc = descOf("service.api.RoutingFailure");
  const one = descOf("service.api.CandidateExplanation");
  const explanation: JsonObject[] = [];
  let bytes = 0;
  for (const candidate of candidates as readonly JsonObject[]) {
    // One byte for the field, one or two for the length.
    bytes += toBinary(one, fromJson(one, candidate)).byteLength + 3;
    if (bytes > limits.explainedTrailerBytesMax) break;
    explanation.push(candidate);
  }
  const left = leftOut + candidates.length - explanation.length;
  const json = { explanation, ...(left > 0 && { explanation_left_out: left }) };
  return { desc, value: fromJson(desc, json) };
}

function duration(ms: number) {
  const seconds = Math.floor(ms / 1_000);
  return { seconds: BigInt(seconds), nanos: Math.round((ms - seconds * 1_000) * 1e6) };
}

function detail(name: string, init: object): Detail {
  const desc = descOf(`google.rpc.${name}`);
  return { desc, value: create(desc, init as never) };
}

const registry = once(() => loadRegistry(contractBytes()));

function descOf(name: string): DescMessage {
  const desc = registry().getMessage(name);
  if (desc === undefined) throw new Error(`the contract has no ${name}`);
  return desc;
}
