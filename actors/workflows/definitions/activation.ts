import { digestOf, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { type ActivationMessage, answerTo, type Said } from "../../kit/activation.ts";
import { decideStep, goneAnswer, type Outcome, versionsRead } from "../../kit/activation-record.ts";
import type { Body } from "../body/body.ts";
import { type Changed, changedWith } from "./changed.ts";
import type { Definition } from "./record.ts";
import { type Event, type State, versionId, versions } from "./state.ts";

/** A step of a promotion. It is never refused: the candidate waits for an answer, also of a definition that is gone. */
export function decideActivation(
  { definition }: State,
  message: ActivationMessage,
  context: Context,
): Decision<Event> {
  if (definition?.id !== message.targetId)
    return { events: answered(message, goneAnswer(message, "workflow definition")) };
  const numbers = versionsRead(message, definition.active);
  const found = versions.getMany(numbers.map(versionId), context);
  const read = (version: number) => found[numbers.indexOf(version)]?.body;
  const { environment, active, governed = {}, archived } = definition;
  const detail = "the workflow is archived: restore it first";
  const outcome = decideStep(
    {
      environment,
      active,
      governed,
      digestOf(version) {
        const body = read(version);
        return body && digestOf(body);
      },
      blocking: archived ? [{ reason: "DEPENDENCY_INACTIVE", detail }] : [],
    },
    message,
    context.now,
  );
  const changed = changedBy(definition, outcome, read, context.now);
  const events: readonly Event[] = changed ? [{ type: "put", ...changed }] : [];
  return { events: [...events, ...answered(message, outcome.said)] };
}

/** Only another active version is a change that callers and notifications see. */
function changedBy(
  definition: Definition,
  { governed, active }: Outcome,
  read: (version: number) => Body | undefined,
  now: number,
): Changed | undefined {
  if (governed === undefined) return undefined;
  const next = { ...definition, governed };
  if (active === undefined) return { definition: next };
  return changedWith(definition, { ...next, active }, now, read(active)) ?? { definition: next };
}

function answered(message: ActivationMessage, said: Said): readonly Event[] {
  const answer = answerTo(message, said);
  return answer ? [{ type: "answered", ...answer }] : [];
}

/** Why the active version cannot be changed directly now. */
export function refuseDirect({ key, governed }: Definition): Refusal | undefined {
  if (governed?.prepared === undefined) return undefined;
  return refuse(
    "FAILED_PRECONDITION",
    `the workflow ${key} cannot be changed: promotion ${governed.prepared} is about to change it`,
    { reason: "GOVERNED" },
  );
}
