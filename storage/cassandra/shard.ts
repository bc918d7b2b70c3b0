import type { types } from "cassandra-driver";
import { StorageError } from "../error.ts";
import type { Session } from "./session.ts";
import { journalStatements } from "./statements.ts";

/** The static columns of a shard's partition: which owner may write, and the head. */
export interface ShardStatics {
  readonly epoch: number;
  readonly owner: string;
  readonly head: number;
  readonly view: number;
  readonly trimmed: number;
}

/**
 * What an owner knows of its shard. `granted` is the epoch that `open` returned and that the caller uses; `epoch` is
 * the stored one, which is higher once an unknown outcome was decided by raising it.
 */
export interface ShardHandle {
  readonly shard: number;
  readonly granted: number;
  readonly owner: string;
  epoch: number;
  head: number;
  trimmed: number;
  /** Set once the shard is lost: after that no statement is sent for this handle. */
  lost: string | undefined;
}

/**
 * Undefined for a shard that was never opened. A plain "read" may show an old state, and costs the store no write, as a
 * serial one does: the conditional write that follows it tells whether this was the latest state.
 */
export async function readStatics(
  session: Session,
  shard: number,
  how: "serial" | "read" = "serial",
): Promise<ShardStatics | undefined> {
  const row = (await session[how](journalStatements.statics, [shard])).first();
  return row?.owner === undefined || row.owner === null ? undefined : staticsOf(row);
}

export function staticsOf(row: types.Row): ShardStatics {
  return {
    epoch: Number(row.epoch ?? 0),
    owner: String(row.owner ?? ""),
    head: Number(row.head ?? 0),
    view: Number(row.view ?? 0),
    trimmed: Number(row.trimmed ?? 0),
  };
}

export function fencedBy(handle: ShardHandle, statics: { epoch: number }): StorageError {
  handle.lost = `another owner took it with epoch ${statics.epoch}`;
  return lostError(handle);
}

export function lostError(handle: ShardHandle): StorageError {
  return new StorageError("fenced", `shard ${handle.shard}, epoch ${handle.granted}: ${handle.lost}`);
}
