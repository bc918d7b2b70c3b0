import { limits, RefusalError, refuse } from "#base";
import { ask } from "../../kit/ask.ts";
import type { Directory } from "../../kit/directory.ts";
import type { PageRequest } from "../../kit/list.ts";
import { listEntries } from "../../kit/pool-lists.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import type { Connection } from "../connection/record.ts";
import type { Check } from "../connection/state.ts";
import { connectionAddress, type Parts } from "../parts.ts";
import { askEach } from "./provider-configs.ts";
import { marginMs, providerOf } from "./sessions.ts";

/** Connections tell of themselves once they have credentials. */
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
  const method = "ConnectionService.GetConnection";
  const connections = await askEach(found.entries, (id) =>
    ask(call, { to: connectionAddress(call.caller.tenant, id), method, request: {} }),
  );
  return { connections, next_page_token: found.next_page_token, total: found.total };
};

async function verify(parts: Parts, id: string, call: CallContext): Promise<unknown> {
  const to = connectionAddress(call.caller.tenant, id);
  const record = await ask<Connection>(call, { to, method: "Connection.Look", request: {} });
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
  await ask(call, { to, method: "Connection.Check", request: {}, step: "" });
  const waitMs = Math.max(0, Math.min(limits.executionWaitMs, call.deadlineMs - call.clock.now() - marginMs));
  const { connection, check } = await ask<{ connection: unknown; check: Check }>(call, {
    to,
    method: "Connection.AwaitCheck",
    request: { waitMs },
  });
  if (check.working || (check.error !== "" && (connection as { status: string }).status === "active"))
    throw new RefusalError(
      refuse("UNAVAILABLE", check.error === "" ? "the provider has not answered yet" : check.error, {
        reason: "PROVIDER_UNAVAILABLE",
        retryAfterMs: limits.retryAfterMs,
      }),
    );
  return connection;
}
