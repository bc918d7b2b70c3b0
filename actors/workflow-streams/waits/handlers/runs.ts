import { hash, randomUUID } from "node:crypto";
import { invalid, isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import type { AwaitRequest, PublishRequest } from "#protos";
import { ask, tryAsk } from "../../../kit/ask.ts";
import { checkEnvironment } from "../../../kit/environment.ts";
import { getRun, signalRun } from "../../../kit/workflow-run.ts";
import type { CallContext, Handler } from "../../../module.ts";
import type { Access } from "../../../parts.ts";
import { moduleCaller } from "../../stream/record.ts";
import { getStream } from "../../stream/service.ts";
import { addEvent, addStream, awaitEvent } from "../service.ts";

/** Both the engine's run, where there is one, and the waits of the run hear of it. The engine's may refuse it. */
export async function publishEvent(published: PublishRequest, call: CallContext): Promise<unknown> {
  const { run_id: key, event_id } = published;
  const environment = await environmentOfRun(key, call);
  const event = { ...published, event_id: event_id || eventIdOf(call) };
  if (environment !== undefined) {
    const heard = await tryAsk(call, signalRun, { key, request: event, step: "/run" });
    if (isRefusal(heard) && heard.code !== "NOT_FOUND") throw new RefusalError(heard);
  }
  return ask(call, addEvent, { key, request: { ...event, ...environmentIn(environment) }, step: "/waits" });
}

export async function waitForEvent(wait: AwaitRequest, call: CallContext): Promise<unknown> {
  const environment = await environmentOfRun(wait.run_id, call);
  return ask(call, awaitEvent, { key: wait.run_id, request: { ...wait, ...environmentIn(environment) } });
}

/** A repeat of the request is the same event. */
function eventIdOf({ idempotency }: CallContext): string {
  return idempotency === undefined ? randomUUID() : hash("sha256", idempotency.scope, "hex");
}

function environmentIn(environment: string | undefined) {
  return environment === undefined ? {} : { environment };
}

/** The run keeps the name; the stream answers. */
export const createStream =
  (access: Access): Handler<"WorkflowStreamService.CreateStream"> =>
  async (given, call) => {
    const { run_id, authorization = {} } = given;
    const unknown = unknownRole(authorization, access);
    if (unknown) throw new RefusalError(unknown);
    const request = { ...given, ...environmentIn(await environmentOfRun(run_id, call)) };
    const { id } = await ask(call, addStream, { key: run_id, request, step: "create" });
    const made = await tryAsk(call, getStream, { key: id, request: { run_id, stream_id: id } });
    if (!isRefusal(made)) return made.response;
    // A repeat of a creation whose message to the stream is still under way.
    throw new RefusalError(made.code === "NOT_FOUND" ? beingMade : made);
  };

/** No caller could ever hold it: the stream would be closed to all. */
function unknownRole(authorization: object, access: Access): Refusal | undefined {
  for (const [list, names] of Object.entries(authorization))
    for (const [index, name] of names.entries())
      if (!access.isRole(name))
        return invalid({
          field: `authorization.${list}[${index}]`,
          reason: `${name} is not a role of this service`,
        });
  return undefined;
}

/** Of the run, where there is one: whatever the caller's headers say, it must be one that the caller may see. */
async function environmentOfRun(runId: string, call: CallContext): Promise<string | undefined> {
  const question = { key: runId, request: { run_id: runId } };
  const found = await tryAsk({ ...call, caller: moduleCaller(call.caller) }, getRun, question);
  if (isRefusal(found)) {
    if (found.code === "NOT_FOUND") return undefined;
    throw new RefusalError(found);
  }
  const { environment } = found.response;
  const hidden = checkEnvironment(environment, call.caller);
  if (hidden) throw new RefusalError(hidden);
  return environment;
}

const beingMade = refuse("UNAVAILABLE", "the stream is being made: ask again", {
  retryAfterMs: limits.retryAfterMs,
});
