import type { Decision } from "#runtime";
import { type ActivationMessage, type Asked, answerTo, no, type Said } from "../../../kit/activation.ts";
import { liveDigest } from "../content.ts";
import type { Event, State } from "../state.ts";
import type { ContentKind } from "../version-content.ts";

type Twins = Readonly<Record<string, readonly unknown[]>>;

/** Events of a step, with the answer that the candidate waits for. */
export function replied(
  message: ActivationMessage,
  said: Said,
  events: readonly Event[] = [],
  twins?: Twins,
): Decision<Event> {
  const answer = answerTo(message, said);
  const all: readonly Event[] = answer ? [...events, { type: "answered", ...answer }] : events;
  return { events: all, ...(twins && { twins }) };
}

/** Why what is in force is not what the candidate compared with; of a repeated step nothing is compared. */
export function stale(state: State, artifacts: readonly Asked[]): Said | undefined {
  for (const { kind, base } of artifacts) {
    const digest = liveDigest(state, kind as ContentKind);
    if (digest !== base)
      return no("STALE_BASE", `the ${kind} of pool ${state.pool!.id} is ${digest} now, and was ${base}`);
  }
  return undefined;
}
