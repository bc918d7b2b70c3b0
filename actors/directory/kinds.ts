import type { Refusal } from "#base";
import { assert } from "#base";
import type { Context } from "#runtime";
import type { DirectoryEntry } from "../shared/directory.ts";
import { apiKeyKind } from "./api-key.ts";
import { poolKind } from "./pool.ts";
import type { Creation } from "./state.ts";

/** What the directory has to know of one kind of entity. */
export interface DirectoryKind {
  /** Whether lists show only what is in an environment that the caller may see. */
  readonly environments: boolean;
  /** How many entries there may be of this status; absent: the number is not known. */
  readonly max?: { readonly status: string; readonly count: number };
  /** From the create request to the entry, and the message that makes the entity. `secret` is the directory's own. */
  readonly create: (id: string, request: unknown, context: Context, secret: string) => Created | Refusal;
  /** What the caller of a create is answered. */
  readonly respond: (created: Created, context: Context) => unknown;
}

interface Created {
  readonly entry: DirectoryEntry;
  readonly message: Creation;
}

export function kindOf(key: string): DirectoryKind {
  const kind = kinds[key];
  assert(kind, `there is a directory of ${key}`);
  return kind;
}

const kinds: Readonly<Record<string, DirectoryKind>> = { pool: poolKind, api_key: apiKeyKind };
