import { errorCodes, isRefusal, limits, type Refusal, RefusalError } from "#base";
import type { Answer } from "#runtime";
import type { CallContext } from "../module.ts";
import { ask, method } from "./ask.ts";
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
export interface EntityList {
  /** Of the directory. */
  readonly kind: string;
  /** How many are asked at a time: large ones fill a page soon. */
  readonly atOnce: number;
  ask(id: string, call: CallContext): Promise<Answer>;
  /** What stands for an entity that cannot answer just now; throws where the whole list is refused. Absent: `withoutEntity`. */
  without?(entry: DirectoryEntry, refusal: Refusal): object;
}

export interface EntityPage {
  readonly values: readonly object[];
  readonly unavailable: readonly object[];
  readonly next_page_token: string;
  readonly total: number;
}

export async function listEntities(
  list: EntityList,
  { filter, ...paging }: PageRequest & { readonly filter: Filter },
  call: CallContext,
): Promise<EntityPage> {
  const page = await listEntries({ ...paging, filter }, call, list.kind);
  const { values, unavailable, left } = await fillPage(list, page.entries, call);
  const answer = { values, unavailable, total: page.total };
  if (left === 0) return { ...answer, next_page_token: page.next_page_token };
  // Too many bytes for one answer: the directory makes another cursor.
  const last = page.entries.at(-left - 1)!.id;
  const shorter = await listEntries({ ...paging, filter, page_size: 1, cut_after: last }, call, list.kind);
  return { ...answer, next_page_token: shorter.next_page_token };
}

interface FilledPage {
  readonly values: object[];
  readonly unavailable: object[];
  /** Entries at the end that had no room. */
  readonly left: number;
}

/** At least one entity, and as many as an answer carries. */
async function fillPage(
  list: EntityList,
  entries: readonly DirectoryEntry[],
  call: CallContext,
): Promise<FilledPage> {
  const { without = withoutEntity } = list;
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
        values.push(answer.response as object);
      }
      // One that was deleted since the directory answered is left out.
      else if (answer.code !== "NOT_FOUND") unavailable.push(without(asked[index]!, answer));
    }
  }
  return { values, unavailable, left: 0 };
}

/** One entity that is isolated, full or moving does not take the others' answers away; any other refusal is that of the list. */
export function withoutEntity({ id, name }: DirectoryEntry, refusal: Refusal) {
  if (!errorCodes[refusal.code].retryable && refusal.code !== "INTERNAL") throw new RefusalError(refusal);
  return { id, name, error: batchError(refusal) };
}
