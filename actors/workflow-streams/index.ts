/**
 * Owns the data streams of workflow runs. Entity (stream, tenant, stream id) is one stream: its records, consumers and retention.
 * Entity (workflow_wait, tenant, run id) lists the streams of a run and has the events that a workflow waits for.
 *
 * 1. Sequences start at 1 and have no gaps. An append is all or nothing, and no reader sees it before it is durable.
 * 2. A page begins with the record after its cursor, or its reader is told that this one is gone.
 * 3. The floor moves before anything under it is deleted, and never back. While a legal hold is set neither happens.
 * 4. Acknowledgements only go forward. Credit follows from them and from what is stored, never from who is connected.
 * 5. An input record and the message to its run are one commit; its event is published once, however often it is told.
 * 6. The definition never changes.
 * 7. An object can be read when its bytes are stored and its record is committed, and not otherwise. Its bytes are deleted after
 *    the commit that lets them go, by an effect.
 */
import type { Module } from "../module.ts";
import type { ModuleParts } from "../parts.ts";
import { LiveStreams } from "./stream/handlers/live-stream.ts";
import { objectEffects, readObjects, uploadObjects } from "./stream/handlers/objects.ts";
import { subscribeTo } from "./stream/handlers/subscribe.ts";
import { streamActor, streamQuestions } from "./stream/service.ts";
import { createStream, publishEvent, waitForEvent } from "./waits/handlers/runs.ts";
import { waitsActor } from "./waits/service.ts";
import { runDirectory } from "./waits/state.ts";

export function workflowStreams({ access, objects }: Pick<ModuleParts, "access" | "objects">): Module {
  return {
    name: "workflow-streams",
    actors: [streamActor, waitsActor],
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
