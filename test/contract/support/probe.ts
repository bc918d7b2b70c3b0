import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, RefusalError, refuse } from "#base";
import type { Ask, Asker } from "#runtime";
import { secretOfTenant } from "../../../actors/kit/tenants.ts";
import type { Handler } from "../../../gateway/calls/targets.ts";
import { loadContract } from "../../../gateway/contract/index.ts";
import { askerOf } from "../../support/asker.ts";

/** The product's contract and the ProbeService in one. */
export function loadProbeContract() {
  const extra = readFileSync(new URL("../probe/probe.binpb", import.meta.url));
  return loadContract({ extra, extraPackages: ["service.probe"] });
}

export const probeHandlers: Readonly<Record<string, Handler>> = {
  "ProbeService.Echo": echo,
  "ProbeService.OldEcho": echo,
  "ProbeService.InternalEcho": echo,
  "ProbeService.Look": (request) => request,
  "ProbeService.Guarded": (request) => request,
  "ProbeService.ListGoods": listGoods,
  "ProbeService.Unwrap": (look) => ({ look }),
  "ProbeService.UnwrapBare": (look) => ({ look }),
  "ProbeService.Download": (request) => {
    const { content_type, content } = request as { content_type: string; content: string };
    return { content_type, data: content };
  },
  "ProbeService.Fail": fail,
  "ProbeService.Wait": async (request, call) => {
    await sleep((request as { sleep_ms: number }).sleep_ms, undefined, { signal: call.signal });
    return {};
  },
  "ProbeService.Poll": (_request, call) => ({ left_ms: call.deadlineMs - call.startedAtMs }),
  "ProbeService.Count": count as Handler,
  "ProbeService.Sum": sum as Handler,
  "ProbeService.Chat": chat as Handler,
};

/** Answers for entities of kind `probe`, once per key; all other requests go to the dispatcher behind it. */
export function probeAsker(behind: Asker): Asker {
  const kept = new Map<string, { fingerprint: string; response: unknown }>();
  let count = 0;
  return {
    ...behind,
    ...askerOf((ask) => {
      if (ask.method === secretOfTenant.name) return { response: { secret: "probe" }, replayed: false };
      return ask.to.kind === "probe" ? keep(ask) : behind.ask(ask);
    }),
  };

  function keep({ to, request, idempotency }: Ask) {
    const scope = idempotency === undefined ? undefined : `${JSON.stringify(to)} ${idempotency.scope}`;
    const before = scope === undefined ? undefined : kept.get(scope);
    if (before !== undefined && before.fingerprint !== idempotency?.fingerprint)
      return refuse("IDEMPOTENCY_KEY_REUSED", "the key was used for another request");
    if (before !== undefined) return { response: before.response, replayed: true };
    count++;
    const response = { name: (request as { name: string }).name, kept: count };
    if (scope !== undefined) kept.set(scope, { fingerprint: idempotency!.fingerprint, response });
    return { response, replayed: false };
  }
}

function echo(request: unknown, call: Parameters<Handler>[1]) {
  return { echo: request, tenant_id: call.tenant, subject: call.principal?.subject };
}

function listGoods(request: unknown) {
  const { page, per_page } = request as { page: number; per_page: number };
  const all = Array.from({ length: 7 }, (_, index) => ({ name: `good-${index}`, tags: [], large: index }));
  return { goods: all.slice((page - 1) * per_page, page * per_page), total: all.length, page, per_page };
}

function fail(request: unknown): unknown {
  const { error_code, detail, reason, retry_after_ms, fields, crash } = request as {
    error_code: ErrorCode;
    detail: string;
    reason?: string;
    retry_after_ms?: number;
    fields?: string[];
    crash?: boolean;
  };
  if (crash) throw new Error(detail);
  if (error_code === undefined || (error_code as string) === "") return {};
  const options = {
    ...(reason ? { reason } : undefined),
    ...(retry_after_ms ? { retryAfterMs: retry_after_ms } : undefined),
    ...(fields?.length ? { fields: fields.map((field) => ({ field, reason: "is wrong" })) } : undefined),
  };
  throw new RefusalError(refuse(error_code, detail, options));
}

async function* count(requests: AsyncIterable<unknown>) {
  for await (const request of requests) {
    const { up_to, fail_after } = request as { up_to: number; fail_after?: number };
    for (let number = 1; number <= up_to; number++) {
      if (fail_after !== undefined && number > fail_after)
        throw new RefusalError(refuse("STATE_CONFLICT", `failed after ${fail_after}`));
      yield { number };
    }
  }
}

async function* sum(requests: AsyncIterable<unknown>) {
  let total = 0;
  for await (const request of requests) total += (request as { number: number }).number;
  yield { sum: total };
}

async function* chat(requests: AsyncIterable<unknown>) {
  for await (const request of requests) yield { text: `${(request as { text: string }).text}!` };
}
