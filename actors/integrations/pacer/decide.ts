import type { Context, Decision } from "#runtime";
import type { PacerWant } from "../../notify/outbound/types.ts";
import { grant } from "./grant.ts";
import { apply, type Event, type State, type Wants } from "./state.ts";

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
  const { pace } = state;
  const events: Event[] = pace && pace.epoch !== epoch ? [{ type: "ended" }] : [];
  // A pacer that is new has given nothing, or what it gave is over: slots at once count from here.
  const theoreticalMs = Math.max(pace?.theoreticalMs ?? 0, now);
  events.push({ type: "paced", pace: { epoch, perSecond, burst, theoreticalMs } });
  return { events: withGrants(state, events, now) };
}

function wanted(
  state: State,
  { epoch, direct, broadcast, audience }: Extract<Command, { type: "pacer_want" }>,
  now: number,
): Decision<Event> {
  // Of a rate that has ended: the audience has heard of it by now, or will.
  if (state.pace?.epoch !== epoch) return { events: [] };
  const before = state.wants.get(audience) ?? { direct: 0, broadcast: 0 };
  const wants: Wants = {
    direct: Math.max(0, before.direct + direct),
    broadcast: Math.max(0, before.broadcast + broadcast),
  };
  return { events: withGrants(state, [{ type: "wanted", audience, wants }], now) };
}

/** What can be granted after these events, on a copy: a decision changes no state. */
function withGrants(state: State, events: readonly Event[], now: number): readonly Event[] {
  const after: State = { ...state, wants: new Map(state.wants) };
  for (const event of events) apply(after, event, noRows);
  return [...events, ...grant(after, now)];
}

const nothing = () => undefined;
const noRows = {
  now: 0,
  put: nothing,
  delete: nothing,
  deletePrefix: nothing,
  deleteRange: nothing,
  setTimer: nothing,
  clearTimer: nothing,
  effect: nothing,
  endEffect: nothing,
  send: nothing,
  publish: nothing,
  broadcast: nothing,
};
