import { RefusalError } from "#base";
import type { CallContext, Orchestration } from "../../module.ts";
import { listEntries } from "../../shared/pool-lists.ts";
import { ask } from "../../shared/records/ask.ts";
import type { Connection } from "../connection/record.ts";
import { connectionAddress, type Parts, providerConfigAddress } from "../parts.ts";
import type { ProviderConfig } from "../provider-config/state.ts";
import { keyIdOf, open, type SealedFor, seal, unconfigured } from "../secrets.ts";
import { askEach } from "./provider-configs.ts";

export function encryptionMethods(parts: Parts): Readonly<Record<string, Orchestration>> {
  return {
    "ConnectorService.GetEncryptionStatus": (_request, call) => status(parts, call),
    "ConnectorService.RotateCredentials": (request, call) => rotate(parts, request as RotateRequest, call),
  };
}

/** The directories count by key. */
async function status(parts: Parts, call: CallContext): Promise<unknown> {
  const active = parts.keyRing?.activeId ?? "";
  const ids = [...new Set([active, ...parts.retiredKeyIds])].filter((id) => id !== "");
  const count = async (kind: string, key_id: string) =>
    (await listEntries({ page_size: 1, filter: { key_id } }, call, kind)).total;
  const keys = await Promise.all(
    ids.map(async (key_id) => ({
      key_id,
      connections: await count("connection", key_id),
      provider_configs: await count("provider_config", key_id),
    })),
  );
  return { active_key_id: active, keys };
}

interface RotateRequest {
  readonly page_size?: number;
  readonly page_token?: string;
}

type Rotated = "rotated" | "unchanged" | "unreadable";

/** Provider configs first, then connections; the page token says which list it is of. */
async function rotate(parts: Parts, asked: RotateRequest, call: CallContext): Promise<unknown> {
  if (parts.keyRing === undefined) throw new RefusalError(unconfigured);
  const { page_size = 100, page_token = "" } = asked;
  const isConnections = page_token.startsWith(connectionsPrefix);
  const kind = isConnections ? "connection" : "provider_config";
  const token = isConnections ? page_token.slice(connectionsPrefix.length) : page_token;
  const page = await listEntries({ page_size, ...(token !== "" && { page_token: token }) }, call, kind);
  const one = isConnections ? rotateConnection : rotateConfig;
  const done = (await askEach(page.entries, (id) => one(parts, id, call))) as Rotated[];
  const next = page.next_page_token;
  const counted = (what: Rotated) => done.filter((was) => was === what).length;
  return {
    rotated: counted("rotated"),
    unchanged: counted("unchanged"),
    unreadable: counted("unreadable"),
    next_page_token:
      isConnections && next !== ""
        ? connectionsPrefix + next
        : isConnections
          ? ""
          : next || connectionsPrefix,
  };
}

const connectionsPrefix = "connections.";

async function rotateConnection(parts: Parts, id: string, call: CallContext): Promise<Rotated> {
  const to = connectionAddress(call.caller.tenant, id);
  const record = await ask<Connection>(call, { to, method: "Connection.Look", request: {} });
  const { tenant, environment, credentials } = record;
  const { version, sealed } = credentials;
  const resealed = reseal(parts, sealed, { kind: "connection", tenant, environment, id, version });
  if (typeof resealed === "string") return resealed;
  await ask(call, { to, method: "Connection.Reseal", request: { version, ...resealed }, step: `:${id}` });
  return "rotated";
}

async function rotateConfig(parts: Parts, id: string, call: CallContext): Promise<Rotated> {
  const to = providerConfigAddress(call.caller.tenant, id);
  const record = await ask<ProviderConfig>(call, { to, method: "ProviderConfig.Snapshot", request: {} });
  const { tenant, environment, credentialVersion: version, clientSecret } = record;
  const resealed = reseal(parts, clientSecret, { kind: "provider_config", tenant, environment, id, version });
  if (typeof resealed === "string") return resealed;
  const request = { credentialVersion: version, ...resealed };
  await ask(call, { to, method: "ProviderConfig.Reseal", request, step: `:${id}` });
  return "rotated";
}

function reseal(parts: Parts, sealed: string, of: SealedFor): Rotated | { sealed: string; keyId: string } {
  const keyRing = parts.keyRing!;
  if (sealed === "" || keyIdOf(keyRing, sealed) === keyRing.activeId) return "unchanged";
  const plain = open<unknown>(keyRing, sealed, of);
  if (plain === undefined) return "unreadable";
  return { sealed: seal(keyRing, plain, of), keyId: keyRing.activeId };
}
