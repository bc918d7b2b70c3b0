import { isRefusal, limits, refuse } from "#base";
import type { UpdateProviderConfigRequest } from "#protos";
import type { Context, Decision } from "#runtime";
import type { ActivationMessage } from "../../kit/activation.ts";
import type { EntityPurge } from "../../kit/directory.ts";
import { checkEnvironment } from "../../kit/environment.ts";
import { nextRecord, updatedSettings } from "../../kit/record.ts";
import type { EncryptedSecret } from "../../kit/secrets.ts";
import { contentDigest, decideActivation, recordFor, refuseDirect } from "./activation.ts";
import {
  type ConfigStatus,
  type Event,
  externalIds,
  messageOf,
  type ProviderConfig,
  type State,
  versions,
} from "./state.ts";

export type Command =
  | { readonly type: "create"; readonly record: ProviderConfig }
  | EntityPurge
  | { readonly type: "get" }
  /** For the module itself: with the encrypted client secret. Of a connection: as a canary gives it to that one. */
  | { readonly type: "snapshot"; readonly connection_id?: string }
  /** What a candidate has to know of it; the environment is not looked at. */
  | { readonly type: "describe_version"; readonly version: number }
  | ActivationMessage
  | (UpdateRequest & { readonly type: "update" })
  | { readonly type: "move"; readonly to: ConfigStatus }
  /** Which connection has this name; one is made where none has. */
  | { readonly type: "take_external_id"; readonly external_id: string }
  | { readonly type: "free_external_id"; readonly externalId: string; readonly connectionId: string }
  /** For the module itself: the encrypted client secrets, one for each credential version that is kept. */
  | { readonly type: "secrets" }
  | (Reencrypt & { readonly type: "reencrypt" });

export interface Reencrypt {
  readonly secrets: readonly EncryptedSecret[];
}

/** One client secret for each credential version. */
export type ClientSecret = Omit<EncryptedSecret, "keyId">;

export interface UpdateRequest extends Omit<UpdateProviderConfigRequest, "client_secret"> {
  /** The client secret, encrypted by the handler for the next credential version. */
  readonly newSecret?: EncryptedSecret;
}

/** From where each status is reached. */
const from: Readonly<Record<ConfigStatus, readonly ConfigStatus[]>> = {
  draft: [],
  active: ["draft", "disabled"],
  disabled: ["active"],
  archived: ["draft", "disabled"],
};

const fields = ["name", "client_id", "scopes", "config", "allowed_return_origins"];

export function decide(state: State, command: Command, context: Context): Decision<Event> {
  const { record } = state;
  if (command.type === "create")
    return { events: record === undefined ? [{ type: "put", record: command.record }] : [] };
  if (command.type === "purge")
    return { events: [{ type: "purged", id: command.id, tenant: command.tenant }], frees: true };
  if (command.type === "activation") return decideActivation(record, command, context);
  if (record === undefined) return refuse("NOT_FOUND", "there is no such provider config");
  const foreign = checkEnvironment(record.environment, context.caller);
  if (foreign) return foreign;
  if (command.type === "describe_version") return describeVersion(command.version, context);
  switch (command.type) {
    case "get":
      return { events: [], answer: messageOf(record) };
    case "snapshot":
      return { events: [], answer: recordFor(record, command.connection_id ?? "", context) };
    case "update":
      return refuseDirect(record) ?? update(record, command, context);
    case "move":
      return refuseDirect(record) ?? move(record, command.to, context);
    case "take_external_id":
      return takeExternalId(record, command.external_id, context);
    case "free_external_id": {
      const { externalId, connectionId } = command;
      const owner = context.get(externalIds, [externalId]);
      return { events: owner === connectionId ? [{ type: "external_id_freed", externalId }] : [] };
    }
    case "secrets":
      return secretsOf(record, everyVersion(context));
    case "reencrypt":
      return reencrypt(record, everyVersion(context), command);
  }
}

function everyVersion(context: Context) {
  return context.scan(versions, { limit: limits.providerConfigVersionsKept + 1 });
}

type Versions = ReturnType<typeof everyVersion>;

function secretsOf(record: ProviderConfig, rows: Versions): Decision<Event> {
  const contents = [record, ...rows.map(({ value }) => value)].filter((one) => one.clientSecret !== "");
  const byVersion = new Map(contents.map((one) => [one.credentialVersion, one.clientSecret]));
  const secrets: ClientSecret[] = [...byVersion].map(([version, encrypted]) => ({ version, encrypted }));
  return { events: [], answer: { record, secrets } };
}

