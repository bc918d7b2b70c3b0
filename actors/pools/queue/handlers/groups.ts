import { handleOf, isRefusal, limits, RefusalError } from "#base";
import { ask, tryAsk } from "../../../kit/ask.ts";
import type { DirectoryEntry, DirectoryPage } from "../../../kit/directory.ts";
import { listEntries } from "../../../kit/entity-list.ts";
import { boundsOf, cursorOf } from "../../../kit/list.ts";
import type { CallContext, Orchestration } from "../../../module.ts";
import { withoutPool } from "../../without-pool.ts";
import { type GroupsRequest, listGroups } from "./questions.ts";

type ListGroupsRequest = GroupsRequest & { readonly pool_id?: string };

/** Of one pool, or pool by pool; then a page may end early, with a cursor, where many pools were asked. */
export const listAdmissionGroups: Orchestration = async (request, call) => {
  const { pool_id, environment, ...rest } = request as ListGroupsRequest;
  if (pool_id)
    return ask(call, listGroups, {
      key: handleOf(pool_id),
      request: { pool_id, ...rest, ...(environment !== undefined && { environment }) },
    });
  const { page_size, page_token, offset, ...filter } = rest;
  const scope = ["admission-groups", call.caller.tenant, Object.entries({ ...filter, environment }).sort()];
  const bounds = boundsOf(rest, { scope, shape: ["string", "string", "string"] });
  if (isRefusal(bounds)) throw new RefusalError(bounds);
  const { size, skip, after = [] } = bounds;
  const [directory = "", pool = "", inner = ""] = after.map(String);
  const walk = new GroupWalk(call, filter, environment, { directory, pool, inner, skip });
  const groups: unknown[] = [];
  for (let asked = 0; asked < limits.groupPoolsAsked && groups.length < size && !walk.ended; asked++)
    groups.push(...(await walk.next(size - groups.length)));
  const { at } = walk;
  const next_page_token = walk.ended ? "" : cursorOf(scope, [at.directory, at.pool, at.inner, at.skip]);
  return { admission_groups: groups, next_page_token, unavailable: walk.unavailable };
};

/** Where the list stands: a page of the directory, a pool in it, a page of that pool, how many are still passed over. */
interface Position {
  readonly directory: string;
  readonly pool: string;
  readonly inner: string;
  readonly skip: number;
}

class GroupWalk {
  readonly #call: CallContext;
  readonly #filter: object;
  readonly #environment: string | undefined;
  #page: DirectoryPage | undefined;
  readonly unavailable: object[] = [];
  at: Position;
  ended = false;

  constructor(call: CallContext, filter: object, environment: string | undefined, at: Position) {
    this.#call = call;
    this.#filter = filter;
    this.#environment = environment;
    this.at = at;
  }

  /** One question to one pool: up to `most` of its groups. */
  async next(most: number): Promise<readonly unknown[]> {
    const { directory, pool, inner, skip } = this.at;
    const filter = this.#environment === undefined ? {} : { environment: this.#environment };
    this.#page ??= await listEntries({ page_token: directory, filter }, this.#call);
    const { entries } = this.#page;
    const index = entries.findIndex(({ id }) => id >= pool);
    if (index < 0) {
      this.#nextPage(skip);
      return [];
    }
    const entry = entries[index]!;
    const { id } = entry;
    const answer = await this.#ask(entry, most + skip, id === pool ? inner : "");
    const left = Math.max(0, skip - answer.admission_groups.length);
    const following = answer.next_page_token ? id : entries[index + 1]?.id;
    if (following === undefined) this.#nextPage(left);
    else this.at = { directory, pool: following, inner: answer.next_page_token, skip: left };
    return answer.admission_groups.slice(skip);
  }

  /** The next page of the directory. */
  #nextPage(skip: number): void {
    const directory = this.#page!.next_page_token;
    this.#page = undefined;
    if (directory === "") this.ended = true;
    else this.at = { directory, pool: "", inner: "", skip };
  }

  async #ask(entry: DirectoryEntry, page_size: number, page_token: string) {
    const { id } = entry;
    const request = { ...this.#filter, pool_id: id, page_size, ...(page_token && { page_token }) };
    const answer = await tryAsk(this.#call, listGroups, { key: handleOf(id), request });
    if (!isRefusal(answer)) return answer.response;
    // A pool deleted since the directory answered has none.
    if (answer.code !== "NOT_FOUND") this.unavailable.push(withoutPool(entry, answer));
    return { admission_groups: [], next_page_token: "" };
  }
}
