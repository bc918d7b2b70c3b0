import { join } from "node:path";

/** Where things are in a data folder. */
export function folders(dir: string) {
  return {
    generation: join(dir, "generation"),
    journal: join(dir, "journal"),
    tables: join(dir, "tables"),
    objects: join(dir, "objects"),
    reserve: join(dir, "reserve"),
  };
}
