import { createHmac } from "node:crypto";
import { hash32, limits, type Refusal, refuse } from "#base";
import { bind, type CelBindings, compile, evaluateKey } from "../../../cel/cel.ts";
import type { CommandBudget } from "../../../cel/command-budget.ts";
import { stateExclusion } from "../../eligibility.ts";
import type { PoolConfig } from "../../pool-config.ts";
import type { RouterView } from "../../router.ts";
import type { RoutableItem } from "../../rules.ts";
import { type ItemGroups, noGroups } from "../rows/item.ts";

/** What the key expressions of a pool say of one item: evaluated once, at enqueue, and stored without the keys. */
export interface ItemKeys {
  readonly groups: ItemGroups;
  readonly flow: string;
  readonly stickyKey: string;
}

/** What expressions may name besides the item, what hides the keys they come to, and what they may take. */
interface Scope {
  readonly tenant: string;
  readonly now: number;
  readonly secret: string;
  readonly commandBudget: CommandBudget;
}

type Admission = NonNullable<PoolConfig["admission"]>;

const noKeys: ItemKeys = { groups: noGroups, flow: "", stickyKey: "" };

export function keysOf(
  config: PoolConfig,
  item: RoutableItem & { readonly cost: number },
  scope: Scope,
): ItemKeys | Refusal {
  const { admission, fairness, sticky } = config;
  if (!admission && !fairness && !sticky) return noKeys;
  const evaluator = new Evaluator(config, item, scope);
  const keys: ItemKeys = {
    groups: admission ? evaluator.groups(admission, item.cost) : noGroups,
    flow: fairness ? evaluator.flow(fairness.key) : "",
    stickyKey: sticky ? evaluator.key(sticky.key) : "",
  };
  return evaluator.refusal ?? keys;
}

/** The recipient a key sticks to: weighted rendezvous, so that a change of the pool moves few keys. */
export function stickyRecipient(
  router: RouterView,
  stickyKey: string,
  fits: (recipient: RouterView["ready"][number]) => boolean,
): string {
  let best = "";
  let bestScore = -1;
  for (const recipient of router.recipients.values()) {
    if (stateExclusion(recipient) || !fits(recipient)) continue;
    const draw = (hash32(`${stickyKey}|${recipient.id}`) + 0.5) / 2 ** 32;
    const score = -recipient.weight / Math.log(draw);
    if (score > bestScore) {
      best = recipient.id;
      bestScore = score;
    }
  }
  return best;
}

class Evaluator {
  readonly #config: PoolConfig;
  readonly #item: RoutableItem;
  readonly #scope: Scope;
  #bindings: CelBindings | undefined;
  /** Controls that differ in part often share a key, too: it is evaluated once. */
  #last: { readonly source: string; readonly redacted: Redacted } | undefined;
  refusal: Refusal | undefined;

  constructor(config: PoolConfig, item: RoutableItem, scope: Scope) {
    this.#config = config;
    this.#item = item;
    this.#scope = scope;
  }

  /** The text of a key; empty after a failure, which is kept in `refusal`. */
  key(source: string): string {
    const plain = plainKey(source, this.#item);
    if (plain !== undefined) return plain;
    const compiled = compile(source);
    if ("problems" in compiled) return this.#fail(source, compiled.problems[0]!.reason);
    this.#bindings ??= bind(this.#item, this.#scope.tenant, this.#scope.now, this.#scope.commandBudget);
    const result = evaluateKey(compiled.program, this.#bindings);
    return "error" in result ? this.#fail(source, result.error) : result.key;
  }

  /** Where all controls have one key, its groups are kept with it: they are put together once for all of its items. */
  groups(admission: Admission, cost: number): ItemGroups {
    const source = sharedKey(admission);
    if (source === undefined) return this.#groups(admission, cost);
    const known = this.#redacted(source);
    if (known.admission !== admission || known.cost !== cost) {
      known.admission = admission;
      known.cost = cost;
      known.groups = this.#groups(admission, cost);
    }
    return known.groups;
  }

  #groups({ singleton, debounce, throttle, concurrency }: Admission, itemCost: number): ItemGroups {
    return {
      singleton: singleton ? this.#groupId(singleton.key) : "",
      debounce: debounce ? this.#groupId(debounce.key) : "",
      throttle: throttle ? this.#groupId(throttle.key) : "",
      concurrency: concurrency.map(({ key, limit, cost, no }, place) => ({
        id: this.#groupId(key, no ?? place),
        control: no ?? place,
        cost: Math.min(cost ?? itemCost, limit),
      })),
    };
  }

  /**
   * The same for every kind of control: kind and id together name a group, and controls often share a key. Of several
   * concurrency controls each has groups of its own.
   */
  #groupId(source = "", control = 0): string {
    return this.#redacted(source, control).id;
  }

