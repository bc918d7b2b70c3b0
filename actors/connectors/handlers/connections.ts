import { handleOf, limits, RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import type { Directory } from "../../kit/directory.ts";
import { listEntries } from "../../kit/entity-list.ts";
import type { PageRequest } from "../../kit/list.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import { awaitCheck, getConnection, look, check as startCheck } from "../connection/methods.ts";
import type { Parts } from "../parts.ts";
import { askEach } from "./provider-configs.ts";
import { marginMs, providerOf } from "./sessions.ts";

/** A connection sends its entry once it has credentials. */
export const connectionDirectory: Directory = {
  kind: "connection",
  filters: ["status", "provider_key", "environment", "key_id"],
};

export function connectionMethods(parts: Parts): Readonly<Record<string, Orchestration>> {
  return {
    "ConnectionService.ListConnections": list,
    "ConnectionService.VerifyConnection": (request, call) =>
      verify(parts, (request as { connection_id: string }).connection_id, call),
  };
}

interface ListRequest extends PageRequest {
  readonly provider_key?: string;
  readonly status?: string;
}

const list: Orchestration = async (request, call) => {
  const { provider_key, status, ...paging } = request as ListRequest;
  const found = await listEntries({ ...paging, filter: { provider_key, status } }, call, "connection");
  const connections = await askEach(found.entries, (id) =>
    ask(call, getConnection, { key: handleOf(id), request: {} }),
  );
  return { connections, next_page_token: found.next_page_token, total: found.total };
};

async function verify(parts: Parts, id: string, call: CallContext): Promise<unknown> {
  const key = handleOf(id);
  const record = await ask(call, look, { key, request: {} });
  if (providerOf(parts, record).file.verify === undefined)
    throw new RefusalError(
      refuse(
        "FAILED_PRECONDITION",
        `${record.providerKey} has no action that shows whether credentials work`,
        {
          reason: "NO_VERIFY_ACTION",
        },
      ),
    );
  await ask(call, startCheck, { key, request: {}, step: "" });
  const waitMs = Math.max(0, Math.min(limits.executionWaitMs, call.deadlineMs - call.clock.now() - marginMs));
  const { connection, check } = await ask(call, awaitCheck, { key, request: { waitMs } });
  if (check.working || (check.error !== "" && connection.status === "active"))
    throw new RefusalError(
      refuse("UNAVAILABLE", check.error === "" ? "the provider has not answered yet" : check.error, {
        reason: "PROVIDER_UNAVAILABLE",
        retryAfterMs: limits.retryAfterMs,
      }),
    );
  return connection;
}
