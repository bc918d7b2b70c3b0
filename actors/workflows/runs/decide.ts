import { limits, refuse } from "#base";
import type { Context, Decision, EffectStep } from "#runtime";
import { checkEnvironment } from "../../kit/environment.ts";
import { after, type Bounds, listed, type PageRequest, pageOf } from "../../kit/list.ts";
import { limitReached } from "../../kit/record.ts";
import type { OriginFinished, RunSignal } from "../../kit/workflow-run.ts";
import { advance, type Happened } from "./advance.ts";
import type { CallResult } from "./answers.ts";
import { type RunCreation, runMessage, stepMessage } from "./record.ts";
import { isOver, type KeptEvent, type Run, type RunView } from "./run.ts";
import { type Event, isCompatible, type State } from "./state.ts";

export type Command =
  | RunCreation
  | OriginFinished
  | RunSignal
  | { readonly type: "effect"; readonly step: EffectStep<CallResult> }
  | { readonly type: "due" | "forget" | "purge" }
  | { readonly type: "get" | "cancel" | "retry" | "dismiss" }
  | (PageRequest & { readonly type: "steps" });

/** Every decision for a caller has its `answer`. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  if (command.type === "create") return create(state, command, context);
  if (command.type === "purge")
    return { events: [{ type: "forgotten", id: context.address.key }], frees: true };
  const { run } = state;
  // A stream tells of its input whether or not a run of the engine has its run id.
  if (isFromStream(command, context) && (!run || isOver(run.status))) return { events: [] };
  if (!run) return absent(context);
  const foreign = checkEnvironment(run.environment, context.caller);
  if (foreign) return foreign;
  switch (command.type) {
    case "effect":
      if (command.step.type === "begin") return { events: [] };
      return called(state, command.step.id, command.step.result, context);
    case "finished":
      return happens(state, command, context);
    case "due":
      return due(state, context);
    case "forget":
      return isOver(run.status)
        ? { events: [{ type: "forgotten", id: run.id }], frees: true }
        : { events: [] };
    case "signal":
      return signal(state, run, command.event, context);
    case "get":
      return { events: [], answer: messageOf(state, run) };
    case "steps":
      return listSteps(state, command, context);
    case "cancel":
      return cancel(state, run, context);
    case "retry":
      if (run.status !== "failed") return conflict(run, "only a failed run is retried");
      return happens(state, { type: "retried" }, context);
    case "dismiss":
      if (run.status !== "failed") return conflict(run, "only a failed run is dismissed");
      if (run.dismissedAt > 0) return { events: [], answer: messageOf(state, run) };
      return {
        events: [{ type: "dismissed", atMs: context.now }],
        answer: messageOf(state, { ...run, dismissedAt: context.now }),
      };
  }
}

function called(state: State, id: string, result: CallResult, context: Context): Decision<Event> {
  return happens(state, { type: "called", id, result }, context);
}

/** A message that comes again meets the run that it made. */
function create(state: State, creation: RunCreation, context: Context): Decision<Event> {
  if (state.run) return { events: [] };
  const { run, body, input, listed: known } = creation;
  if (!isCompatible({ body })) return { events: [creation] };
  const view: RunView = { run, input, steps: new Map(), events: [] };
  const advanced = advance(body, view, { type: "started" }, context.now);
  return { events: [creation, { type: "advanced", advanced, ...(known && { listed: known }) }] };
}

/** Messages, timers and effects of a run that is gone are late; callers are told. */
function absent(context: Context): Decision<Event> {
  if (context.caller === undefined) return { events: [] };
  return refuse("NOT_FOUND", "there is no such workflow run");
}

function happens(state: State, happened: Happened, context: Context): Decision<Event> {
  const { run } = state;
  if (!isCompatible(state)) return keep(state, happened);
  if (isOver(run!.status) && happened.type !== "retried")
    return { events: [], answer: messageOf(state, run!) };
  const advanced = advance(state.body!, viewOf(state), happened, context.now);
  const events: Event[] = [{ type: "advanced", advanced }];
  if (context.caller === undefined) return { events };
  const steps = new Map(state.steps);
  for (const step of advanced.steps) steps.set(step.id, step);
  return { events, answer: runMessage(advanced.run, state.input, steps.values(), false) };
}

