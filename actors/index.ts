/** The domain, one folder per module, all of the same shape; this is the list. */
import { directory } from "./directory/index.ts";
import { events } from "./events/index.ts";
import type { Module } from "./module.ts";
import { pools } from "./pools/index.ts";
import { queues } from "./queues/index.ts";
import { routing } from "./routing/index.ts";

export {
  type CallContext,
  type KeyRing,
  type Module,
  type Orchestration,
  type Question,
  RefusedMessage,
  type StreamHandler,
} from "./module.ts";
export {
  type Outgoing,
  type OutgoingConnection,
  OutgoingError,
  type OutgoingRequest,
  type OutgoingResponse,
} from "./outgoing.ts";
export { openCursor, sealCursor } from "./shared/cursor.ts";
export { cursorSecretOf } from "./shared/cursor-secret.ts";

export const modules: readonly Module[] = [directory, pools, routing, queues, events];
