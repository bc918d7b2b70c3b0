import { systemTenantId } from "#base";
import type { Door, Doors, Outcome } from "./clients.ts";
import { probeContract } from "./service.ts";

export type Message = Record<string, unknown>;

/** Calls methods by name through one door, as this principal. */
export function caller(door: Door, who: string) {
  return (name: string, request: Message = {}, headers: Record<string, string> = {}): Promise<Outcome> =>
    door.unary(probeContract.byName.get(name)!, request, { authorization: `Bearer ${who}`, ...headers });
}

/** The id of a new tenant. */
export async function createTenant(doors: Doors, fields: Message = {}): Promise<string> {
  const made = await caller(doors.grpc, `admin@${systemTenantId}`)("TenantService.CreateTenant", {
    name: "acme",
    ...fields,
  });
  return (made as { message: { id: string } }).message.id;
}

export function errorOf(outcome: Outcome): Message {
  return outcome.ok ? { answered: outcome.message } : { ...outcome.error };
}
