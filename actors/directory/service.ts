import type { EntityMethod } from "#runtime";
import type { Directory, DirectoryListRequest } from "../kit/directory.ts";
import { answered } from "../kit/methods.ts";
import type { Command } from "./decide.ts";
import type { Event, State } from "./state.ts";

type Method = EntityMethod<State, Command, Event>;

/** The creates of all directories, and what modules ask of any of them. */
export function methodsOf(directories: readonly Directory[]): Readonly<Record<string, Method>> {
  const creates = directories.flatMap(({ create }) => (create ? [create.method] : []));
  return {
    ...Object.fromEntries(creates.map((method) => [method, createMethod])),
    "Directory.List": answered((request) => ({ type: "list", request: request as DirectoryListRequest })),
    /** The id of the entity with this name, or `null`; for directories whose names are unique. */
    "Directory.Find": answered(({ name }) => ({ type: "find", name: name as string })),
    /** For cursors of what no entity lists; see kit/cursor-secret.ts. */
    "Directory.CursorSecret": answered(() => ({ type: "tellSecret" })),
  };
}

const createMethod: Method = answered((request) => ({ type: "create", request }));
