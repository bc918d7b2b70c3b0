import { canonicalText, digestOf, type FieldError, limits, type Refusal, refuse, uncanonical } from "#base";
import { problemsOf } from "../../cel/cel.ts";
import type { Message } from "../../kit/record.ts";
import { fillPoolConfig, type PoolConfigInput } from "../pool-config.ts";
import { checkPoolConfig } from "../pool-config-check.ts";
import { actionResource, type PoolRecord, type RuleRecord } from "../pool-record.ts";
import type { RuleAction, Strategy } from "../router.ts";
import { actionOf } from "./rule-action.ts";
import type { State } from "./state.ts";
import type {
  Content,
  ContentKind,
  RoutingContent,
  RuleContent,
  StrategyContent,
} from "./version-content.ts";

/** What is in force now. */
export function liveContent(state: State, kind: ContentKind): Content {
  const { strategy, config } = state.pool!;
  const { sticky, outlier, ...rest } = fillPoolConfig(config);
  if (kind === "strategy") return { strategy, ...(sticky && { sticky }), outlier };
  return { config: rest, rules: [...state.rules.values()].map(ruleContent).sort(byOrder) };
}

export function liveDigest(state: State, kind: ContentKind): string {
  return digestOf(liveContent(state, kind));
}

/** The rules of the pool in the order in which its content has them. */
export function liveRules(state: State): RuleRecord[] {
  return [...state.rules.values()].sort(
    (a, b) => byOrder(ruleContent(a), ruleContent(b)) || (a.id < b.id ? -1 : 1),
  );
}

/** A proposal, as it is kept. */
export function contentOf(kind: ContentKind, given: Message | undefined): Content | Refusal {
  const part = given?.[kind] as Message | undefined;
  const other = kind === "routing" ? "strategy" : "routing";
  if (part === undefined || given?.[other] !== undefined)
    return invalid([{ field: "content", reason: `has to be that of the kind ${kind}, and nothing else` }]);
  const foreign = ["sticky", "outlier"].filter(
    (name) => (part.config as Message | undefined)?.[name] !== undefined,
  );
  if (foreign.length > 0)
    return invalid(
      foreign.map((name) => ({ field: `content.routing.config.${name}`, reason: "is of the kind strategy" })),
    );
  const content = kind === "routing" ? routingOf(part) : strategyOf(part);
  const problem = uncanonical(content, "content");
  if (problem) return problem;
  const errors = contentErrors(content);
  return errors.length > 0 ? invalid(errors) : (tooLarge(content) ?? content);
}

/** Why this content cannot be in force, whatever the pool is. */
function contentErrors(content: Content): readonly FieldError[] {
  if ("strategy" in content) {
    const { sticky, outlier } = content;
    return configErrors({ ...(sticky && { sticky }), outlier });
  }
  return [
    ...configErrors(content.config),
    ...content.rules.flatMap((rule, index) =>
      ruleErrors(rule).map(({ field, reason }) => ({
        field: `content.routing.rules[${index}].${field}`,
        reason,
      })),
    ),
  ];
}

export function configErrors(config: PoolConfigInput): readonly FieldError[] {
  return checkPoolConfig(fillPoolConfig(config))?.fields ?? [];
}

export function ruleErrors({ condition, action }: RuleContent): readonly FieldError[] {
  const compiled = problemsOf(condition, "condition").map(({ line, column, reason }) => ({
    field: "condition",
    reason: `line ${line}, column ${column}: ${reason}`,
  }));
  const selected = actionOf(action);
  const empty = "selector" in selected && Object.keys(selected.selector).length === 0;
  return empty ? [...compiled, { field: `action.${selected.type}`, reason: "selects nothing" }] : compiled;
}

export function tooLarge(content: Content): Refusal | undefined {
  if (Buffer.byteLength(canonicalText(content)) <= limits.poolVersionBytesMax) return undefined;
  return refuse("PAYLOAD_TOO_LARGE", `a version of a pool may have ${limits.poolVersionBytesMax} bytes`);
}

