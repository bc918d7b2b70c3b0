import { StorageError } from "../error.ts";
import type { Formats } from "../members.ts";
import { orUnavailable, pursue } from "./errors.ts";
import { readMeta } from "./migrate.ts";
import { newestFormat } from "./schema.ts";
import type { Session } from "./session.ts";
import { metaStatements } from "./statements.ts";

const name = "format";

/** The newest format that the data of a keyspace may have. */
async function readFormat(session: Session): Promise<number> {
  return Number(await readMeta(session, name));
}

/**
 * Checked before a shard is taken: this program must not take data whose format it cannot read. Other nodes can, so a shard
 * of a node that runs already is not corrupt: it is lost to them ("fenced").
 */
export async function assertFormat(
  session: Session,
  known: number,
  kind: "corrupt" | "fenced" = "corrupt",
): Promise<void> {
  const format = await pursue(() => readFormat(session), "the format of the data could not be read");
  if (format > known)
    throw new StorageError(
      kind,
      `the data has format ${format}, this program knows ${known}: start a newer version of this program`,
    );
}

/** `used` is shared by all threads of the process. */
export function cassandraFormats(session: Session, used: Int32Array, known = newestFormat): Formats {
  return {
    known,
    read: () => orUnavailable("the format of the data could not be read", readFormat(session)),
    async raise(format) {
      await pursue(async () => {
        const stored = await readFormat(session);
        if (stored >= format) return true;
        const params = [String(format), name, String(stored)];
        const { applied } = await session.conditional([{ query: metaStatements.replace, params }]);
        return applied || undefined;
      }, "the format of the data could not be raised");
    },
    use: (format) => void Atomics.store(used, 0, format),
  };
}
