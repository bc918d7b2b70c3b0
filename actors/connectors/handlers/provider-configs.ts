import { randomBytes } from "node:crypto";
import { handleOf, isRefusal, limits, newUlid, Random, RefusalError } from "#base";
import { ask, contractMethod, taking, tryAsk } from "../../kit/ask.ts";
import type { Directory } from "../../kit/directory.ts";
import { listEntries } from "../../kit/entity-list.ts";
import { environmentFor } from "../../kit/environment.ts";
import type { PageRequest } from "../../kit/list.ts";
import { type Message, newRecord } from "../../kit/record.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { Provider } from "../catalogue/types.ts";
import type { Parts } from "../parts.ts";
import { getProviderConfig, snapshot, update as updateConfig } from "../provider-config/methods.ts";
import { messageOf, type ProviderConfig } from "../provider-config/state.ts";
import { encrypt, keyIdOf, unconfigured } from "../secrets.ts";
import { checkJson, wrong } from "./checks.ts";

interface CreateRequest {
  readonly name: string;
  readonly provider_key: string;
  readonly auth?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly scopes?: readonly string[];
  readonly config?: Message;
  readonly allowed_return_origins?: readonly string[];
}

/** What the orchestration sends: the record as it is to be, the client secret encrypted. */
interface Creation {
  readonly record: Omit<ProviderConfig, "createdAt" | "updatedAt" | "recordVersion">;
}

const createProviderConfig = contractMethod<Creation, Message>(
  "directory",
  "ProviderConfigService.CreateProviderConfig",
);

export const providerConfigDirectory: Directory = {
  kind: "provider_config",
  filters: ["status", "provider_key", "environment", "key_id"],
  limit: { most: limits.providerConfigsMax, many: "provider configs" },
  create: {
    method: createProviderConfig.name,
    make(_id, request, context) {
      // The handler drew the id: the client secret is encrypted for it.
      const { record: given } = request as Creation;
      const { id, tenant } = given;
      const record = newRecord(id, { ...given, owner: context.caller?.owner ?? "" }, context.now);
      const entry = {
        id,
        name: given.name,
        status: given.status,
        provider_key: given.providerKey,
        environment: given.environment,
        key_id: given.keyId,
      };
      const to = { kind: "provider_config", tenant, key: handleOf(id) };
      return { entry, message: { to, body: { type: "create", record } } };
    },
    respond: ({ message }) => messageOf((message.body as { record: ProviderConfig }).record),
  },
};

export function providerConfigMethods(parts: Parts): Readonly<Record<string, Orchestration>> {
  return {
    [createProviderConfig.name]: taking<CreateRequest>((asked, call) => create(parts, asked, call)),
    "ProviderConfigService.UpdateProviderConfig": taking<UpdateRequest>((asked, call) =>
      update(parts, asked, call),
    ),
    "ProviderConfigService.ListProviderConfigs": listing(
      "provider_config",
      ["provider_key", "status"],
      (id, call) => ask(call, getProviderConfig, { key: handleOf(id), request: {} }),
    ),
  };
}

async function create(parts: Parts, asked: CreateRequest, call: CallContext): Promise<unknown> {
  const provider = parts.catalogue().providers.get(asked.provider_key);
  if (provider === undefined) throw wrong("provider_key", `${asked.provider_key} is not in the catalogue`);
  const auth = asked.auth ?? Object.keys(provider.file.auth)[0]!;
  const authFile = provider.file.auth[auth];
  if (authFile === undefined)
    throw wrong("auth", `must be one of ${Object.keys(provider.file.auth).join(", ")}`);
  checkContent(provider, asked);
  const environment = environmentFor(call.caller);
  if (isRefusal(environment)) throw new RefusalError(environment);
  const id = drawnId(call.clock.now());
  const { tenant } = call.caller;
  const of = { kind: "provider_config", tenant, ...environment, id, version: 1 } as const;
  const encrypted =
    asked.client_secret === undefined ? undefined : encryptText(parts, asked.client_secret, of);
  const record: Creation["record"] = {
    id,
    tenant,
    ...environment,
    name: asked.name,
    providerKey: provider.key,
    auth,
    authType: authFile.type,
    status: "draft",
    clientId: asked.client_id ?? "",
    scopes: asked.scopes ?? [],
    config: asked.config ?? {},
    allowedReturnOrigins: asked.allowed_return_origins ?? [],
    clientSecret: encrypted?.text ?? "",
    credentialVersion: encrypted ? 1 : 0,
    keyId: encrypted?.keyId ?? "",
    version: 1,
    activeVersion: 1,
  };
  return ask(call, createProviderConfig, { key: "provider_config", request: { record }, step: "" });
}

