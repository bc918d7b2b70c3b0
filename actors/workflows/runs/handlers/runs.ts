import { handleOf, invalid, isRefusal, limits, type Refusal, RefusalError, refuse } from "#base";
import type { StartRunRequest } from "#protos";
import { ask, tryAsk } from "../../../kit/ask.ts";
import { schemaErrors } from "../../../kit/json-schema.ts";
import { list } from "../../../kit/partitioned.ts";
import { runIndexes, runIndexOf } from "../../../kit/workflow-run.ts";
import type { CallContext, Handlers } from "../../../module.ts";
import type { Pinned } from "../../definitions/decide.ts";
import { findDefinition } from "../../definitions/handlers/definitions.ts";
import { getBrief, pin } from "../../definitions/service.ts";
import type { StartCommand } from "../../run-index/decide.ts";
import { beginRun, getStats, listedRuns } from "../../run-index/service.ts";

export const runOrchestrations: Handlers = {
  /** The run keeps the body that it begins with. What a repeat meets is decided where the first one was. */
  async "WorkflowRunService.StartRun"(asked, call) {
    const { run_key: runKey = "", input = null } = asked;
    const pinned = await pinnedVersion(asked, call);
    const { caller, idempotency } = call;
    const { key } = runIndexOf(caller.tenant, runKey || (idempotency?.scope ?? caller.requestId));
    return ask(call, beginRun, { key, request: startOf(pinned, input, runKey), step: "" });
  },

  async "WorkflowRunService.ListRuns"(request, call) {
    const { definition_id: id } = request;
    // Of a definition that is not there, the caller is told rather than shown no runs.
    if (id !== undefined) await ask(call, getBrief, { key: handleOf(id), request: { id } });
    return list(listedRuns, runIndexes, "descending", request, call);
  },

  async "WorkflowRunService.GetRunFigures"({ window_seconds: seconds = 3_600 }, call) {
    const { environment } = call.caller;
    const request = { windowMs: seconds * 1_000, ...(environment !== undefined && { environment }) };
    const parts = await Promise.all(runIndexes.keys.map((key) => ask(call, getStats, { key, request })));
    const names = ["terminals", "failed", "idle", "incompatible", "dead", "total"] as const;
    return Object.fromEntries(names.map((name) => [name, parts.reduce((sum, part) => sum + part[name], 0)]));
  },
};

function startOf(pinned: Pinned | Refusal, input: unknown, runKey: string): StartCommand {
  if (isRefusal(pinned)) return { type: "refuse", refusal: pinned };
  const refusal = wrongInput(pinned, input);
  return refusal ? { type: "refuse", refusal } : { ...pinned, type: "start", input, runKey };
}

async function pinnedVersion(asked: StartRunRequest, call: CallContext): Promise<Pinned | Refusal> {
  const { definition_id, definition_key: key, version, run_key } = asked;
  if ((definition_id === undefined) === (key === undefined)) {
    const reason = "is to be set, or definition_key: one of them";
    throw new RefusalError(invalid({ field: "definition_id", reason }));
  }
  const id = definition_id ?? (await findDefinition(key!, call));
  if (id === undefined) return refuse("NOT_FOUND", `there is no workflow definition with the key ${key}`);
  const which = { ...(version !== undefined && { version }), ...(run_key !== undefined && { run_key }) };
  const answer = await tryAsk(call, pin, { key: handleOf(id), request: { id, ...which } });
  return isRefusal(answer) ? answer : answer.response;
}

function wrongInput({ body }: Pinned, input: unknown): Refusal | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(input));
  const most = limits.workflowInputBytesMax;
  if (bytes > most) return refuse("PAYLOAD_TOO_LARGE", `the input has ${bytes} bytes, more than ${most}`);
  const fields = body.input === undefined ? [] : schemaErrors(body.input, input, "input");
  return fields.length > 0 ? invalid(...fields) : undefined;
}
