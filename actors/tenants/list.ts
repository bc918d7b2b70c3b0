import { isRefusal } from "#base";
import type { Context, Decision, RangeRef } from "#runtime";
import { cutToBytes, type PageRequest, pageBounds, sealCursor } from "../kit/cursor.ts";
import { type TenantRecord, tenantResource } from "./record.ts";
import type { Event, State } from "./state.ts";

export interface ListRequest extends PageRequest {
  readonly status?: string;
}

/** Without a filter all but the deleted ones. */
export function listTenants(state: State, request: ListRequest, context: Context): Decision<Event> {
  const statuses = request.status === undefined ? ["active", "suspended"] : [request.status];
  const scope = ["tenants", request.status, "id"];
  const bounds = pageBounds(request, state.seal, scope);
  if (isRefusal(bounds)) return bounds;
  const { size, offset, after } = bounds;
  const ranges = statuses.map((status): RangeRef => {
    const from = after === undefined ? {} : { from: [status, `${after[0]}\u0000`] };
    return { collection: "by_status", prefix: [status], limit: offset + size + 1, ...from };
  });
  const missing = ranges.filter((range) => context.range(range) === undefined);
  if (missing.length > 0) return { need: missing };
  const found = ranges
    .flatMap((range) => context.range(range)!.map(({ value }) => value as TenantRecord))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const shown = cutToBytes(found.slice(offset, offset + size).map(tenantResource));
  const last = shown.at(-1) as { id: string } | undefined;
  const more = last !== undefined && found.length > offset + shown.length;
  return {
    events: [],
    answer: {
      tenants: shown,
      next_page_token: more ? sealCursor(state.seal, scope, [last.id]) : "",
      total: statuses.reduce((sum, status) => sum + (state.counts.get(status) ?? 0), 0),
    },
  };
}
