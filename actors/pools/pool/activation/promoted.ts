import type { Context } from "#runtime";
import type { Asked } from "../../../kit/activation.ts";
import { newRecord, nextRecord } from "../../../kit/record.ts";
import type { RuleRecord } from "../../pool-record.ts";
import { liveRules } from "../content.ts";
import type { VersionRow } from "../governance.ts";
import { actionOf } from "../rule-action.ts";
import type { State } from "../state.ts";
import type { ContentKind, RoutingContent, StrategyContent } from "../version-content.ts";
import { versionRow } from "../versions.ts";

interface Contents {
  readonly routing: RoutingContent;
  readonly strategy: StrategyContent;
}

/** What the version of this kind has that a step names; its row was read before. */
export function contentIn<Kind extends ContentKind>(
  state: State,
  artifacts: readonly Asked[],
  kind: Kind,
  context: Context,
): Contents[Kind] | undefined {
  const artifact = artifacts.find((one) => one.kind === kind);
  return artifact && (versionRow(state, artifact.version, context)?.content as Contents[Kind] | undefined);
}

/** Each has the id that the canary gave it, else that of the live rule of its name, else a new one. */
export function rulesFor(
  state: State,
  { rules }: RoutingContent,
  ids: readonly string[] | undefined,
  context: Context,
): readonly RuleRecord[] {
  const byName = new Map<string, RuleRecord[]>();
  for (const rule of liveRules(state)) byName.set(rule.name, [...(byName.get(rule.name) ?? []), rule]);
  return rules.map((content, index) => {
    const id = ids?.[index] ?? byName.get(content.name)?.shift()?.id ?? context.newId(context.address.key);
    return ruleOf(state, id, content, context.now);
  });
}

function ruleOf(state: State, id: string, content: RoutingContent["rules"][number], now: number): RuleRecord {
  const settings = { ...content, action: actionOf(content.action) };
  const live = state.rules.get(id);
  if (!live) return newRecord(id, settings, now);
  return nextRecord(live, { ...live, ...settings }, now) ?? live;
}

/** With the ids that they had, also those that the activation removed. */
export function restoredRules(
  state: State,
  { content, rules: kept = [] }: VersionRow,
  now: number,
): readonly RuleRecord[] {
  return (content as RoutingContent).rules.map((rule, index) => {
    const before = kept[index]!;
    if (state.rules.has(before.id)) return ruleOf(state, before.id, rule, now);
    const { id, createdAt, recordVersion } = before;
    return {
      ...rule,
      action: actionOf(rule.action),
      id,
      createdAt,
      updatedAt: now,
      recordVersion: recordVersion + 1,
    };
  });
}
