/** Every kind of step. */
import { action } from "./action.ts";
import { assign } from "./assign.ts";
import { branch } from "./branch.ts";
import { end } from "./end.ts";
import { enqueue } from "./enqueue.ts";
import { notify } from "./notify.ts";
import { parallel } from "./parallel.ts";
import { route } from "./route.ts";
import type { StepType } from "./step-type.ts";
import { wait } from "./wait.ts";
import { waitEvent } from "./wait-event.ts";

export type { Answer, Call, Field, Form, StepType } from "./step-type.ts";

export const stepTypes: Readonly<Record<string, StepType>> = {
  action,
  notify,
  route,
  enqueue,
  assign,
  wait,
  wait_event: waitEvent,
  branch,
  parallel,
  end,
};

export function stepTypeOf(type: string): StepType | undefined {
  return Object.hasOwn(stepTypes, type) ? stepTypes[type] : undefined;
}
