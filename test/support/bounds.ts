import { limits } from "#base";
import type { ThreadBounds } from "../../gateway/http/bounds.ts";
import { ConnectionCount } from "../../gateway/http/connection-count.ts";
import { HeldBytes } from "../../gateway/http/held-bytes.ts";

/** The default bounds of a process with one thread. */
export function testBounds(changed: Partial<ThreadBounds> = {}): ThreadBounds {
  return {
    requests: new HeldBytes(limits.requestMemoryMax),
    answers: new HeldBytes(limits.requestMemoryMax),
    connectionUnreadMax: limits.connectionUnreadBytesMax,
    connections: new ConnectionCount({ max: 10_000, counts: new SharedArrayBuffer(4), own: 0 }),
    ...changed,
  };
}