function drawnId(now: number): string {
  return newUlid(now, drawn());
}

/** From the operating system: nothing that callers see determines the next one. */
export function drawn(): Random {
  const bytes = randomBytes(16);
  const words = [0, 4, 8, 12].map((at) => bytes.readUInt32LE(at)) as unknown as [
    number,
    number,
    number,
    number,
  ];
  return new Random(words);
}

function encryptText(parts: Parts, text: string, of: Parameters<typeof encrypt>[2]) {
  const { keyRing } = parts;
  if (keyRing === undefined) throw new RefusalError(unconfigured);
  const encrypted = encrypt(keyRing, text, of);
  return { text: encrypted, version: of.version, keyId: keyIdOf(keyRing, encrypted) };
}

type Content = Pick<CreateRequest, "config" | "allowed_return_origins">;

function checkContent(
  provider: Provider,
  { config = {}, allowed_return_origins: origins = [] }: Content,
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
  try {
    const { origin, protocol } = new URL(url);
    return protocol === "https:" || protocol === "http:" ? origin : undefined;
  } catch {
    return undefined;
  }
}

interface UpdateRequest extends Content {
  readonly provider_config_id: string;
  readonly client_secret?: string;
  readonly update_mask?: readonly string[];
}

/** The secret is encrypted for the next version; where that was taken meanwhile, it is encrypted again. */
async function update(parts: Parts, asked: UpdateRequest, call: CallContext): Promise<unknown> {
  const key = handleOf(asked.provider_config_id);
  const { client_secret: secret, ...rest } = asked;
  for (let attempt = 0; ; attempt++) {
    const record = await ask(call, snapshot, { key, request: {} });
    const provider = parts.catalogue().providers.get(record.providerKey);
    if (provider && asked.config !== undefined) checkContent(provider, asked);
    const { tenant, environment, id } = record;
    const version = record.credentialVersion + 1;
    const of = { kind: "provider_config", tenant, environment, id, version } as const;
    const encrypted = secret === undefined ? undefined : encryptText(parts, secret, of);
    const request = { ...rest, ...(encrypted && { encrypted }) };
    const answer = await tryAsk(call, updateConfig, { key, request, step: "" });
    if (!isRefusal(answer)) return answer.response;
    if (answer.reason !== "CREDENTIAL_VERSION" || attempt > encryptAgainMax) throw new RefusalError(answer);
  }
}

/** How often encrypting starts again because another request changed the record meanwhile. */
export const encryptAgainMax = 5;

/** A list of the directory of `kind`, whose entities answer for themselves. */
export function listing<Filter extends string>(
  kind: string,
  filters: readonly Filter[],
  one: (id: string, call: CallContext) => Promise<Message>,
): Orchestration {
  return taking<PageRequest & Readonly<Partial<Record<Filter, string>>>>(async (request, call) => {
    const filter = Object.fromEntries(filters.map((name) => [name, request[name]]));
    const { entries, ...rest } = await listEntries({ ...request, filter }, call, kind);
    return { [`${kind}s`]: await askEach(entries, (id) => one(id, call)), ...rest };
  });
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
