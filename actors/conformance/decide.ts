import { isRefusal, limits, type Refusal, refuse } from "#base";
import type { Context, Decision, EffectStep } from "#runtime";
import type { PageRequest } from "../kit/cursor.ts";
import { checkEnvironment } from "../kit/environment.ts";
import type { TenantPurge } from "../kit/tenant.ts";
import { explanationOf, type Report, type ReportContent, reportMessage } from "./report.ts";
import type { SuiteFacts } from "./runner.ts";
import { type Active, type Event, reports, type State } from "./state.ts";

export type Command =
  | { readonly type: "begin"; readonly node: string; readonly environment: string; readonly sandbox: boolean }
  | {
      readonly type: "end";
      readonly runId: string;
      readonly sandbox: boolean;
      readonly report?: ReportContent;
    }
  | { readonly type: "get"; readonly environment: string; readonly reportId: string }
  | { readonly type: "list"; readonly request: ListRequest }
  | {
      readonly type: "explain";
      readonly environment: string;
      readonly reportId?: string;
      readonly facts: readonly SuiteFacts[];
    }
  | { readonly type: "effect"; readonly step: EffectStep }
  | TenantPurge;

type ListRequest = PageRequest & { readonly environment_id?: string };

export interface Began {
  readonly runId: string;
  readonly untilMs: number;
}

/** Every decision for a caller has its `answer`. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  switch (command.type) {
    case "begin":
      return begin(state, command, context);
    case "end":
      return end(state, command, context);
    case "get":
      return withReport(command, context, (report) => ({ events: [], answer: reportMessage(report, true) }));
    case "list":
      return list(state, command.request, context);
    case "explain":
      return explain(state, command, context);
    case "effect":
      return { events: [] };
    case "purge":
      return { events: [{ type: "purged" }], frees: true };
  }
}

function begin(
  state: State,
  command: Extract<Command, { type: "begin" }>,
  context: Context,
): Decision<Event> {
  const { node, environment, sandbox } = command;
  const under = state.active.get(node);
  if (under && context.now < under.untilMs)
    return refuse("STATE_CONFLICT", "a conformance run of this tenant is under way on this node", {
      reason: "RUN_ACTIVE",
    });
  const untilMs = context.now + limits.conformanceSandboxMs;
  const active: Active = { runId: context.newId(), node, untilMs, environment };
  const answer: Began = { runId: active.runId, untilMs };
  return { events: [{ type: "began", active, sandbox }], answer };
}

/** A report of the same content takes the place of the older one; beyond the limit the oldest goes. */
function end(state: State, command: Extract<Command, { type: "end" }>, context: Context): Decision<Event> {
  const { runId, sandbox, report: content } = command;
  const active = [...state.active.values()].find((one) => one.runId === runId);
  const ended: Event[] = active ? [{ type: "ended", active, sandbox }] : [];
  if (!content) return { events: ended, answer: {} };
  const same = reports.holderOf("digests", `${content.environment} ${content.reportId}`, context);
  if ("need" in same) return same;
  const removed = removedFor(state, same.id, context);
  if ("need" in removed) return removed;
  const createdBy = context.caller?.subject ?? "";
  const report: Report = { ...content, id: context.newId(), createdBy, createdAt: context.now };
  return {
    events: [...ended, { type: "reported", report, removed: removed.values }],
    answer: reportMessage(report, true),
  };
}

function removedFor(state: State, same: string | null, context: Context) {
  if (same !== null) {
    const value = reports.get(same, context);
    return value === undefined ? reports.need(same) : { values: value === null ? [] : [value] };
  }
  if (reports.total(state.counts) < limits.conformanceReportsMax) return { values: [] };
  // Newest first: the last of all is the oldest.
  const all = reports.some(limits.conformanceReportsMax, undefined, context);
  return "need" in all ? all : { values: all.values.slice(-1) };
}

function list(state: State, request: ListRequest, context: Context): Decision<Event> {
  const filter = { environment: request.environment_id };
  const page = reports.page(state.counts, { request, filter, secret: state.secret }, context);
  if (isRefusal(page) || "need" in page) return page;
  const secret = state.secret || context.secret(limits.secretBytes);
  const drawn: Event[] = state.secret === "" && page.more ? [{ type: "secret_drawn", secret }] : [];
  const answer = {
    reports: page.values.map((report) => reportMessage(report, false)),
    next_page_token: page.more ? page.cursorAfter(page.values.at(-1)!.id, secret) : "",
    total: page.total,
  };
  return { events: drawn, answer };
}

/** Without an id the newest; compared with the one before it of the same suite and mode. */
function explain(
  state: State,
  command: Extract<Command, { type: "explain" }>,
  context: Context,
): Decision<Event> {
  const foreign = checkEnvironment(command.environment, context.caller);
  if (foreign) return foreign;
  const all = reports.after(
    state.counts,
    { environment: command.environment },
    context,
    undefined,
    limits.conformanceReportsMax,
  );
  if ("need" in all) return all;
  const { reportId } = command;
  const at = reportId === undefined ? 0 : all.values.findIndex((one) => one.reportId === reportId);
  const report = all.values[at];
  if (!report) return noReport();
  const before = all.values
    .slice(at + 1)
    .find(({ suiteId, mode }) => suiteId === report.suiteId && mode === report.mode);
  return { events: [], answer: explanationOf(report, before, command.facts) };
}

function withReport(
  { environment, reportId }: { readonly environment: string; readonly reportId: string },
  context: Context,
  then: (report: Report) => Decision<Event>,
): Decision<Event> {
  const foreign = checkEnvironment(environment, context.caller);
  if (foreign) return foreign;
  const held = reports.holderOf("digests", `${environment} ${reportId}`, context);
  if ("need" in held) return held;
  if (held.id === null) return noReport();
  const report = reports.get(held.id, context);
  if (report === undefined) return reports.need(held.id);
  return report === null ? noReport() : then(report);
}

function noReport(): Refusal {
  return refuse("NOT_FOUND", "there is no such report in this environment");
}
