import { limits, RefusalError } from "#base";
import type { EffectHandler } from "#runtime";
import { askAs } from "../../kit/ask.ts";
import { type NextEvent, nextEvents } from "../../kit/next-events.ts";
import type { Given, Taken } from "../deliveries.ts";
import type { Parts } from "../parts.ts";
import { isServed } from "./served.ts";

interface Asked {
  readonly webhook: string;
  readonly tenant: string;
  readonly kinds: readonly string[];
  readonly environment: string;
  readonly position: readonly number[];
}

/** Waits for events from where the endpoint stands. */
export function pumpHandler({ call, isOn }: Parts): EffectHandler<Asked> {
  return {
    waits: true,
    leaseMs: limits.webhookWaitMs * 2,
    async run({ body: { webhook, tenant, kinds, environment, position }, signal }): Promise<Taken> {
      if (!isOn) return { from: position, events: [], position, off: true };
      const as = { tenant, subject: `webhook:${webhook}`, key: "", signal };
      if (!(await isServed({ call }, webhook, as)))
        return { from: position, events: [], position, off: true };
      const filter = { kinds, ...(environment !== "" && { environment }) };
      const next = (cursor: readonly number[]) =>
        askAs(call, nextEvents, { request: { ...filter, cursor, waitMs: limits.webhookWaitMs } }, as);
      try {
        const { events, cursor } = await next(position);
        const others = events.filter(({ kind }) => !kind.startsWith("webhook."));
        return { from: position, events: others.map((one) => givenOf(one, tenant)), position: cursor };
      } catch (error) {
        if (!(error instanceof RefusalError) || error.refusal.code !== "CURSOR_EXPIRED") throw error;
        return { from: position, events: [], position: (await next([])).cursor, gap: true };
      }
    },
  };
}

function givenOf({ id, kind, environment, subject, at, payload }: NextEvent, tenant: string): Given {
  const body = { type: kind, timestamp: at, data: payload, tenant_id: tenant, id, environment, subject };
  return { eventId: id, kind, subject, body: JSON.stringify(body) };
}
