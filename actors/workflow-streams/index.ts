/**
 * Owns the data streams of workflow runs. Entity (stream, tenant, stream id) is one stream: its records, consumers and retention.
 * Entity (workflow_wait, tenant, run id) lists the streams of a run and has the events that a workflow waits for.
 *
 * 1. Sequences start at 1 and have no gaps. An append is all or nothing, and told to nobody before it is durable.
 * 2. A page begins with the record after its cursor, or its reader is told that this one is gone.
 * 3. The floor moves before anything under it is deleted, and never back. While a legal hold is set neither happens.
 * 4. Acknowledgements only go forward. Credit follows from them and from what is stored, never from who is connected.
 * 5. An input record and the message to its run are one commit; its event is published once, however often it is told.
 * 6. The definition never changes.
 * 7. An object can be read when its bytes are stored and its record is committed, and not otherwise. Its bytes are deleted after
 *    the commit that lets them go, by an effect.
 */
import { limits } from "#base";
import { defineActor } from "#runtime";
import type { EntityPurge } from "../kit/directory.ts";
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import { type Command, decide, wake } from "./decide.ts";
import { objectEffects, readObjects, uploadObjects } from "./handlers/objects.ts";
import type { InputMessage } from "./input.ts";
import { LiveStreams } from "./live-stream.ts";
import { decideRun, type RunCommand, wakeRun } from "./run-decide.ts";
import { applyRun, emptyRun, restoreRun, runDirectory, runResident } from "./run-state.ts";
import { createStream, methods, publishEvent, runMethods, streamQuestions, waitForEvent } from "./service.ts";
import { apply, bytesOf, empty, resident, restore, seal } from "./state.ts";
import type { StreamCreation, StreamGone, StreamPurge } from "./stream.ts";
import { subscribeTo } from "./subscribe.ts";

export function workflowStreams({ access, objects }: Pick<ModuleParts, "access" | "objects">): Module {
  return {
    name: "workflow-streams",
    actors: [
      defineActor({
        kind: "stream",
        placement: "key",
        empty,
        resident,
        restore,
        bytesOf,
        decide,
        apply,
        seal,
        wake,
        methods,
        onMessage: (message): Command => message as StreamCreation | StreamPurge,
        onTimer: timerCommand,
        onEffect: (): Command => ({ type: "effect_step" }),
      }),
      defineActor({
        kind: "workflow_wait",
        placement: "key",
        empty: emptyRun,
        resident: runResident,
        restore: restoreRun,
        restMs: limits.workflowRestMs,
        decide: decideRun,
        apply: applyRun,
        wake: wakeRun,
        methods: runMethods,
        onMessage: (message): RunCommand => message as InputMessage | StreamGone | EntityPurge,
        onTimer: (): RunCommand => ({ type: "rest" }),
      }),
    ],
    directories: [runDirectory],
    orchestrations: {
      ...streamQuestions,
      "WorkflowStreamService.CreateStream": createStream(access),
      "WorkflowWaitService.SignalRun": publishEvent,
      "WorkflowWaitService.Publish": publishEvent,
      "WorkflowWaitService.WaitForEvent": waitForEvent,
      "WorkflowWaitService.Await": waitForEvent,
    },
    streams: {
      "WorkflowStreamService.Subscribe": subscribeTo(new LiveStreams()),
      "WorkflowStreamService.UploadObject": uploadObjects(objects),
      "WorkflowStreamService.GetObject": readObjects(objects),
    },
    effects: objectEffects(objects),
  };
}

function timerCommand(timerId: string): Command {
  if (timerId === "trim") return { type: "trim" };
  if (timerId === "purge") return { type: "purge_on" };
  return { type: "expire_object", id: timerId.slice("object.".length) };
}
