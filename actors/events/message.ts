import { toRfc3339 } from "#base";
import type { Caller, PublishedEvent } from "#runtime";
import { isInMode } from "../kit/environment.ts";
import { unpackSummaries } from "../kit/item-event.ts";

/** An event in the words of the contract. */
export interface EventMessage {
  readonly id: string;
  readonly kind: string;
  readonly tenant_id: string;
  readonly environment: string;
  readonly subject: string;
  readonly at: string;
  readonly payload: unknown;
}

/** One that tells of many items is a message for each. */
export function messagesOf(event: PublishedEvent): EventMessage[] {
  const { shard, seq, index, kind, tenant, environment, subject, atMs, payload } = event;
  const base = { kind, tenant_id: tenant, environment, at: toRfc3339(atMs) };
  const id = `${shard}-${seq}-${index}`;
  const items = unpackSummaries(payload);
  if (!items) return [{ ...base, id, subject, payload: payload ?? {} }];
  return items.map((item, i) => ({
    ...base,
    id: `${id}-${i}`,
    subject: item.id as string,
    payload: { pool_id: subject, ...item },
  }));
}

/** What is of no environment is seen in all of them. */
export function seesEvent(
  { tenant, environment, environmentMode }: Pick<Caller, "tenant" | "environment" | "environmentMode">,
  event: PublishedEvent,
): boolean {
  if (event.tenant !== tenant) return false;
  const where = event.environment;
  return where === "" || ((environment ?? where) === where && isInMode(where, environmentMode));
}

/** A kind without a dot stands for all that begin with it; none asks for all. */
export function isWanted(kind: string, kinds: readonly string[]): boolean {
  return kinds.length === 0 || kinds.some((one) => kind === one || kind.startsWith(`${one}.`));
}
