import type { EffectRun } from "#runtime";
import type { Parts } from "../parts.ts";

/** What only this module asks: entities of its own. */
export async function inside<T>(parts: Parts, run: EffectRun, method: string, request: object): Promise<T> {
  const { tenant, key } = run.address;
  const asked = { ...request, handle: key };
  return (await parts.call(method, asked, {
    tenant,
    subject: "connectors",
    key: run.id,
    signal: run.signal,
  })) as T;
}
