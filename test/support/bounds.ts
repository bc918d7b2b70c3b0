import { limits } from "#base";
import { ConnectionCount, HeldBytes, type ThreadBounds } from "../../gateway/http/bounds.ts";

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