  #redacted(source: string, control = 0): Redacted {
    if (control === 0 && source === this.#last?.source) return this.#last.redacted;
    const key = source === "" ? "" : this.key(source);
    const redacted = redact(this.#scope.secret, control === 0 ? key : `${control}\0${key}`);
    if (control === 0) this.#last = { source, redacted };
    return redacted;
  }

  /** Fairness keys are compared with the weights of the configuration, so short ones stay readable inside. */
  flow(source: string): string {
    const key = this.key(source);
    return key.length <= limits.flowKeyLengthMax ? key : `h:${redact(this.#scope.secret, key).id}`;
  }

  #fail(source: string, reason: string): string {
    const settings = settingsWith(this.#config, source);
    const why = `${source} fails for this item: ${reason}`;
    this.refusal ??= refuse("INVALID_ARGUMENT", `${settings.join(", ")}: ${why}`, {
      fields: settings.map((field) => ({ field, reason: why })),
    });
    return "";
  }
}

/** Every setting that has this expression: controls often share one, and it is evaluated once for all of them. */
function settingsWith({ admission, fairness, sticky }: PoolConfig, source: string): string[] {
  const { singleton, debounce, throttle, concurrency = [] } = admission ?? {};
  const keys = {
    "admission.singleton": singleton?.key,
    "admission.debounce": debounce?.key,
    "admission.throttle": throttle?.key,
    ...Object.fromEntries(concurrency.map(({ key }, place) => [`admission.concurrency[${place}]`, key])),
    fairness: fairness?.key,
    sticky: sticky?.key,
  };
  return Object.entries(keys).flatMap(([setting, key]) => (key === source ? [`config.${setting}.key`] : []));
}

/** Most keys are a plain path to a string; it needs no interpreter. Same text as CEL would give. */
function plainKey(source: string, item: RoutableItem): string | undefined {
  let path = paths.get(source);
  if (path === undefined) {
    path = /^item(\.[a-z_][a-z0-9_]*)+$/.test(source) ? source.split(".").slice(1) : null;
    if (paths.size >= limits.celCacheMax) paths.clear();
    paths.set(source, path);
  }
  if (path === null) return undefined;
  let value: unknown = item;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === "string" ? `s:${value}` : undefined;
}

const paths = new Map<string, string[] | null>();

/** The key expression of all controls; `undefined` where they differ, or where one is told apart by its number. */
function sharedKey({ singleton, debounce, throttle, concurrency }: Admission): string | undefined {
  const [slot, another] = concurrency;
  if (another || slot?.no) return undefined;
  const first = singleton ?? debounce ?? throttle ?? slot;
  if (first === undefined) return undefined;
  if (debounce && debounce.key !== first.key) return undefined;
  if (throttle && throttle.key !== first.key) return undefined;
  if (slot && slot.key !== first.key) return undefined;
  return first.key ?? "";
}

/** A key that cannot come back, and the groups that items of it had last. */
interface Redacted {
  /** `g_` and 32 hex digits of a keyed hash: the same key has the same id. */
  readonly id: string;
  admission: Admission | undefined;
  cost: number;
  groups: ItemGroups;
}

function redact(secret: string, text: string): Redacted {
  if (text.length > limits.redactedLengthMax) return hashed(secret, text);
  let keys = redacted.get(secret);
  const known = keys?.get(text);
  if (known !== undefined) return known;
  if (redactedCount >= limits.queueGroupsHotMax) {
    redacted.clear();
    redactedCount = 0;
    keys = undefined;
  }
  if (keys === undefined) {
    keys = new Map();
    redacted.set(secret, keys);
  }
  const key = hashed(secret, text);
  keys.set(text, key);
  redactedCount++;
  return key;
}

/** By secret, of all tenants: a look takes 0.3 to 0.45 us, with both in one text, to be hashed each time, 0.6 to 0.9. */
const redacted = new Map<string, Map<string, Redacted>>();
let redactedCount = 0;

function hashed(secret: string, text: string): Redacted {
  const id = `g_${createHmac("sha256", secret).update(text).digest("hex").slice(0, 32)}`;
  return { id, admission: undefined, cost: 0, groups: noGroups };
}
