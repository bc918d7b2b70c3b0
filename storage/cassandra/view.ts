import { unavailable } from "./errors.ts";
import { readMeta } from "./migrate.ts";
import { pursue } from "./pursue.ts";
import type { Session } from "./session.ts";
import { metaStatements } from "./statements.ts";

/**
 * A number greater than every earlier start's, which nobody else has. After an answer that is lost the next one is drawn:
 * that some are nobody's harms nobody.
 */
export async function drawView(session: Session): Promise<number> {
  return await pursue(
    async () => {
      const last = await readMeta(session, name);
      const view = Number(last ?? 0) + 1;
      const { applied } = await session.conditional([
        last === undefined
          ? { query: metaStatements.create, params: [name, String(view)] }
          : { query: metaStatements.replace, params: [String(view), name, last] },
      ]);
      return applied ? view : undefined;
    },
    (error) => unavailable("the number of this start could not be drawn", error),
  );
}

const name = "view";
