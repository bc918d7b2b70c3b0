import type { AnyActorDefinition, RowWriter, StoredRow } from "#runtime";
import { listsIn, type Step } from "../../actors/workflows/body/body.ts";
import type { Command } from "../../actors/workflows/runs/decide.ts";
import type { State } from "../../actors/workflows/runs/state.ts";

/** A bug planted around the entity of a run, from outside: the model must find it. */
export type Plant = (definition: AnyActorDefinition) => AnyActorDefinition;

export const planted: Readonly<Record<string, Plant>> = {
  "a timer is lost": (definition) => ({
    ...definition,
    apply: (state, event, rows) => definition.apply(state, event, withoutTimers(rows)),
  }),
  "both branches are taken": deciding((command) => {
    if (command.type !== "create") return command;
    return { ...command, body: { ...command.body, steps: command.body.steps.map(takingAll) } };
  }),
  "a step is retried after an unknown outcome": deciding((command) => {
    if (command.type !== "finished") return command;
    const { outcomeUnknown: _, ...finished } = command.finished;
    return { ...command, finished };
  }),
  "the end of another attempt is believed": deciding((command, { steps }) => {
    if (command.type !== "finished") return command;
    const [step = ""] = command.ref.split("/");
    return { ...command, ref: `${step}/${steps.get(step)?.attempt}` };
  }),
  "the version is not pinned": (definition) => ({
    ...definition,
    restore: (state, row) => definition.restore(state, newer(row)),
  }),
};

function deciding(changed: (command: Command, state: State) => Command): Plant {
  return (definition) => ({
    ...definition,
    decide: (state, command, context) =>
      definition.decide(state, changed(command as Command, state as State), context),
  });
}

function withoutTimers(rows: RowWriter): RowWriter {
  return new Proxy(rows, {
    get(target, name: keyof RowWriter) {
      if (name === "setTimer") return () => undefined;
      const member = target[name];
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

function takingAll(step: Step): Step {
  if (step.type !== "branch" && step.type !== "parallel") return step;
  const { cases: _cases, else: _else, ...rest } = step;
  return {
    ...rest,
    type: "parallel",
    branches: listsIn(step).map(({ steps }) => steps.map(takingAll)),
  } as Step;
}

/** The present definition, instead of the run's version. */
function newer(row: StoredRow): StoredRow {
  if (row.collection !== "start") return row;
  const start = row.value as { readonly body: object };
  return { ...row, value: { ...start, body: { ...start.body, output: "newer" } } };
}
