import { digestOf, isRefusal, limits, type Refusal, refuse, toRfc3339 } from "#base";
import type { Context, Decision } from "#runtime";
import type { VersionFacts } from "../../kit/activation.ts";
import { method } from "../../kit/ask.ts";
import { after, listed, type PageRequest, pageOf } from "../../kit/list.ts";
import type { Message } from "../../kit/record.ts";
import { contentMessage, contentOf, liveContent, tooLarge } from "./content.ts";
import { type Governance, inUse, type VersionEntry, type VersionRow } from "./governance.ts";
import { type Event, type State, versionRows } from "./state.ts";
import type { Content, ContentKind } from "./version-content.ts";

export type VersionCommand =
  | {
      readonly type: "create_version";
      readonly poolId: string;
      readonly kind: ContentKind;
      readonly content?: Message;
      /** Of another pool, with the ids of this one already. */
      readonly imported?: boolean;
    }
  | { readonly type: "get_version"; readonly poolId: string; readonly version: number }
  /** What a candidate has to know of it; the environment of the pool is not looked at. */
  | { readonly type: "describe_version"; readonly poolId: string; readonly version: number }
  | { readonly type: "list_versions"; readonly poolId: string; readonly request: PageRequest };

interface KeepRequest {
  readonly pool_id: string;
  readonly kind: ContentKind;
  /** Of another pool where it is imported; absent: what is in force. */
  readonly content?: Message;
  readonly imported?: boolean;
}

export const keepVersion = method<KeepRequest, Message>("pool", "KeepVersion");

export function decideVersion(state: State, command: VersionCommand, context: Context): Decision<Event> {
  switch (command.type) {
    case "create_version":
      return create(state, command, context);
    case "get_version": {
      const row = versionRow(state, command.version, context);
      return row === null
        ? noVersion(command.version)
        : { events: [], answer: versionMessage(state, row.entry, row.content) };
    }
    case "describe_version": {
      const entry = state.versions.get(command.version);
      if (!entry) return noVersion(command.version);
      const { kind, digest, owner } = entry;
      return { events: [], answer: { kind, digest, owner } satisfies VersionFacts };
    }
    case "list_versions":
      return list(state, command.request);
  }
}

export function versionRow(state: State, version: number, context: Context): VersionRow | null {
  return state.versions.has(version) ? context.get(versionRows, [version]) : null;
}

export function nextVersion(state: State): number {
  let last = 0;
  for (const version of state.versions.keys()) last = Math.max(last, version);
  return last + 1;
}

function create(
  state: State,
  { kind, content: given, imported }: Extract<VersionCommand, { type: "create_version" }>,
  context: Context,
): Decision<Event> {
  const content = given === undefined ? liveContent(state, kind) : contentOf(kind, given);
  if (isRefusal(content)) return content;
  const large = tooLarge(content);
  if (large) return large;
  const entry: VersionEntry = {
    version: nextVersion(state),
    kind,
    digest: digestOf(content),
    source: given === undefined ? "snapshot" : imported ? "import" : "proposal",
    createdBy: context.caller?.subject ?? "",
    owner: context.caller?.owner ?? "",
    createdAt: context.now,
  };
  return {
    events: [
      { type: "version_kept", row: { entry, content }, forgotten: forgotten(state, state.governance, 1) },
    ],
    answer: versionMessage(state, entry, content),
  };
}

/** The oldest that no promotion uses, so that `more` have room. */
export function forgotten({ versions }: State, governance: Governance, more: number): readonly number[] {
  const used = inUse(governance);
  const free = [...versions.keys()].filter((version) => !used.has(version)).sort((a, b) => a - b);
  return free.slice(0, Math.max(0, free.length + more - limits.poolVersionsMax));
}

/** All entries are in memory. */
function list(state: State, request: PageRequest): Decision<Event> {
  const all = [...state.versions.values()].sort((a, b) => a.version - b.version);
  const page = pageOf<VersionEntry, Message>(
    request,
    {
      scope: [state.tenant, state.pool!.id, "versions", "version"],
      shape: ["number"],
      positionOf: ({ version }) => [version],
      read: (bounds) => after(all, bounds, ({ version }, [last]) => version > Number(last)),
    },
    (entry) => versionMessage(state, entry),
  );
  return listed("pool_versions", page);
}

function versionMessage(state: State, entry: VersionEntry, content?: Content): Message {
  const { version, kind, digest, source, createdBy, createdAt } = entry;
  return {
    pool_id: state.pool!.id,
    version,
    kind,
    digest,
    ...(content && { content: contentMessage(content) }),
    source,
    created_by: createdBy,
    created_at: toRfc3339(createdAt),
  };
}

function noVersion(version: number): Refusal {
  return refuse("NOT_FOUND", `this pool has no version ${version}`);
}
