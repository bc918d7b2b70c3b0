import type { Context, Decision } from "#runtime";
import type { PacerWant } from "../../notify/outbound/types.ts";
import { grant } from "./grant.ts";
import type { Event, State, Wants } from "./state.ts";

export type PacerCommand =
  | { readonly type: "paced"; readonly epoch: number; readonly perSecond: number; readonly burst: number }
  | { readonly type: "pace_ended" };

export type Command = PacerCommand | (PacerWant & { readonly audience: string }) | { readonly type: "grant" };

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  const { now } = context;
  switch (command.type) {
    case "paced":
      return paced(state, command, now);
    case "pace_ended":
      return { events: [{ type: "ended" }] };
    case "pacer_want":
      return wanted(state, command, now);
    case "grant":
      return { events: grant(state, now) };
  }
}

/** A new rate counts from now on: what was granted under the old one stays granted. */
function paced(
  state: State,
  { epoch, perSecond, burst }: Extract<Command, { type: "paced" }>,
  now: number,
): Decision<Event> {
  const isNew = state.pace?.epoch !== epoch;
  // A pacer that is new has given nothing, or what it gave is over: slots at once count from here.
  const theoreticalMs = Math.max(state.pace?.theoreticalMs ?? 0, now);
  const pace = { epoch, perSecond, burst, theoreticalMs };
  const wants = isNew ? new Map<string, Wants>() : state.wants;
  const ended: Event[] = isNew && state.pace ? [{ type: "ended" }] : [];
  return { events: [...ended, { type: "paced", pace }, ...grant({ ...state, pace, wants }, now)] };
}

function wanted(
  state: State,
  { epoch, direct, broadcast, audience }: Extract<Command, { type: "pacer_want" }>,
  now: number,
): Decision<Event> {
  // Of a rate that has ended: the audience has heard of it by now, or will.
  if (state.pace?.epoch !== epoch) return { events: [] };
  const before = state.wants.get(audience);
  const wants: Wants = {
    direct: Math.max(0, (before?.direct ?? 0) + direct),
    broadcast: Math.max(0, (before?.broadcast ?? 0) + broadcast),
  };
  const after = { ...state, wants: new Map(state.wants).set(audience, wants) };
  return { events: [{ type: "wanted", audience, wants }, ...grant(after, now)] };
}
