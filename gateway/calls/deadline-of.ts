import { limits, refusalError } from "#base";
import type { Wait } from "../contract/method.ts";
import type { Call } from "./call.ts";

/** When the caller no longer waits for the answer: its own timeout, else the default for this kind of call. */
export function deadlineOf(call: Call, message: unknown): number {
  const asked = askedTimeoutMs(call);
  if (asked !== undefined) return call.startedAtMs + Math.min(asked, timeoutMsMax(call));
  if (call.method.kind !== "unary") return call.startedAtMs + limits.streamTimeoutMs;
  const { wait } = call.method;
  if (wait !== undefined) return call.startedAtMs + waitMs(wait, message) + limits.longPollGraceMs;
  return call.startedAtMs + limits.requestTimeoutMs;
}

function timeoutMsMax(call: Call): number {
  return call.method.kind === "unary" ? limits.requestTimeoutMsMax : limits.streamTimeoutMs;
}

/** The message was checked: an absent field has its default. */
function waitMs(wait: Wait, message: unknown): number {
  return "ms" in wait ? wait.ms : (message as Record<string, number>)[wait.field]! * wait.unitMs;
}

function askedTimeoutMs(call: Call): number | undefined {
  if (call.protocol === "grpc" || call.protocol === "grpc-web") {
    const text = call.headers.get("grpc-timeout");
    return text === undefined ? undefined : grpcTimeoutMs(text);
  }
  const text = call.headers.get("connect-timeout-ms");
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,10}$/.test(text))
    throw refusalError("INVALID_ARGUMENT", "Connect-Timeout-Ms must be up to 10 digits");
  return Number(text);
}

function grpcTimeoutMs(text: string): number {
  const unit = unitsMs[text.at(-1) ?? ""];
  if (unit === undefined || !/^[0-9]{1,8}$/.test(text.slice(0, -1)))
    throw refusalError("INVALID_ARGUMENT", "grpc-timeout must be up to 8 digits and a unit");
  return Number(text.slice(0, -1)) * unit;
}

/** For grpc-js, which keeps milliseconds in 32 bits and takes a month for no time at all. No call of ours has longer than this. */
export function boundedGrpcTimeout(text: string): string {
  const askedMs = Number(text.slice(0, -1)) * (unitsMs[text.at(-1) ?? ""] ?? 0);
  return askedMs > limits.streamTimeoutMs ? `${limits.streamTimeoutMs}m` : text;
}

const unitsMs: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};
