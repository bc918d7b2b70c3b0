import type { EffectRun } from "#runtime";
import { askAs, type Method } from "../../kit/ask.ts";
import type { Parts } from "../parts.ts";

/** A question of an effect to its connection, or to the entity with this key. */
export function inside<Request, Response>(
  { call }: Parts,
  { address, id, signal }: EffectRun,
  method: Method<Request, Response>,
  request: NoInfer<Request>,
  key = address.key,
): Promise<Response> {
  const as = { tenant: address.tenant, subject: "connectors", key: id, signal };
  return askAs(call, method, { key, request }, as);
}
