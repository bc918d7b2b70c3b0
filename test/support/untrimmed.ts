import type { Interference } from "../../storage/memory/index.ts";

/** Never trims the journal, so that all of it can be read. */
export const untrimmed: Interference = {
  before: (operation) => (operation.type === "trim" ? { type: "fail", kind: "unavailable" } : "proceed"),
};