function viewOf({ run, input, steps, events }: State): RunView {
  return { run: run!, input, steps, events: [...events.values()] };
}

/** The body is of a later build: what happens waits for that. */
function keep(state: State, happened: Happened): Decision<Event> {
  const number = Math.max(0, ...state.kept.keys()) + 1;
  if (happened.type === "retried" || happened.type === "cancelled")
    return refuse("FAILED_PRECONDITION", "the run was begun by a later version of the service", {
      reason: "INCOMPATIBLE",
    });
  return { events: [{ type: "kept", number, happened }] };
}

/** Its time has come; and a run that waited for this build goes on. */
function due(state: State, context: Context): Decision<Event> {
  if (!isCompatible(state)) return { events: [{ type: "looked" }] };
  if (state.run!.status !== "pending" && state.kept.size === 0)
    return happens(state, { type: "time" }, context);
  let view = viewOf(state);
  const events: Event[] = [];
  const happened: Happened[] = state.run!.status === "pending" ? [{ type: "started" }] : [];
  for (const one of [...happened, ...state.kept.values(), { type: "time" } as const]) {
    const advanced = advance(state.body!, view, one, context.now);
    events.push({ type: "advanced", advanced, unkept: true });
    const steps = new Map(view.steps);
    for (const step of advanced.steps) steps.set(step.id, step);
    const left = view.events.filter(({ number }) => !advanced.taken.includes(number));
    view = { ...view, run: advanced.run, steps, events: left };
  }
  return { events };
}

function isFromStream({ type }: Command, { caller }: Context): boolean {
  return type === "signal" && caller === undefined;
}

/** An event with an id that is known already is the same event. */
function signal(state: State, run: Run, event: RunSignal["event"], context: Context): Decision<Event> {
  const id = event.id || context.newId();
  if (state.seen.has(id)) return { events: [], answer: { event_id: id, duplicate: true } };
  if (isOver(run.status)) return conflict(run, "a run that has ended takes no signals");
  if (state.events.size >= limits.workflowEventsMax)
    return limitReached("a run", limits.workflowEventsMax, "signals that no step has waited for");
  const number = Math.max(0, ...state.events.keys()) + state.seen.size + 1;
  const kept: KeptEvent = { ...event, id, number };
  const answer = { event_id: id, duplicate: false };
  const signalled: Event = { type: "signalled", event: kept };
  if (!isCompatible(state)) return { events: [signalled], answer };
  const view = { ...viewOf(state), events: [...state.events.values(), kept] };
  const advanced = advance(state.body!, view, { type: "signalled" }, context.now);
  return { events: [signalled, { type: "advanced", advanced }], answer };
}

/** Again: it is the same request. */
function cancel(state: State, run: Run, context: Context): Decision<Event> {
  if (run.status === "cancelling" || run.status === "cancelled")
    return { events: [], answer: messageOf(state, run) };
  if (isOver(run.status)) return conflict(run, "a run that has ended is not cancelled");
  return happens(state, { type: "cancelled" }, context);
}

function listSteps(state: State, request: PageRequest, { address }: Context): Decision<Event> {
  const steps = [...state.steps.values()].map((step, index) => ({ step, index }));
  const list = {
    scope: [address.tenant, address.key, "steps"],
    shape: ["number"] as const,
    positionOf: ({ index }: (typeof steps)[number]) => [index],
    read: (bounds: Bounds) => after(steps, bounds, ({ index }, [last = 0]) => index > Number(last)),
  };
  return listed(
    "steps",
    pageOf(request, list, ({ step }) => stepMessage(step)),
  );
}

function messageOf(state: State, run: Run) {
  return runMessage(run, state.input, state.steps.values(), !isCompatible(state));
}

function conflict({ status }: Run, why: string): Decision<Event> {
  return refuse("STATE_CONFLICT", `${why}; this one is ${status}`, { extra: { run_status: status } });
}
