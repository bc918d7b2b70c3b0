import { StorageError } from "../error.ts";
import type { Formats } from "../formats.ts";
import { unavailable } from "./errors.ts";
import { readMeta } from "./migrate.ts";
import { pursue } from "./pursue.ts";
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
  const format = await pursue(
    () => readFormat(session),
    (error) => unavailable("the format of the data could not be read", error),
  );
  if (format > known)
    throw new StorageError(
      kind,
      `the data has format ${format}, this program knows ${known}: start a newer version of this program`,
    );
}

export class CassandraFormats implements Formats {
  readonly known: number;
  readonly #session: Session;
  /** Shared by all threads of the process. */
  readonly #used: Int32Array;

  constructor(session: Session, used: Int32Array, known = newestFormat) {
    this.#session = session;
    this.#used = used;
    this.known = known;
  }

  async read(): Promise<number> {
    return await readFormat(this.#session).catch((error: unknown) => {
      throw unavailable("the format of the data could not be read", error);
    });
  }

  async raise(format: number): Promise<void> {
    await pursue(
      async () => {
        const stored = await readFormat(this.#session);
        if (stored >= format) return true;
        const params = [String(format), name, String(stored)];
        const { applied } = await this.#session.conditional([{ query: metaStatements.replace, params }]);
        return applied || undefined;
      },
      (error) => unavailable("the format of the data could not be raised", error),
    );
  }

  use(format: number): void {
    Atomics.store(this.#used, 0, format);
  }
}
