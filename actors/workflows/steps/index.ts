/** Every kind of step. One whose module comes later is `absent`: a definition that has it is not published. */
import { action } from "./action.ts";
import { assign } from "./assign.ts";
import { branch } from "./branch.ts";
import { end } from "./end.ts";
import { enqueue } from "./enqueue.ts";
import { parallel } from "./parallel.ts";
import { route } from "./route.ts";
import type { StepType } from "./step-type.ts";
import { wait } from "./wait.ts";
import { waitEvent } from "./wait-event.ts";

export type { Answer, Call, Field, StepType } from "./step-type.ts";

export const stepTypes: Readonly<Record<string, StepType>> = {
  action,
  route,
  enqueue,
  assign,
  wait,
  wait_event: waitEvent,
  branch,
  parallel,
  end,
};

/** By type: the module that it needs. */
export const absentTypes: Readonly<Record<string, string>> = {
  notify: "notifications",
};

export function stepTypeOf(type: string): StepType | undefined {
  return Object.hasOwn(stepTypes, type) ? stepTypes[type] : undefined;
}
