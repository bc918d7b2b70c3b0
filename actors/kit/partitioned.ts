import { assert, handleOfChild, hash32, limits, orThrow } from "#base";
import type { Address } from "#runtime";
import type { CallContext, Orchestration } from "../module.ts";
import { ask, contractMethod, type Method } from "./ask.ts";
import { byId, byIdIn, type Filter, type Order } from "./collection.ts";
import { boundsOf, type Found, type PageRequest, type Part, pageFrom } from "./list.ts";
import { partMethod } from "./methods.ts";
import type { Message, Owned } from "./record.ts";
import { type Resource, snakeCase } from "./resource.ts";

/**
 * The records of a resource over several entities of a tenant, for what may be millions. The number is fixed: it is in the key
 * of every entity, and so in the ids of its records.
 */
export interface Partitions {
  readonly kind: string;
  readonly count: number;
  /** Of the entities; absent: eight characters that say which of how many. */
  readonly keys?: readonly string[];
}

/** Where a record is that is found by this text: equal texts meet in one entity, which keeps them unique. */
export function partitionOf({ kind, count }: Partitions, tenant: string, text: string): Address {
  return { kind, tenant, key: keyOf(hash32(text) % count, count) };
}

/** Where the record with this id is; in the contract, `child_of` says the same. */
export function partitionOfId(kind: string, tenant: string, id: string): Address {
  return { kind, tenant, key: handleOfChild(id) };
}

/** Creates a record where its text belongs, and lists those of all entities. */
export function partitionedMethods<Value extends Owned>(
  resource: Resource<Value>,
  partitions: Partitions,
  options: { readonly textOf: (request: Message) => string; readonly order?: Order },
): Readonly<Record<string, Orchestration<never>>> {
  assert(
    partitions.count <= limits.partitionsMax,
    `a collection has at most ${limits.partitionsMax} partitions`,
  );
  const { service, one, many } = resource;
  const create = contractMethod<Message, Message>(partitions.kind, `${service}.Create${one}`);
  return {
    [create.name]: (request: Message, call: CallContext) => {
      const { key } = partitionOf(partitions, call.caller.tenant, options.textOf(request));
      return ask(call, create, { key, request, step: "" });
    },
    [`${service}.List${many}`]: (request: PageRequest, call: CallContext) =>
      list({ service, many, collection: resource.store }, partitions, options.order, request, call),
  };
}

/** What a list has to know of a resource. */
type Listed = Pick<Resource<Owned>, "service" | "many"> & {
  readonly collection: { readonly filters: readonly string[] };
};

type Named = Message & { readonly id: string };

/** Every entity gives its first ones, as many as the page takes or as fit into an answer. The total is the sum of theirs. */
export async function list(
  resource: Listed,
  { kind, count, keys }: Partitions,
  order: Order | undefined,
  request: PageRequest,
  call: CallContext,
): Promise<Message> {
  const { tenant, environment, environmentMode } = call.caller;
  const given: Filter = { ...request };
  const filter: Filter = Object.fromEntries(resource.collection.filters.map((name) => [name, given[name]]));
  const list = byIdIn<Named>([
    tenant,
    kind,
    count,
    resource.many,
    filter,
    environment,
    environmentMode,
    order ?? "ascending",
  ]);
  const bounds = orThrow(boundsOf(request, list));
  const [after] = bounds.after ?? [];
  const part: Method<object, Part<Named>> = { kind, name: partMethod(resource) };
  const partRequest = { filter, most: bounds.limit, ...(after !== undefined && { after }) };
  const asked = Array.from({ length: count }, (_, index) =>
    ask(call, part, { key: keys?.[index] ?? keyOf(index, count), request: partRequest }),
  );
  const parts = await Promise.all(asked);
  const total = parts.reduce((sum, part) => sum + part.total, 0);
  const { values, ...rest } = pageFrom(list, bounds, { ...merge(parts, order), total }, (value) => value);
  return { [snakeCase(resource.many)]: values, ...rest };
}

/** In order, up to where every entity that has more has told: beyond `end` it may have values in between. */
function merge(parts: readonly Part<Named>[], order: Order | undefined): Found<Named> {
  const compare = byId(order);
  const values = parts.flatMap((part) => part.values).sort(compare);
  const [end] = parts.flatMap((part) => (part.more ? part.values.slice(-1) : [])).sort(compare);
  if (end === undefined) return { values };
  return { values: values.filter((value) => compare(value, end) <= 0), end: [end.id] };
}

/** Eight characters, as the handle in an id: how many entities there are, and which one this is. */
function keyOf(index: number, count: number): string {
  return `${fourOf(count)}${fourOf(index)}`;
}

/** Digits of an id have no I, L, O and U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

function fourOf(value: number): string {
  let text = "";
  for (let rest = value; text.length < 4; rest = Math.floor(rest / 32)) text = alphabet[rest % 32]! + text;
  return text;
}
