import { randomBytes } from "node:crypto";
import { handleOf, limits, newUlid, orThrow, Random, RefusalError } from "#base";
import type { CreateProviderConfigRequest, UpdateProviderConfigRequest } from "#protos";
import { ask, contractMethod, encryptedAnew, tryAsk } from "../../kit/ask.ts";
import type { Directory } from "../../kit/directory.ts";
import { listEntries } from "../../kit/entity-list.ts";
import { environmentFor } from "../../kit/environment.ts";
import type { PageRequest } from "../../kit/list.ts";
import { type Message, newRecord } from "../../kit/record.ts";
import { encrypt, secretOf } from "../../kit/secrets.ts";
import type { CallContext, Handlers } from "../../module.ts";
import type { Provider } from "../catalogue/types.ts";
import type { Parts } from "../parts.ts";
import { getProviderConfig, snapshot, update as updateConfig } from "../provider-config/methods.ts";
import { entryOf, messageOf, type ProviderConfig } from "../provider-config/state.ts";
import { checkJson, wrong } from "./checks.ts";

/** What the orchestration sends: the record as it is to be, the client secret encrypted. */
interface Creation {
  readonly record: Omit<ProviderConfig, "createdAt" | "updatedAt" | "recordVersion">;
}

const createProviderConfig = contractMethod<Creation, Message>(
  "directory",
  "ProviderConfigService.CreateProviderConfig",
);

export const providerConfigDirectory: Directory<Creation> = {
  kind: "provider_config",
  filters: ["status", "provider_key", "environment", "key_id"],
  limit: { most: limits.providerConfigsMax, many: "provider configs" },
  create: {
    method: createProviderConfig.name,
    make(_id, { record: given }, context) {
      // The handler drew the id: the client secret is encrypted for it.
      const { id, tenant, providerKey: provider_key, environment } = given;
      const record = newRecord(id, { ...given, owner: context.caller?.owner ?? "" }, context.now);
      const to = { kind: "provider_config", tenant, key: handleOf(id) };
      const entry = { ...entryOf(record), provider_key, environment };
      return { entry, message: { to, body: { type: "create", record } }, answer: messageOf(record) };
    },
  },
};

export function providerConfigMethods(parts: Parts): Handlers {
  return {
    "ProviderConfigService.CreateProviderConfig": (asked, call) => create(parts, asked, call),
    "ProviderConfigService.UpdateProviderConfig": (asked, call) => update(parts, asked, call),
    "ProviderConfigService.ListProviderConfigs": listing(
      "provider_config",
      ["provider_key", "status"],
      (id, call) => ask(call, getProviderConfig, { key: handleOf(id), request: {} }),
    ),
  };
}

async function create(parts: Parts, asked: CreateProviderConfigRequest, call: CallContext): Promise<unknown> {
  const provider = parts.catalogue().providers.get(asked.provider_key);
  if (provider === undefined) throw wrong("provider_key", `${asked.provider_key} is not in the catalogue`);
  const auths = Object.keys(provider.file.auth);
  const auth = asked.auth ?? auths[0]!;
  const authFile = provider.file.auth[auth];
  if (authFile === undefined) throw wrong("auth", `must be one of ${auths.join(", ")}`);
  checkContent(provider, asked);
  const environment = orThrow(environmentFor(call.caller));
  const { tenant } = call.caller;
  const owned = { id: newUlid(call.clock.now(), drawn()), tenant, ...environment };
  const { client_secret: secret } = asked;
  const newSecret =
    secret === undefined ? undefined : encrypt(parts, secret, secretOf("provider_config", owned, 1));
  const record: Creation["record"] = {
    ...owned,
    name: asked.name,
    providerKey: provider.key,
    auth,
    authType: authFile.type,
    status: "draft",
    clientId: asked.client_id ?? "",
    scopes: asked.scopes,
    config: asked.config ?? {},
    allowedReturnOrigins: asked.allowed_return_origins,
    clientSecret: newSecret?.encrypted ?? "",
    credentialVersion: newSecret?.version ?? 0,
    keyId: newSecret?.keyId ?? "",
    version: 1,
    activeVersion: 1,
  };
  return ask(call, createProviderConfig, { key: "provider_config", request: { record }, step: "" });
}

/** From the operating system: nothing that callers see determines the next one. */
export function drawn(): Random {
  const bytes = randomBytes(16);
  const word = (at: number) => bytes.readUInt32LE(at);
  return new Random([word(0), word(4), word(8), word(12)]);
}

function checkContent(
  provider: Provider,
  {
    config = {},
    allowed_return_origins: origins,
  }: Pick<CreateProviderConfigRequest, "config" | "allowed_return_origins">,
): void {
  const bytesMax = limits.providerConfigBytesMax;
  checkJson("config", config, { bytesMax, validate: provider.validateConfig });
  for (const [name, value] of Object.entries(config))
    if (typeof value === "string" && hasUserinfo(value))
      throw wrong(`config.${name}`, "must not have a user or a password: choose an auth that sends them");
  const bad = origins.findIndex((origin) => originOf(origin) !== origin);
  if (bad >= 0)
    throw wrong(`allowed_return_origins[${bad}]`, "must be an origin, as https://app.example.com");
}

/** It would be stored and shown in the clear. */
function hasUserinfo(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username !== "" || password !== "";
}

export function originOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, protocol } = new URL(url);
  return protocol === "https:" || protocol === "http:" ? origin : undefined;
}

function update(parts: Parts, asked: UpdateProviderConfigRequest, call: CallContext): Promise<unknown> {
  const key = handleOf(asked.provider_config_id);
  const { client_secret: secret, ...rest } = asked;
  return encryptedAnew(async () => {
    const record = await ask(call, snapshot, { key, request: {} });
    const provider = parts.catalogue().providers.get(record.providerKey);
    if (provider && asked.config !== undefined) checkContent(provider, asked);
    const of = secretOf("provider_config", record, record.credentialVersion + 1);
    const newSecret = secret === undefined ? undefined : encrypt(parts, secret, of);
    return tryAsk(call, updateConfig, {
      key,
      request: { ...rest, ...(newSecret && { newSecret }) },
      step: "",
    });
  });
}

/** A list of the directory of `kind`, whose entities answer for themselves. */
export function listing<Filter extends string>(
  kind: string,
  filters: readonly Filter[],
  one: (id: string, call: CallContext) => Promise<Message>,
) {
  return async (request: PageRequest & Readonly<Partial<Record<Filter, string>>>, call: CallContext) => {
    const filter = Object.fromEntries(filters.map((name) => [name, request[name]]));
    const { entries, ...rest } = await listEntries({ ...request, filter }, call, kind);
    return { [`${kind}s`]: await askEach(entries, (id) => one(id, call)), ...rest };
  };
}

/** Some at a time. One that is gone by now is left out: the list lags behind. */
export async function askEach<Value>(
  entries: readonly { readonly id: string }[],
  one: (id: string) => Promise<Value>,
): Promise<Value[]> {
  const found: (Value | undefined)[] = [];
  for (let from = 0; from < entries.length; from += limits.connectorsAskedAtOnce) {
    const some = entries.slice(from, from + limits.connectorsAskedAtOnce);
    found.push(...(await Promise.all(some.map(({ id }) => one(id).catch(absent)))));
  }
  return found.filter((value) => value !== undefined);
}

function absent(error: unknown): undefined {
  if (error instanceof RefusalError && error.refusal.code === "NOT_FOUND") return undefined;
  throw error;
}
