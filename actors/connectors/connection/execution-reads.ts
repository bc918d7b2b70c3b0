import { isRefusal, refuse } from "#base";
import type { Context, Decision, Need } from "#runtime";
import { cutToBytes, type PageRequest } from "../../kit/cursor.ts";
import { secretOf } from "../../kit/state.ts";
import { type Connection, executionMessage, executions } from "./record.ts";
import { bodies, type Event, type State } from "./state.ts";

export const noExecution = refuse("NOT_FOUND", "there is no such execution");

export function getExecution(record: Connection, id: string, context: Context): Decision<Event> {
  const execution = executions.get(id, context);
  if (execution === undefined) return executions.need(id);
  if (execution === null) return noExecution;
  const body = bodyOrNeed(id, context);
  if ("need" in body) return body;
  return { events: [], answer: executionMessage(record, execution, body) };
}

export function bodyOrNeed(
  id: string,
  context: Context,
): Need | { readonly input: unknown; readonly output: unknown } {
  const refs = ["input", "output"].map((part) => ({ collection: bodies, key: [id, part] }));
  const missing = refs.filter((ref) => context.row(ref) === undefined);
  if (missing.length > 0) return { need: missing };
  return { input: context.row(refs[0]!), output: context.row(refs[1]!) };
}

export function list(
  state: State,
  record: Connection,
  request: PageRequest & { readonly status?: string },
  context: Context,
): Decision<Event> {
  const filter = request.status === undefined ? {} : { status: request.status };
  const page = executions.page(state.counts, { request, filter, secret: state.secret }, context);
  if (isRefusal(page) || "need" in page) return page;
  const shown = cutToBytes(page.values.map((execution) => executionMessage(record, execution)));
  const { secret, drawn } = secretOf(state, context);
  const more = page.more || shown.length < page.values.length;
  return {
    events: drawn,
    answer: {
      executions: shown,
      next_page_token: more ? page.cursorAfter(page.values[shown.length - 1]!.id, secret) : "",
      total: page.total,
    },
  };
}
