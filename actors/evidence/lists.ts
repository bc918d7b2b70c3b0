import { isRefusal, limits } from "#base";
import type { Context, Decision } from "#runtime";
import { cutToBytes, type PageRequest } from "../kit/cursor.ts";
import type { Collection, Counts } from "../kit/old-collection.ts";
import type { Pack } from "./record.ts";
import { artifacts, type Event, receipts, type State } from "./state.ts";

export type ListRequest = PageRequest & { readonly receipt_type?: string; readonly state?: string };

/** Pages of receipts, and with the first one everything else. */
export function dump(state: State, pack: Pack, request: ListRequest, context: Context): Decision<Event> {
  const all = artifacts.some(limits.evidenceArtifactsMax, undefined, context);
  if ("need" in all) return all;
  return list(state, receipts, state.receiptCounts, request, {}, context, (page) => ({
    pack,
    artifacts: all.values,
    receipts: page,
  }));
}

export function list<Value extends { readonly id: string }>(
  state: State,
  collection: Collection<Value>,
  counts: Counts,
  request: ListRequest,
  filter: Readonly<Record<string, string | undefined>>,
  context: Context,
  shown: (values: readonly Value[]) => object,
): Decision<Event> {
  const page = collection.page(counts, { request, filter, secret: state.secret }, context);
  if (isRefusal(page) || "need" in page) return page;
  const values = cutToBytes(page.values);
  const more = page.more || values.length < page.values.length;
  const secret = state.secret || context.secret(limits.secretBytes);
  const drawn: Event[] = state.secret === "" && more ? [{ type: "secret_drawn", secret }] : [];
  const answer = {
    ...shown(values),
    next_page_token: more ? page.cursorAfter(values.at(-1)!.id, secret) : "",
    total: page.total,
  };
  return { events: drawn, answer };
}
