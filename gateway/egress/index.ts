/**
 * The one way out: an HTTP client and plain connections, both behind one guard that keeps calls away from private networks
 * and metadata services. Every answer is bounded in bytes and time. Nothing is kept here.
 */
import type { Outgoing } from "#actors";
import { OutgoingClient } from "./client.ts";
import { connect } from "./connect.ts";
import { EgressGuard, type GuardParts, type GuardSettings } from "./guard.ts";

export type { GuardParts, GuardSettings } from "./guard.ts";
export { Seldom } from "./seldom.ts";

export interface ClosableOutgoing extends Outgoing {
  close(): Promise<void>;
}

/** `tls.ca`: trusted besides the system's own, for tests and private authorities. */
export function createOutgoing(
  settings: GuardSettings,
  parts: GuardParts & { readonly tls?: { readonly ca?: string } } = {},
): ClosableOutgoing {
  const guard = new EgressGuard(settings, parts);
  const client = new OutgoingClient(guard, parts.tls);
  return {
    request: (request) => client.request(request),
    connect: (target) => connect(guard, target),
    denies: (host) => guard.denies(host),
    close: () => client.close(),
  };
}
