import { orThrow } from "#base";
import { after, type Bounds, type PageRequest, pageOf } from "../../kit/list.ts";
import type { Message } from "../../kit/record.ts";
import type { CallContext, Handlers } from "../../module.ts";
import type { Action, JsonSchema, Provider, Trigger } from "../catalogue/types.ts";
import type { Parts } from "../parts.ts";
import { notFound } from "./checks.ts";

/** The catalogue as callers see it: the same on every thread, in no entity. */
export function discovery(parts: Parts): Handlers {
  return {
    "ConnectorService.ListProviders": async (request, call) => {
      const { text } = request;
      const all = [...parts.catalogue().providers.values()].filter(({ key, file }) =>
        has(text, key, file.name),
      );
      return page("providers", all, providerMessage, request, call);
    },
    "ConnectorService.ListActions": async (request, call) => {
      const { provider_key, runtime_status, mutation, text } = request;
      const all = [...parts.catalogue().actions.values()].filter(
        ({ provider, file, key, runtimeStatus }) =>
          (provider_key === undefined || provider.key === provider_key) &&
          (runtime_status === undefined || runtimeStatus === runtime_status) &&
          (mutation === undefined || file.mutation === mutation) &&
          has(text, key, file.title, file.description ?? ""),
      );
      return page("actions", all, actionMessage, request, call);
    },
    "ConnectorService.ListTriggers": async (request, call) => {
      const { provider_key, text } = request;
      const all = [...parts.catalogue().triggers.values()].filter(
        ({ provider, file, key }) =>
          (provider_key === undefined || provider.key === provider_key) && has(text, key, file.title),
      );
      return page("triggers", all, triggerMessage, request, call);
    },
    "ConnectorService.GetProvider": async ({ key }) =>
      providerMessage(found("provider", key, parts.catalogue().providers)),
    "ConnectorService.GetAction": async ({ key }) =>
      actionMessage(found("action", key, parts.catalogue().actions)),
    "ConnectorService.GetTrigger": async ({ key }) =>
      triggerMessage(found("trigger", key, parts.catalogue().triggers)),
  };
}

function found<T>(what: string, key: string, all: ReadonlyMap<string, T>): T {
  const one = all.get(key);
  if (one === undefined) throw notFound(`the catalogue has no ${what} ${key}`);
  return one;
}

function has(text: string | undefined, ...places: readonly string[]): boolean {
  if (text === undefined) return true;
  const wanted = text.toLowerCase();
  return places.some((place) => place.toLowerCase().includes(wanted));
}

function page<T extends { readonly key: string }>(
  name: string,
  all: readonly T[],
  message: (one: T) => Message,
  { page_size, page_token, offset, ...filter }: Required<PageRequest>,
  { caller }: CallContext,
): Message {
  const list = {
    scope: [caller.tenant, `connector ${name}`, filter],
    shape: ["string"] as const,
    positionOf: ({ key }: T) => [key],
    read: (bounds: Bounds) => after(all, bounds, ({ key }, [last = ""]) => key > String(last)),
  };
  const part = orThrow(pageOf({ page_size, page_token, offset }, list, message));
  const { values, ...rest } = part;
  return { [name]: values, ...rest };
}

function providerMessage({ key, file, limits }: Provider): Message {
  return {
    key,
    version: file.version,
    name: file.name,
    config_schema: file.config ?? {},
    auth: Object.entries(file.auth).map(([name, { type, scopes = [], fields = {} }]) => ({
      name,
      type,
      scopes,
      fields,
    })),
    actions: file.actions.map((action) => `${key}.${action.key}`),
    triggers: (file.triggers ?? []).map((trigger) => `${key}.${trigger.key}`),
    ...(file.verify !== undefined && { verify_action: `${key}.${file.verify}` }),
    limits: { requests_per_second: limits.rps, burst: limits.burst, concurrency: limits.concurrency },
  };
}

const always = ["dns", "connect", "tls", "429"];
const retried: Readonly<Record<string, readonly string[]>> = {
  none: [...always, "network", "timeout", "408", "425", "5xx"],
  idempotent: [...always, "network", "timeout", "408", "425", "5xx"],
  non_idempotent: [...always, "not_executed"],
};

function actionMessage({ key, provider, file, runtimeStatus, runtimeReason }: Action): Message {
  return {
    key,
    provider_key: provider.key,
    version: provider.file.version,
    title: file.title,
    description: file.description ?? "",
    mutation: file.mutation,
    retried_after: retried[file.mutation] ?? always,
    input_schema: file.input,
    input_properties: propertiesOf(file.input),
    output_schema: file.output ?? {},
    scopes: (file.scopes?.any_of ?? []).map((all_of) => ({ all_of })),
    permissions: file.permissions ?? [],
    related: (file.related ?? []).map((name) => (name.includes(".") ? name : `${provider.key}.${name}`)),
    runtime_status: runtimeStatus,
    runtime_reason: runtimeReason,
  };
}

function propertiesOf(schema: JsonSchema): Message[] {
  const required = new Set((schema.required ?? []) as string[]);
  const properties = (schema.properties ?? {}) as Record<
    string,
    { type?: unknown; description?: string } | boolean
  >;
  return Object.entries(properties).map(([name, property]) => {
    const { type = "any", description = "" } = typeof property === "object" ? property : {};
    return { name, type: [type].flat().join("|"), description, required: required.has(name) };
  });
}

function triggerMessage({ key, provider, file }: Trigger): Message {
  return {
    key,
    provider_key: provider.key,
    version: provider.file.version,
    title: file.title,
    kind: file.kind,
    event_schema: file.event ?? {},
    config_schema: file.config ?? {},
  };
}
