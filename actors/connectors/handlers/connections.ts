import { handleOf, limits, RefusalError, refuse } from "#base";
import { ask, taking } from "../../kit/ask.ts";
import type { Directory } from "../../kit/directory.ts";
import type { CallContext, Orchestration } from "../../module.ts";
import { awaitCheck, getConnection, look, check as startCheck } from "../connection/methods.ts";
import type { Parts } from "../parts.ts";
import { failed, waitOf } from "./checks.ts";
import { listing } from "./provider-configs.ts";
import { providerOf } from "./sessions.ts";

/** A connection sends its entry once it has credentials. */
export const connectionDirectory: Directory = {
  kind: "connection",
  filters: ["status", "provider_key", "environment", "key_id"],
};

export function connectionMethods(parts: Parts): Readonly<Record<string, Orchestration>> {
  return {
    "ConnectionService.ListConnections": listing("connection", ["provider_key", "status"], (id, call) =>
      ask(call, getConnection, { key: handleOf(id), request: {} }),
    ),
    "ConnectionService.VerifyConnection": taking<{ readonly connection_id: string }>(
      ({ connection_id }, call) => verify(parts, connection_id, call),
    ),
  };
}

async function verify(parts: Parts, id: string, call: CallContext): Promise<unknown> {
  const key = handleOf(id);
  const record = await ask(call, look, { key, request: {} });
  if (providerOf(parts, record).file.verify === undefined)
    throw failed(
      "NO_VERIFY_ACTION",
      `${record.providerKey} has no action that shows whether credentials work`,
    );
  await ask(call, startCheck, { key, request: {}, step: "" });
  const { connection, check } = await ask(call, awaitCheck, { key, request: { waitMs: waitOf(call) } });
  if (check.working || (check.error !== "" && connection.status === "active"))
    throw new RefusalError(
      refuse("UNAVAILABLE", check.error === "" ? "the provider has not answered yet" : check.error, {
        reason: "PROVIDER_UNAVAILABLE",
        retryAfterMs: limits.retryAfterMs,
      }),
    );
  return connection;
}
