import type { ConnectionCount } from "./connection-count.ts";
import type { HeldBytes } from "./held-bytes.ts";

/** What one thread takes of clients at most, whichever of its listeners and tenants they come by. */
export interface ThreadBounds {
  /** Of bodies and messages that are not complete. */
  readonly requests: HeldBytes;
  /** Of answers that their clients have not read. */
  readonly answers: HeldBytes;
  /** One connection with more than this unread gets no further request answered. */
  readonly connectionUnreadMax: number;
  readonly connections: ConnectionCount;
}
