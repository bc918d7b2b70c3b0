import type { Module, Orchestration, Question, StreamHandler } from "#actors";
import type { ActorKey, ContractMethod } from "../contract/method.ts";
import type { Call } from "./call.ts";

/** A method the gateway answers itself; of a streaming one, request and answer are iterables. Throws to refuse. */
export type Handler = (request: unknown, call: Call) => unknown;

/** What answers a method: an entity, an orchestration or a stream of a module, or the gateway in the place of these. */
type Target =
  | { readonly type: "actor"; readonly key: ActorKey }
  | { readonly type: "orchestration"; readonly run: Orchestration | Question }
  | { readonly type: "stream"; readonly open: StreamHandler }
  | { readonly type: "handler"; readonly handle: Handler }
  | { readonly type: "missing" };

interface TargetParts {
  readonly methods: readonly ContractMethod[];
  readonly modules: readonly Module[];
  readonly handlers: Readonly<Record<string, Handler>>;
}

/** The one target of every method. Two of them are a mistake, which of them would answer being anybody's guess. */
export function targetsOf(parts: TargetParts): ReadonlyMap<ContractMethod, Target> {
  const problems: string[] = [];
  const targets = new Map<ContractMethod, Target>();
  for (const method of parts.methods) {
    const found = claimsOf(method, parts);
    const places = found.map(({ place }) => place);
    if (found.length > 1) problems.push(`${method.name} has two targets: ${places.join(", ")}`);
    for (const { place, target } of found)
      if (!fits(method, target)) problems.push(`${method.name} is ${method.kind} and cannot be ${place}`);
    targets.set(method, found[0]?.target ?? missing);
  }
  if (problems.length > 0) throw new Error(`methods and modules do not agree: ${problems.join("; ")}`);
  return targets;
}

export const missing: Target = { type: "missing" };

interface Claim {
  readonly place: string;
  readonly target: Target;
}

function claimsOf(method: ContractMethod, { modules, handlers }: TargetParts): Claim[] {
  const claims: Claim[] = [];
  const claim = (place: string, target: Target) => claims.push({ place, target });
  if (method.actor !== undefined)
    claim(`the entity ${method.actor.kind}`, { type: "actor", key: method.actor });
  for (const { name, orchestrations, streams } of modules) {
    const run = orchestrations?.[method.name] as Orchestration | Question | undefined;
    if (run !== undefined) claim(`an orchestration of ${name}`, { type: "orchestration", run });
    const open = streams?.[method.name] as StreamHandler | undefined;
    if (open !== undefined) claim(`a stream of ${name}`, { type: "stream", open });
  }
  const handle = handlers[method.name];
  if (handle !== undefined) claim("a handler of the gateway", { type: "handler", handle });
  return claims;
}

function fits({ kind }: ContractMethod, { type }: Target): boolean {
  if (type === "handler") return true;
  return (type === "stream") === (kind !== "unary");
}
