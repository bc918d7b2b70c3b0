import type { Context } from "#runtime";
import { nextRecord } from "../kit/record.ts";
import type { Card } from "./card.ts";
import type { Event, Told } from "./state.ts";

/** The event of a changed endpoint or preference. */
export function changed(
  card: Card,
  next: Card,
  { now }: Context,
  what: Pick<Told, "about" | "verb">,
  payload: object,
): Event {
  const after = nextRecord<Card>(card, next, now) ?? card;
  return { type: "card_put", before: card, after, told: [{ ...what, subject: card.id, payload }] };
}

export function toldOf({ externalId }: Card): { external_id: string } {
  return { external_id: externalId };
}
