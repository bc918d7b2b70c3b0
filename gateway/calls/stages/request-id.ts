import { randomUUID } from "node:crypto";
import type { Headers } from "../call.ts";
import type { PipelineParts, Stage } from "./stage.ts";

/** The caller's own id where it is safe to log and echo, else a new one. */
export function requestId(_parts: PipelineParts): Stage {
  return {
    name: "request-id",
    enter(call) {
      call.requestId = requestIdOf(call.headers);
      call.responseHeaders.set("x-request-id", call.requestId);
    },
  };
}

/** Also for answers that never reach a pipeline. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get("x-request-id");
  return given !== undefined && safe.test(given) ? given : newRequestId();
}

const safe = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

let series = "";
let made = 0;

/**
 * A UUID whose first 28 characters are drawn at random once, and whose last eight count: no two threads share the former,
 * no two calls of a thread the latter. Drawing all of it for every call takes five times as long.
 */
export function newRequestId(): string {
  if (made === 0) series = randomUUID().slice(0, 28);
  made = (made + 1) >>> 0;
  // Odd, so every count has a number of its own; large, so that neighbours do not look alike.
  const n = Math.imul(made, 0x9e3779b1);
  return series + hex[n >>> 24] + hex[(n >>> 16) & 255] + hex[(n >>> 8) & 255] + hex[n & 255];
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
