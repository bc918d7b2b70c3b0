import { errorCodes, isRefusal, limits, type Refusal, RefusalError } from "#base";
import type { CallContext, Orchestration } from "../module.ts";
import { type AnswerOf, ask, method } from "./ask.ts";
import { batchError } from "./batch.ts";
import type { Filter } from "./collection.ts";
import type { DirectoryEntry, DirectoryListRequest, DirectoryPage } from "./directory.ts";
import { type PageRequest, pageBytesOf } from "./list.ts";

export const listDirectory = method<DirectoryListRequest, DirectoryPage>("directory", "List");
/** The id of the entity with this name; for directories whose names are unique. */
export const findInDirectory = method<{ readonly name: string }, { readonly id: string | null }>(
  "directory",
  "Find",
);

/** The entries of one page of a list over many: who asks adds what they do not carry. */
export function listEntries(
  request: DirectoryListRequest,
  call: CallContext,
  kind = "pool",
): Promise<DirectoryPage> {
  return ask(call, listDirectory, { key: kind, request });
}

/** A list whose directory knows which entities a page has, and each entity tells how it is now. */
interface EntityList<Field extends string> {
  /** Of the directory. */
  readonly kind: string;
  /** What the answer calls them. */
  readonly many: string;
  /** Fields of entries that requests filter by, with their names in a request. */
  readonly filters?: Readonly<Record<string, Field>>;
  /** How many are asked at a time: large ones fill a page soon. */
  readonly atOnce: number;
  ask(id: string, call: CallContext): Promise<AnswerOf<object>>;
  /** What stands for an entity that cannot answer just now. Absent: `withoutEntity`. */
  without?(entry: DirectoryEntry, refusal: Refusal): object;
  /** The list is refused where one of it cannot answer, and has no `unavailable`. */
  readonly isWhole?: true;
}

/** A method of the contract that lists entities. */
export function listing<Field extends string = never>(
  list: EntityList<Field>,
): Orchestration<PageRequest & { readonly [Name in Field]?: Filter[string] }> {
  const { kind, many, filters, isWhole } = list;
  return async (request, call) => {
    const filter = Object.fromEntries(
      Object.entries(filters ?? {}).map(([field, name]) => [field, request[name]]),
    );
    const page = await listEntries({ ...request, filter }, call, kind);
    const { values, unavailable, left } = await fillPage(list, page.entries, call);
    const answer = { [many]: values, ...(!isWhole && { unavailable }), total: page.total };
    if (left === 0) return { ...answer, next_page_token: page.next_page_token };
    // Too many bytes for one answer: the directory makes another cursor.
    const cut_after = page.entries.at(-left - 1)!;
    const shorter = await listEntries({ ...request, filter, page_size: 1, cut_after }, call, kind);
    return { ...answer, next_page_token: shorter.next_page_token };
  };
}

/** At least one entity, and as many as an answer carries; `left`: entries at the end that had no room. */
async function fillPage(list: EntityList<string>, entries: readonly DirectoryEntry[], call: CallContext) {
  const { without = withoutEntity, isWhole } = list;
  const values: object[] = [];
  const unavailable: object[] = [];
  let room: number = limits.pageBytesMax;
  for (let from = 0; from < entries.length; from += list.atOnce) {
    const asked = entries.slice(from, from + list.atOnce);
    const answers = await Promise.all(asked.map(({ id }) => list.ask(id, call)));
    for (const [index, answer] of answers.entries()) {
      if (!isRefusal(answer)) {
        room -= pageBytesOf(answer.response);
        if (room < 0 && values.length > 0)
          return { values, unavailable, left: entries.length - from - index };
        values.push(answer.response);
      }
      // One that was deleted since the directory answered is left out.
      else if (answer.code === "NOT_FOUND") continue;
      else if (isWhole) throw new RefusalError(answer);
      else unavailable.push(without(asked[index]!, answer));
    }
  }
  return { values, unavailable, left: 0 };
}

/** One entity that is isolated, full or moving does not take the others' answers away; any other refusal is that of the list. */
export function withoutEntity({ id, name }: DirectoryEntry, refusal: Refusal) {
  if (!errorCodes[refusal.code].retryable && refusal.code !== "INTERNAL") throw new RefusalError(refusal);
  return { id, name, error: batchError(refusal) };
}
