import { type FieldError, limits, type Refusal, RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import type { Message } from "../../kit/record.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import {
  type Channel,
  integrationsAddress,
  type JsonObject,
  type Provider,
} from "../../notify/outbound/types.ts";
import { conditionCel } from "../../notify/preference.ts";
import type { ModuleCall } from "../../parts.ts";
import type { Integration } from "../record.ts";
import { providerOf } from "./connection.ts";
import type { StaticConnections } from "./static-connections.ts";

export interface Parts {
  readonly files: StaticConnections;
  readonly call: ModuleCall;
  /** Those that this installation has. */
  readonly providers: ReadonlyMap<string, Provider>;
}

export function integrationMethods(parts: Parts): Readonly<Record<string, Orchestration>> {
  const create = "IntegrationService.CreateIntegration";
  const update = "IntegrationService.UpdateIntegration";
  return {
    [create]: (request, call) => checked(parts, create, request as Message, call),
    [update]: async (request, call) => {
      const { integration_id } = request as Message;
      const to = integrationsAddress(call.caller.tenant);
      const method = "IntegrationService.GetIntegration";
      const { channel } = await ask<Integration>(call, { to, method, request: { integration_id } });
      return checked(parts, update, { ...(request as Message), channel }, call);
    },
  };
}

async function checked(
  { files, call: moduleCall, providers }: Parts,
  method: string,
  request: Message,
  call: CallContext,
): Promise<unknown> {
  const provider = providers.get(request.provider_key as string);
  if (provider === undefined)
    throw new RefusalError(
      refuse("FAILED_PRECONDITION", `the provider ${request.provider_key} is switched off here`, {
        reason: "PROVIDER_DISABLED",
      }),
    );
  const fields = problemsOf(request, provider);
  if (fields.length > 0)
    throw new RefusalError(
      refuse("INVALID_ARGUMENT", `${fields[0]!.field}: ${fields[0]!.reason}`, { fields }),
    );
  if (provider.connected) {
    const id = request.connection_id as string;
    const of = await providerOf(files, moduleCall, id, call);
    if (of !== provider.key) throw new RefusalError(foreign(id, of, provider.key));
  }
  return ask(call, { to: integrationsAddress(call.caller.tenant), method, request, step: "" });
}

function foreign(id: string, of: string, wanted: string): Refusal {
  const reason = `the connection ${id} is of ${of}: the integration needs one of ${wanted}`;
  return refuse("INVALID_ARGUMENT", `connection_id: ${reason}`, {
    fields: [{ field: "connection_id", reason }],
  });
}

function problemsOf(request: Message, facts: Provider): FieldError[] {
  const { channel, provider_key, connection_id = "", condition = "", metadata = {} } = request;
  const problems: FieldError[] = [];
  if (!facts.channels.includes(channel as Channel))
    problems.push({
      field: "provider_key",
      reason: `${provider_key} sends ${facts.channels.join(", ")}, not ${channel}`,
    });
  if (facts.connected && connection_id === "")
    problems.push({ field: "connection_id", reason: `${provider_key} needs a connection` });
  if (!facts.connected && connection_id !== "")
    problems.push({ field: "connection_id", reason: `${provider_key} has no connection` });
  const wrong = condition === "" ? [] : conditionCel.conditionProblems(condition as string);
  for (const { line, column, reason } of wrong.slice(0, limits.fieldErrorsMax))
    problems.push({ field: "condition", reason: `line ${line}, column ${column}: ${reason}` });
  if (Buffer.byteLength(JSON.stringify(metadata)) > limits.integrationMetadataBytesMax)
    problems.push({ field: "metadata", reason: `is more than ${limits.integrationMetadataBytesMax} bytes` });
  problems.push(...(facts.problems?.(metadata as JsonObject, "metadata.") ?? []));
  return problems;
}