/** The pool's own record with this content in force. */
export function poolWith(pool: PoolRecord, content: Content): PoolRecord {
  if (!("strategy" in content)) {
    const { sticky, outlier } = pool.config;
    return { ...pool, config: { ...content.config, ...(sticky && { sticky }), ...(outlier && { outlier }) } };
  }
  const { sticky: _, ...rest } = pool.config;
  const { strategy, sticky, outlier } = content;
  return { ...pool, strategy, config: { ...rest, ...(sticky && { sticky }), outlier } };
}

/** Ids of recipients and pools that a rule names. */
function idsIn(action: RuleAction): readonly string[] {
  if (action.type === "redirect") return [action.poolId];
  return "selector" in action ? (action.selector.recipientIds ?? []) : [];
}

/** The content of another pool with the ids of this one. */
export function mapped(content: Content, ids: Readonly<Record<string, string>>): Content | Refusal {
  if ("strategy" in content) return content;
  const unmapped: FieldError[] = [];
  const rules = content.rules.map((rule) => {
    const action = actionOf(rule.action);
    for (const id of idsIn(action))
      if (!Object.hasOwn(ids, id))
        unmapped.push({
          field: "from.ids",
          reason: `has no id for ${id}, which the rule ${rule.name} names`,
        });
    return { ...rule, action: actionResource(withIds(action, ids)) };
  });
  if (unmapped.length > 0) return invalid(unmapped.slice(0, limits.fieldErrorsMax));
  return { ...content, rules };
}

function withIds(action: RuleAction, ids: Readonly<Record<string, string>>): RuleAction {
  if (action.type === "redirect") return { ...action, poolId: ids[action.poolId] ?? action.poolId };
  if (!("selector" in action) || !action.selector.recipientIds) return action;
  const recipientIds = action.selector.recipientIds.map((id) => ids[id] ?? id);
  return { ...action, selector: { ...action.selector, recipientIds } };
}

/** In the words of the contract. */
export function contentMessage(content: Content): Message {
  return "strategy" in content ? { strategy: content } : { routing: content };
}

function routingOf({ config = {}, rules = [] }: Message): RoutingContent {
  const { sticky: _, outlier: __, ...rest } = fillPoolConfig(config as PoolConfigInput);
  return { config: rest, rules: (rules as readonly Message[]).map(ruleOf).sort(byOrder) };
}

function strategyOf({ strategy, sticky, outlier }: Message): StrategyContent {
  const filled = fillPoolConfig({
    ...(sticky ? { sticky } : {}),
    ...(outlier ? { outlier } : {}),
  } as PoolConfigInput);
  return {
    strategy: strategy as Strategy,
    ...(filled.sticky && { sticky: filled.sticky }),
    outlier: filled.outlier,
  };
}

function ruleOf(given: Message): RuleContent {
  const condition = ((given.condition as string | undefined) ?? "").trim();
  return {
    name: given.name as string,
    order: (given.order as number | undefined) ?? 0,
    enabled: (given.enabled as boolean | undefined) ?? true,
    condition: condition === "" ? "true" : (given.condition as string),
    action: actionResource(actionOf(given.action as Message)),
  };
}

function ruleContent({ name, order, enabled, condition, action }: RuleRecord): RuleContent {
  return { name, order, enabled, condition, action: actionResource(action) };
}

/** Of equal order and name, the texts decide: the digest must not depend on ids. */
function byOrder(a: RuleContent, b: RuleContent): number {
  return a.order - b.order || compare(a.name, b.name) || compare(canonicalText(a), canonicalText(b));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function invalid(errors: readonly FieldError[]): Refusal {
  return refuse("INVALID_ARGUMENT", `${errors[0]!.field} ${errors[0]!.reason}`, { fields: errors });
}
