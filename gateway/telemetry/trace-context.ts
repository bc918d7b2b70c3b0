import { randomBytes } from "node:crypto";

/** W3C Trace Context, level 1. */
export interface TraceContext {
  readonly traceId: string;
  readonly parentId: string;
  readonly sampled: boolean;
}

export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const match = header === undefined ? null : pattern.exec(header);
  if (match === null) return undefined;
  const [, version, traceId, parentId, flags, rest = ""] = match;
  // Version 00 has exactly four parts; a later one may have more; ff is never a version.
  if (version === "ff" || (version === "00" && rest !== "") || zeros.test(traceId!) || zeros.test(parentId!))
    return undefined;
  return { traceId: traceId!, parentId: parentId!, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}

export function printTraceparent(context: TraceContext): string {
  return `00-${context.traceId}-${context.parentId}-${context.sampled ? "01" : "00"}`;
}

export function newSpanId(): string {
  return randomBytes(8).toString("hex");
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;
