import { assert, isRefusal } from "#base";
import type { Context, EntityMethod } from "#runtime";
import { sealCursor } from "../shared/cursor.ts";
import type { CursorSecret } from "../shared/cursor-secret.ts";
import type { DirectoryListRequest, DirectoryPage } from "../shared/directory.ts";
import { type Command, filterOf, pageOf, scopeOf } from "./decide.ts";
import { kindOf } from "./kinds.ts";
import { type Event, type State, totalOf } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

const create: Method = {
  command: (request) => ({ type: "create", request }),
  respond(_state, events, _command, context) {
    const created = events[0];
    assert(created?.type === "created", "a create has one event");
    return kindOf(context.address.key).respond(created, context);
  },
};

/** A page of entries; who asks adds what entries do not carry. */
const list: Method = {
  command: (request) => ({ type: "list", request: request as DirectoryListRequest }),
  respond(state, _events, command, context): DirectoryPage {
    assert(command.type === "list", "a list answers a list");
    const page = pageOf(state, command.request, context);
    assert(!isRefusal(page) && !("need" in page), "rows of a decided list are loaded");
    const last = command.request.cut_after ?? (page.more ? page.entries.at(-1)!.id : undefined);
    return {
      entries: page.entries,
      next_page_token: last === undefined ? "" : tokenAfter(state, command.request, last, context),
      total: totalOf(state, filterOf(command.request, context)),
    };
  },
};

/** For cursors of what no entity lists; see shared/cursor-secret.ts. */
const cursorSecret: Method = {
  command: () => ({ type: "tellSecret" }),
  respond: (state): CursorSecret => ({ secret: state.secret }),
};

export const methods: Readonly<Record<string, Method>> = {
  "PoolService.CreatePool": create,
  "ApiKeyService.CreateApiKey": create,
  "Directory.List": list,
  "Directory.CursorSecret": cursorSecret,
};

function tokenAfter(state: State, request: DirectoryListRequest, id: string, context: Context): string {
  return sealCursor(state.secret, scopeOf(context, filterOf(request, context)), [id]);
}
