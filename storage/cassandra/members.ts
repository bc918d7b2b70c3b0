import type { MemberChange, MemberStore } from "../members.ts";
import { orUnavailable } from "./errors.ts";
import type { Session, Statement } from "./session.ts";
import { guardedStatements, memberStatements } from "./statements.ts";

/** Higher than any heartbeat counter: a late heartbeat of a node that has left does not restore its row. */
const afterAllBeats = Number.MAX_SAFE_INTEGER;

/**
 * The list of nodes is one partition that only conditional batches change. Heartbeats are plain writes to another
 * table.
 */
export function cassandraMembers(session: Session): MemberStore {
  return {
    async read() {
      const reading = session.read(memberStatements.all, []);
      const { rows } = await orUnavailable("the list of nodes could not be read", reading);
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
    },
    change: (version, change) =>
      orUnavailable("the list of nodes could not be changed", changed(session, version, change)),
    async beat(incarnation, beat) {
      const statement = { query: memberStatements.beat, params: [incarnation, beat, beat] };
      await orUnavailable("a heartbeat could not be written", session.write([statement]));
    },
    async beats() {
      const reading = session.read(memberStatements.beats, []);
      const { rows } = await orUnavailable("heartbeats could not be read", reading);
      return new Map(rows.map((row) => [String(row.incarnation), Number(row.beat)]));
    },
  };
}

async function changed(session: Session, version: number, change: MemberChange): Promise<boolean> {
  const raise = { query: memberStatements.raise, params: [version + 1, version] };
  let { applied, row } = await session.conditional([rowOf(change), raise]);
  if (!applied && (row?.version ?? undefined) === undefined) {
    const first = { query: memberStatements.first, params: [version + 1] };
    ({ applied } = await session.conditional([rowOf(change), first]));
  }
  if (applied && change.type === "remove") {
    const params = [afterAllBeats, change.member.incarnation];
    // A row that stays is harmless: no node reads it.
    await session.write([{ query: memberStatements.forgetBeats, params }]).catch(() => undefined);
  }
  return applied;
}

function rowOf({ type, member }: MemberChange): Statement {
  const { node, incarnation, info } = member;
  return type === "put"
    ? { query: guardedStatements.putMember, params: [node, incarnation, info] }
    : { query: guardedStatements.removeMember, params: [node] };
}
