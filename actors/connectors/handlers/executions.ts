import { handleOf, isRefusal, limits } from "#base";
import type { ExecuteActionRequest, PreviewActionRequest } from "#protos";
import { TemplateError } from "../../cel/template.ts";
import { ask, tryAsk } from "../../kit/ask.ts";
import type { CallContext, Handlers } from "../../module.ts";
import type { Action, Mutation } from "../catalogue/types.ts";
import { missingScopes } from "../connection/executions.ts";
import { awaitExecution, look, execute as storeExecution } from "../connection/methods.ts";
import { mutationOf, type Prepared, prepare } from "../effects/request.ts";
import type { Parts } from "../parts.ts";
import { snapshot } from "../provider-config/methods.ts";
import type { ProviderConfig } from "../provider-config/state.ts";
import { checkJson, failed, notFound, waitOf, wrong } from "./checks.ts";
import { KnownConnections, recordOf } from "./connections.ts";

export function executionMethods(given: Parts): Handlers {
  const parts = { ...given, connections: new KnownConnections() };
  return {
    "ConnectorService.ExecuteAction": (asked, call) => execute(parts, asked, call),
    "ConnectorService.PreviewAction": (asked, call) => preview(parts, asked, call),
  };
}

interface ExecutionParts extends Parts {
  readonly connections: KnownConnections;
}

/** What an execution would be, or why there is none. */
interface Planned {
  readonly action: Action;
  readonly config: ProviderConfig;
  readonly mutation: Mutation;
  readonly prepared: Prepared;
  readonly input: unknown;
  readonly bytes: number;
}

async function execute(
  parts: ExecutionParts,
  asked: ExecuteActionRequest,
  call: CallContext,
): Promise<unknown> {
  const { action, config, mutation, input, bytes } = await plan(parts, asked, call);
  const { key: action_key, runtimeStatus, runtimeReason } = action;
  if (runtimeStatus !== "executable")
    throw failed("ACTION_NOT_EXECUTABLE", `${action_key} is ${runtimeStatus} (${runtimeReason})`);
  if (config.status !== "active")
    throw failed("PROVIDER_CONFIG_INACTIVE", `the provider config is ${config.status}`);
  const key = handleOf(asked.connection_id);
  const { deadline_seconds: deadline, wait_seconds = 0 } = asked;
  const execution = await ask(call, storeExecution, {
    key,
    request: {
      action_key,
      action_version: action.provider.file.version,
      mutation,
      scopes: action.file.scopes?.any_of ?? [],
      input,
      bytes,
      deadline_ms: deadline === undefined ? limits.executionDeadlineMs : deadline * 1_000,
      limits: action.provider.limits,
    },
    step: "",
  });
  const waitMs = waitOf(call, wait_seconds * 1_000);
  if (waitMs === 0) return execution;
  const answer = await tryAsk(call, awaitExecution, { key, request: { id: execution.id, waitMs } });
  // It is stored and goes on. A caller that is refused here would execute it once more.
  return isRefusal(answer) ? execution : answer.response;
}

/** Everything that can be wrong is said before anything is stored. */
async function plan(
  parts: ExecutionParts,
  asked: Pick<PreviewActionRequest, "key" | "connection_id" | "input">,
  call: CallContext,
): Promise<Planned> {
  const action = parts.catalogue().actions.get(asked.key);
  if (action === undefined) throw notFound(`the catalogue has no action ${asked.key}`);
  const input = asked.input ?? {};
  const bytesMax = limits.executionInputBytesMax;
  const bytes = checkJson("input", input, { bytesMax, validate: action.validateInput });
  const { id, providerKey, providerConfigId } = await parts.connections.of(asked.connection_id, call);
  if (providerKey !== action.provider.key)
    throw wrong("connection_id", `is a connection to ${providerKey}, not to ${action.provider.key}`);
  const key = handleOf(providerConfigId);
  const config = await ask(call, snapshot, { key, request: { connection_id: id } });
  const values = { input, config: config.config, now: call.clock.now() };
  try {
    const mutation = mutationOf(action, values);
    return { action, config, mutation, prepared: prepare(action, values), input, bytes };
  } catch (error) {
    if (error instanceof TemplateError) throw wrong("input", error.message);
    throw error;
  }
}

async function preview(
  parts: ExecutionParts,
  asked: PreviewActionRequest,
  call: CallContext,
): Promise<unknown> {
  const { action, config, mutation, prepared } = await plan(parts, asked, call);
  const record = await recordOf(asked.connection_id, look, call);
  const missing = missingScopes(record, action.file.scopes?.any_of ?? []);
  const against = [
    action.runtimeStatus !== "executable" && "ACTION_NOT_EXECUTABLE",
    config.status !== "active" && "PROVIDER_CONFIG_INACTIVE",
    record.status !== "active" && "CONNECTION_NOT_ACTIVE",
    missing.length > 0 && "MISSING_SCOPES",
  ];
  const reason = against.find((one) => one !== false) ?? "";
  return {
    transport: action.file.transport ?? "http",
    method: prepared.method,
    url: prepared.url,
    headers: prepared.headers,
    body: prepared.body ?? (prepared.mail === undefined ? "" : JSON.stringify(prepared.mail)),
    mutation,
    missing_scopes: missing,
    executable: reason === "",
    reason,
  };
}
