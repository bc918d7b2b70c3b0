import type { Random } from "#base";
import type { AnyActorDefinition } from "../../runtime/index.ts";

/** A module that throws: the runtime has to undo what the command did so far, and nothing else. */
export class FlakyError extends Error {
  override readonly name = "FlakyError";
}

export function isFlaky(error: unknown): boolean {
  return error instanceof FlakyError;
}

/** The same entity with a bug that shows now and then: before, between and after its changes. */
export function flaky(
  definition: AnyActorDefinition,
  random: Random,
  chance: () => number,
): AnyActorDefinition {
  const stumble = (where: string) => {
    if (random.chance(chance())) throw new FlakyError(`${definition.kind} failed ${where}`);
  };
  return {
    ...definition,
    decide: (state, command, context) => {
      stumble("in decide");
      return definition.decide(state, command, context);
    },
    apply: (state, event, rows) => {
      definition.apply(state, event, rows);
      stumble("in apply");
    },
    beforeCommit: (state, rows) => {
      definition.beforeCommit?.(state, rows);
      stumble("in beforeCommit");
    },
  };
}
