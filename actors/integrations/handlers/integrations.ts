import { type FieldError, invalid, limits, RefusalError, refusalError } from "#base";
import type { CreateIntegrationRequest } from "#protos";
import { ask, contractMethod } from "../../kit/ask.ts";
import type { CallContext, Handlers } from "../../module.ts";
import { bytesOf } from "../../notify/length.ts";
import type { Provider } from "../../notify/outbound/types.ts";
import { conditionCel } from "../../notify/preference.ts";
import type { ModuleParts } from "../../parts.ts";
import { providerOf } from "./connection.ts";
import type { StaticConnections } from "./static-connections.ts";

interface Parts extends Pick<ModuleParts, "call"> {
  readonly files: StaticConnections;
  /** Those that this installation has. */
  readonly providers: ReadonlyMap<string, Provider>;
}

const create = contractMethod("integrations", "IntegrationService.CreateIntegration");
const update = contractMethod("integrations", "IntegrationService.UpdateIntegration");
const get = contractMethod("integrations", "IntegrationService.GetIntegration");

export function integrationMethods(parts: Parts): Handlers {
  return {
    "IntegrationService.CreateIntegration": async (request, call) => {
      await check(parts, request, request.channel, call);
      return ask(call, create, { request, step: "" });
    },
    "IntegrationService.UpdateIntegration": async (request, call) => {
      const { channel } = await ask(call, get, { request: { integration_id: request.integration_id } });
      await check(parts, request, channel, call);
      return ask(call, update, { request, step: "" });
    },
  };
}

type Given = Omit<CreateIntegrationRequest, "channel">;

async function check(
  { files, call: moduleCall, providers }: Parts,
  request: Given,
  channel: string,
  call: CallContext,
): Promise<void> {
  const { provider_key, connection_id: id = "" } = request;
  const provider = providers.get(provider_key);
  if (provider === undefined)
    throw refusalError("FAILED_PRECONDITION", `the provider ${provider_key} is switched off here`, {
      reason: "PROVIDER_DISABLED",
    });
  const problems = problemsOf(request, channel, provider);
  if (provider.connected && problems.length === 0) {
    const of = await providerOf(files, moduleCall, id, call);
    const reason = `the connection ${id} is of ${of}: the integration needs one of ${provider.key}`;
    if (of !== provider.key) problems.push({ field: "connection_id", reason });
  }
  if (problems.length > 0) throw new RefusalError(invalid(...problems));
}

function problemsOf(request: Given, channel: string, facts: Provider): FieldError[] {
  const { provider_key, connection_id = "", condition = "", metadata = {} } = request;
  const problems: FieldError[] = [];
  const channels: readonly string[] = facts.channels;
  if (!channels.includes(channel))
    problems.push({
      field: "provider_key",
      reason: `${provider_key} sends ${channels.join(", ")}, not ${channel}`,
    });
  if (facts.connected !== (connection_id !== "")) {
    const reason = `${provider_key} ${facts.connected ? "needs a" : "has no"} connection`;
    problems.push({ field: "connection_id", reason });
  }
  const wrong = condition === "" ? [] : conditionCel.conditionProblems(condition);
  for (const { line, column, reason } of wrong.slice(0, limits.fieldErrorsMax))
    problems.push({ field: "condition", reason: `line ${line}, column ${column}: ${reason}` });
  if (bytesOf(metadata) > limits.integrationMetadataBytesMax)
    problems.push({ field: "metadata", reason: `is more than ${limits.integrationMetadataBytesMax} bytes` });
  return [...problems, ...(facts.problems?.(metadata, "metadata.") ?? [])];
}
