import { isRefusal, limits, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import type { ActivationMessage } from "../../kit/activation.ts";
import type { EntityPurge } from "../../kit/directory.ts";
import { checkEnvironment } from "../../kit/environment.ts";
import { nextRecord, updatedSettings } from "../../kit/record.ts";
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
  | { readonly type: "snapshot"; readonly connectionId?: string }
  /** What a candidate has to know of it; the environment is not looked at. */
  | { readonly type: "describe_version"; readonly version: number }
  | ActivationMessage
  | { readonly type: "update"; readonly given: UpdateRequest }
  | { readonly type: "move"; readonly to: ConfigStatus }
  /** Which connection has this name; one is made where none has. */
  | { readonly type: "take_external_id"; readonly externalId: string }
  | { readonly type: "free_external_id"; readonly externalId: string; readonly connectionId: string }
  /** For the module itself: the encrypted client secrets, one for each credential version that is kept. */
  | { readonly type: "secrets" }
  | (Reencrypt & { readonly type: "reencrypt" });

export interface Reencrypt {
  readonly secrets: readonly ClientSecret[];
  readonly keyId: string;
}

export interface ClientSecret {
  readonly credentialVersion: number;
  readonly encrypted: string;
}

export interface UpdateRequest {
  readonly update_mask?: readonly string[];
  readonly record_version?: number;
  /** Encrypted by the handler for `credential_version` + 1. */
  readonly encrypted?: { readonly text: string; readonly version: number; readonly keyId: string };
  readonly [field: string]: unknown;
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
      return { events: [], answer: recordFor(record, command.connectionId ?? "", context) };
    case "update":
      return refuseDirect(record) ?? update(record, command.given, context);
    case "move":
      return refuseDirect(record) ?? move(record, command.to, context);
    case "take_external_id":
      return takeExternalId(record, command.externalId, context);
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
  const contents = [record, ...rows.map(({ value }) => value)];
  const byVersion = new Map(
    contents
      .filter(({ clientSecret }) => clientSecret !== "")
      .map(({ credentialVersion, clientSecret }) => [credentialVersion, clientSecret]),
  );
  const secrets = [...byVersion].map(([credentialVersion, encrypted]) => ({ credentialVersion, encrypted }));
  return { events: [], answer: { record, secrets } };
}

/** The same secrets under another key, also in versions that are only kept. */
function reencrypt(record: ProviderConfig, rows: Versions, { secrets, keyId }: Reencrypt): Decision<Event> {
  const anew = new Map(secrets.map(({ credentialVersion, encrypted }) => [credentialVersion, encrypted]));
  const events: Event[] = rows.flatMap(({ key: [version], value: content }) => {
    const clientSecret = anew.get(content.credentialVersion);
    if (clientSecret === undefined || content.clientSecret === "") return [];
    return [{ type: "version_put", version, content: { ...content, clientSecret } }];
  });
  const clientSecret = anew.get(record.credentialVersion);
  if (clientSecret !== undefined) events.push({ type: "put", record: { ...record, clientSecret, keyId } });
  return { events, answer: { reencrypted: events.length > 0 } };
}

function update(record: ProviderConfig, given: UpdateRequest, context: Context): Decision<Event> {
  if (record.status === "archived") return wrongState(record, "changed");
  const { encrypted, client_secret: _, update_mask: mask, ...rest } = given;
  if (encrypted && encrypted.version !== record.credentialVersion + 1)
    return refuse(
      "VERSION_CONFLICT",
      "the client secret was changed by another request: read the provider config and send it again",
      { reason: "CREDENTIAL_VERSION" },
    );
  const named = mask?.filter((field) => field !== "client_secret");
  const changed = updatedSettings(
    record,
    messageOf(record),
    { ...rest, ...(named && { update_mask: named }) },
    { fields, required: ["name"] },
  );
  if (isRefusal(changed)) return changed;
  const next: ProviderConfig = {
    ...record,
    name: changed.name as string,
    clientId: (changed.client_id as string | undefined) ?? "",
    scopes: (changed.scopes as string[] | undefined) ?? [],
    config: (changed.config as ProviderConfig["config"] | undefined) ?? {},
    allowedReturnOrigins: (changed.allowed_return_origins as string[] | undefined) ?? [],
    ...(encrypted && {
      clientSecret: encrypted.text,
      credentialVersion: encrypted.version,
      keyId: encrypted.keyId,
    }),
  };
  const stamped = nextRecord(record, next, context.now);
  if (stamped === undefined) return { events: [], answer: messageOf(record) };
  const version = record.version + 1;
  const owner = context.caller?.owner ?? "";
  const put = { ...stamped, owner, version, activeVersion: version };
  return { events: [{ type: "put", record: put }], answer: messageOf(put) };
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
  const put = nextRecord(record, { ...record, status: to }, context.now)!;
  return { events: [{ type: "put", record: put }], answer: messageOf(put) };
}

function takeExternalId(record: ProviderConfig, externalId: string, context: Context): Decision<Event> {
  if (record.status !== "active")
    return refuse("FAILED_PRECONDITION", `the provider config is ${record.status}: activate it first`, {
      reason: "PROVIDER_CONFIG_INACTIVE",
    });
  if (externalId === "") return { events: [], answer: { connection_id: context.newId(), record } };
  const owner = context.get(externalIds, [externalId]);
  if (owner !== null) return { events: [], answer: { connection_id: owner, record } };
  const connectionId = context.newId();
  return {
    events: [{ type: "external_id_taken", externalId, connectionId }],
    answer: { connection_id: connectionId, record },
  };
}

function wrongState({ status }: ProviderConfig, to: string) {
  return refuse("STATE_CONFLICT", `a provider config that is ${status} cannot become ${to}`);
}
