import type { MemberChange, MemberStore, StoredView } from "../members.ts";
import { unavailable } from "./errors.ts";
import type { Session, Statement } from "./session.ts";
import { guardedStatements, memberStatements } from "./statements.ts";

/** Higher than any heartbeat counter: a late heartbeat of a node that has left does not restore its row. */
const afterAllBeats = Number.MAX_SAFE_INTEGER;

/**
 * The list of nodes is one partition that only conditional batches change. Heartbeats are plain writes to another
 * table.
 */
export class CassandraMembers implements MemberStore {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async read(): Promise<StoredView> {
    return await this.#ask("the list of nodes could not be read", async () => {
      const { rows } = await this.#session.read(memberStatements.all, []);
      const version = rows[0]?.version ?? undefined;
      if (version === undefined) return { version: 0, members: [] };
      const members = rows
        .filter((row) => row.node !== null)
        .map((row) => ({
          node: String(row.node),
          incarnation: String(row.incarnation),
          info: String(row.info),
        }));
      return { version: Number(version), members };
    });
  }

  async change(version: number, change: MemberChange): Promise<boolean> {
    return await this.#ask("the list of nodes could not be changed", async () => {
      const raise = { query: memberStatements.raise, params: [version + 1, version] };
      const verdict = await this.#session.conditional([rowOf(change), raise]);
      const isNew = !verdict.applied && (verdict.row?.version ?? undefined) === undefined;
      const applied = isNew ? await this.#first(version, change) : verdict.applied;
      if (applied && change.type === "remove") await this.#forget(change.member.incarnation);
      return applied;
    });
  }

  async beat(incarnation: string, beat: number): Promise<void> {
    const statement = { query: memberStatements.beat, params: [incarnation, beat, beat] };
    await this.#ask("a heartbeat could not be written", () => this.#session.write([statement]));
  }

  async beats(): Promise<ReadonlyMap<string, number>> {
    return await this.#ask("heartbeats could not be read", async () => {
      const { rows } = await this.#session.read(memberStatements.beats, []);
      return new Map(rows.map((row) => [String(row.incarnation), Number(row.beat)]));
    });
  }

  async #first(version: number, change: MemberChange): Promise<boolean> {
    const raise = { query: memberStatements.first, params: [version + 1] };
    return (await this.#session.conditional([rowOf(change), raise])).applied;
  }

  async #forget(incarnation: string): Promise<void> {
    const statement = { query: memberStatements.forgetBeats, params: [afterAllBeats, incarnation] };
    // A row that stays is harmless: no node reads it.
    await this.#session.write([statement]).catch(() => undefined);
  }

  async #ask<T>(failure: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw unavailable(failure, error);
    }
  }
}

function rowOf({ type, member }: MemberChange): Statement {
  const { node, incarnation, info } = member;
  return type === "put"
    ? { query: guardedStatements.putMember, params: [node, incarnation, info] }
    : { query: guardedStatements.removeMember, params: [node] };
}