/** The same secrets under another key, also in versions that are only kept. */
function reencrypt(record: ProviderConfig, rows: Versions, { secrets }: Reencrypt): Decision<Event> {
  const anew = new Map(secrets.map((newSecret) => [newSecret.version, newSecret]));
  const events: Event[] = rows.flatMap(({ key: [version], value: content }) => {
    const newSecret = anew.get(content.credentialVersion);
    if (newSecret === undefined || content.clientSecret === "") return [];
    return [{ type: "version_put", version, content: { ...content, clientSecret: newSecret.encrypted } }];
  });
  const newSecret = anew.get(record.credentialVersion);
  if (newSecret) {
    const { encrypted: clientSecret, keyId } = newSecret;
    events.push({ type: "put", record: { ...record, clientSecret, keyId } });
  }
  return { events, answer: { reencrypted: events.length > 0 } };
}

function update(record: ProviderConfig, asked: UpdateRequest, context: Context): Decision<Event> {
  if (record.status === "archived") return wrongState(record, "changed");
  const { newSecret, update_mask: mask, ...given } = asked;
  if (newSecret && newSecret.version !== record.credentialVersion + 1)
    return refuse(
      "VERSION_CONFLICT",
      "the client secret was changed by another request: read the provider config and send it again",
      { reason: "CREDENTIAL_VERSION" },
    );
  const named = mask?.filter((field) => field !== "client_secret");
  const { name, clientId: client_id, scopes, config, allowedReturnOrigins: allowed_return_origins } = record;
  const changed = updatedSettings(
    record,
    { name, client_id, scopes, config, allowed_return_origins },
    { ...given, ...(named && { update_mask: named }) },
    { fields, required: ["name"] },
  );
  if (isRefusal(changed)) return changed;
  const next: ProviderConfig = {
    ...record,
    name: changed.name ?? "",
    clientId: changed.client_id ?? "",
    scopes: changed.scopes ?? [],
    config: changed.config ?? {},
    allowedReturnOrigins: changed.allowed_return_origins ?? [],
    ...(newSecret && {
      clientSecret: newSecret.encrypted,
      credentialVersion: newSecret.version,
      keyId: newSecret.keyId,
    }),
  };
  const stamped = nextRecord(record, next, context.now);
  if (stamped === undefined) return { events: [], answer: messageOf(record) };
  const version = record.version + 1;
  const owner = context.caller?.owner ?? "";
  return put({ ...stamped, owner, version, activeVersion: version });
}

function put(record: ProviderConfig): Decision<Event> {
  return { events: [{ type: "put", record }], answer: messageOf(record) };
}

function describeVersion(version: number, context: Context): Decision<Event> {
  const content = context.get(versions, [version]);
  if (content === null) return refuse("NOT_FOUND", `this provider config has no version ${version}`);
  const { owner = "" } = content;
  return { events: [], answer: { kind: "connector", digest: contentDigest(content), owner } };
}

function move(record: ProviderConfig, to: ConfigStatus, context: Context): Decision<Event> {
  if (record.status === to) return { events: [], answer: messageOf(record) };
  if (!from[to].includes(record.status)) return wrongState(record, to);
  if (to === "active" && record.authType.startsWith("oauth2_") && record.clientId === "")
    return refuse("FAILED_PRECONDITION", "OAuth needs the client_id that the provider gave you", {
      reason: "CLIENT_MISSING",
    });
  return put(nextRecord(record, { ...record, status: to }, context.now)!);
}

function takeExternalId(record: ProviderConfig, externalId: string, context: Context): Decision<Event> {
  if (record.status !== "active")
    return refuse("FAILED_PRECONDITION", `the provider config is ${record.status}: activate it first`, {
      reason: "PROVIDER_CONFIG_INACTIVE",
    });
  const owner = externalId === "" ? null : context.get(externalIds, [externalId]);
  const connectionId = owner ?? context.newId();
  const takes = externalId !== "" && owner === null;
  return {
    events: takes ? [{ type: "external_id_taken", externalId, connectionId }] : [],
    answer: { connection_id: connectionId, record },
  };
}

function wrongState({ status }: ProviderConfig, to: string) {
  return refuse("STATE_CONFLICT", `a provider config that is ${status} cannot become ${to}`);
}
