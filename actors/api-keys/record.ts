import type { RowWriter } from "#runtime";
import { type ApiKeyRecord, apiKeyMessage, apiKeyRevokedTopic } from "../kit/api-key-record.ts";
import { type DirectoryMessage, directoryOf } from "../kit/directory.ts";
import { Resident } from "../kit/resident.ts";
import type { RecordState, Resource } from "../kit/resource.ts";

export type State = RecordState<Map<string, ApiKeyRecord>>;

export const apiKeyResource: Resource<ApiKeyRecord, State> = {
  service: "ApiKeyService",
  one: "ApiKey",
  many: "ApiKeys",
  store: new Resident("key"),
  idField: "id",
  messageOf: apiKeyMessage,
  missing: () => "there is no such API key",
  actions: {
    RevokeApiKey: { change: (key, _given, now) => ({ ...key, revokedAt: key.revokedAt ?? now }) },
  },
  after({ before, after }, _state, rows) {
    if (before && after?.revokedAt && !before.revokedAt)
      tell(after.tenant, { type: "changed", id: after.id, status: "revoked" }, rows);
  },
};

/** Every thread forgets the key, and its directory hears of it. */
export function tell(
  tenant: string,
  message: Exclude<DirectoryMessage, { type: "noted" }>,
  rows: RowWriter,
): void {
  rows.broadcast(apiKeyRevokedTopic, { id: message.id });
  rows.send(directoryOf(tenant, "api_key"), message);
}
