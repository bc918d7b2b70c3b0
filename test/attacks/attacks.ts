import type { Attack, ListenerName } from "./attack.ts";
import { http1Attacks } from "./http1.ts";
import { http2Attacks } from "./http2.ts";
import { tenantAttacks } from "./tenant.ts";

export const allAttacks: readonly Attack[] = [...http1Attacks, ...http2Attacks, ...tenantAttacks];

export const serverSettings = [
  "server.workers=2",
  // Longer than the default: a stuck thread shows as a long wait, and a busy machine must not end the service.
  "server.stuck_after=60s",
];

/**
 * Whether an attacker with these credentials can try it there. The other listeners do not depend on the HTTP server, and only
 * planes of tenants take API keys.
 */
export function isTried(attack: Attack, listener: ListenerName, by: Attackers): boolean {
  if (by.httpServer === "node" && listener !== "http") return false;
  return by.hasKeys ? listener !== "internal" && listener !== "metrics" : attack.role === undefined;
}

export interface Attackers {
  readonly httpServer: string;
  /** Those of a tenant; the probes are calls of another one. Else everybody is the administrator of one tenant. */
  readonly hasKeys: boolean;
}
