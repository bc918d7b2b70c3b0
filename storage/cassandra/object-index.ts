import type { types } from "cassandra-driver";
import { StorageError } from "../error.ts";
import { neverSent, orUnavailable, pursue, reasonOf } from "./errors.ts";
import type { Session, Statement } from "./session.ts";
import { objectStatements } from "./statements.ts";

export interface StoredObject {
  readonly id: string;
  readonly bytes: number;
  readonly digest: Buffer;
}

/**
 * Which body a key points to. Only conditional writes change it, so clocks do not matter. Every body has its own random
 * id, so the same statement may be sent again until its outcome is known.
 */
export class ObjectIndex {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  find(key: string): Promise<StoredObject | undefined> {
    return orUnavailable(`object ${key} could not be looked up`, this.#look(key));
  }

  /**
   * Points the key at a complete body; returns the bodies that no key points to any more. A change may have been
   * applied although its answer was lost, and a later change may then have removed this body: so the key is never
   * pointed at it a second time. A writer that changed the key in between counts as the later one.
   */
  async point(key: string, next: StoredObject): Promise<readonly StoredObject[]> {
    let unused: StoredObject[] = [];
    let sent: { readonly over: string | undefined } | undefined;
    await this.#until(key, async () => {
      const stored = await this.#look(key);
      if (stored?.id === next.id) return true;
      if (sent !== undefined && stored?.id !== sent.over) {
        unused.push(next);
        return true;
      }
      if (sent !== undefined && stored === undefined)
        throw new StorageError("unknown", `object ${key} was not put, or is deleted again`);
      sent = { over: stored?.id };
      unused = stored === undefined ? [] : [stored];
      try {
        return (await this.#session.conditional([pointStatement(key, next, stored)])).applied;
      } catch (error) {
        if (neverSent(error)) sent = undefined;
        throw error;
      }
    });
    return unused;
  }

  /** Returns the body that the key pointed to. */
  async remove(key: string): Promise<StoredObject | undefined> {
    let removed: StoredObject | undefined;
    await this.#until(key, async () => {
      const stored = await this.#look(key);
      if (stored === undefined) return true;
      removed = stored;
      const params = [key, stored.id];
      return (await this.#session.conditional([{ query: objectStatements.remove, params }])).applied;
    });
    return removed;
  }

  async #look(key: string): Promise<StoredObject | undefined> {
    const row = (await this.#session.serial(objectStatements.object, [key])).first();
    return row === null ? undefined : storedOf(row);
  }

  async #until(key: string, done: () => Promise<boolean>): Promise<void> {
    await pursue(
      async () => (await done()) || undefined,
      (error) =>
        new StorageError("unknown", `object ${key} may not have changed: ${reasonOf(error)}`, {
          cause: error,
        }),
    );
  }
}

export function storedOf(row: types.Row): StoredObject | undefined {
  if (row.id === null || row.id === undefined) return undefined;
  return { id: String(row.id), bytes: Number(row.bytes), digest: row.digest };
}

function pointStatement(key: string, next: StoredObject, stored: StoredObject | undefined): Statement {
  const values = [next.id, next.bytes, next.digest, key];
  if (stored === undefined) return { query: objectStatements.create, params: values };
  return { query: objectStatements.replace, params: [...values, stored.id] };
}
