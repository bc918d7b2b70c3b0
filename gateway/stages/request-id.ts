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
  return given !== undefined && safe.test(given) ? given : randomUUID();
}

const safe = /^[A-Za-z0-9._:/+=@-]{1,128}$/;
