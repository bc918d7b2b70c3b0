import { limits, type Refusal, refuse } from "#base";
import type { Context, Decision } from "#runtime";
import { decideRecord, type RecordCommand } from "../kit/decide.ts";
import { checkEnvironment } from "../kit/environment.ts";
import { newRecord } from "../kit/record.ts";
import {
  type Active,
  explanationOf,
  type Report,
  type ReportContent,
  reportMessage,
  reportResource,
  reportRows,
  type State,
} from "./record.ts";
import type { SuiteFacts } from "./runner.ts";
import type { Event } from "./state.ts";

export type Command =
  | Extract<RecordCommand, { type: "list_records" | "purge" }>
  | ({ readonly type: "begin" } & Begin)
  | ({ readonly type: "end" } & End)
  | ({ readonly type: "get" } & ReportRef)
  | ({ readonly type: "explain" } & Explain)
  | { readonly type: "effect" };

export interface Begin {
  readonly node: string;
  readonly environment: string;
  readonly sandbox: boolean;
}

export interface Began {
  readonly runId: string;
  readonly untilMs: number;
}

export interface End {
  readonly runId: string;
  readonly sandbox: boolean;
  readonly report?: ReportContent | undefined;
}

interface ReportRef {
  readonly environment_id: string;
  readonly report_id: string;
}

export interface Explain extends Omit<ReportRef, "report_id"> {
  readonly report_id?: string;
  readonly facts: readonly SuiteFacts[];
}

/** Every decision for a caller has its `answer`. */
export function decide(state: State, command: Command, context: Context): Decision<Event> {
  switch (command.type) {
    case "begin":
      return begin(state, command, context);
    case "end":
      return end(state, command, context);
    case "get":
      return get(command, context);
    case "explain":
      return explain(state, command, context);
    case "effect":
      return { events: [] };
    default:
      return decideRecord(reportResource, state, command, context);
  }
}

function begin(state: State, { node, environment, sandbox }: Begin, context: Context): Decision<Event> {
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
function end(state: State, { runId, sandbox, report: content }: End, context: Context): Decision<Event> {
  const active = [...state.active.values()].find((one) => one.runId === runId);
  const ended: Event[] = active ? [{ type: "ended", active, sandbox }] : [];
  if (!content) return { events: ended, answer: {} };
  const replaced = replacedBy(state, content, context);
  const createdBy = context.caller?.subject ?? "";
  const report: Report = newRecord(context.newId(), { ...content, createdBy }, context.now);
  const removed: Event[] = replaced ? [{ type: "record_changed", before: replaced, after: null }] : [];
  return {
    events: [...ended, ...removed, { type: "record_changed", before: null, after: report }],
    answer: reportMessage(report, true),
  };
}

function replacedBy(state: State, content: ReportContent, context: Context): Report | null | undefined {
  const same = reportOwner(content.environment, content.reportId, context);
  if (same !== null) return reportRows.get(same, context);
  if (reportRows.total(state.records) < limits.conformanceReportsMax) return null;
  // Newest first: the last of all is the oldest.
  return reportRows.some(limits.conformanceReportsMax, undefined, context).at(-1);
}

function reportOwner(environment: string, reportId: string, context: Context): string | null {
  return reportRows.ownerOf("digests", `${environment} ${reportId}`, context);
}

function get({ environment_id, report_id }: ReportRef, context: Context): Decision<Event> {
  const foreign = checkEnvironment(environment_id, context.caller);
  if (foreign) return foreign;
  const id = reportOwner(environment_id, report_id, context);
  const report = id === null ? null : reportRows.get(id, context);
  return report === null ? noReport() : { events: [], answer: reportMessage(report, true) };
}

/** Without an id the newest; compared with the one before it of the same suite and mode. */
function explain(
  state: State,
  { environment_id: environment, report_id, facts }: Explain,
  context: Context,
): Decision<Event> {
  const foreign = checkEnvironment(environment, context.caller);
  if (foreign) return foreign;
  const most = limits.conformanceReportsMax;
  const { values } = reportRows.after(state.records, { environment }, context, undefined, most);
  const at = report_id === undefined ? 0 : values.findIndex(({ reportId }) => reportId === report_id);
  const report = values[at];
  if (!report) return noReport();
  const before = values
    .slice(at + 1)
    .find(({ suiteId, mode }) => suiteId === report.suiteId && mode === report.mode);
  return { events: [], answer: explanationOf(report, before, facts) };
}

function noReport(): Refusal {
  return refuse("NOT_FOUND", "there is no such report in this environment");
}
