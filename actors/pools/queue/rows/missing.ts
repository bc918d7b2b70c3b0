import type { RangeRef, RowRef } from "#runtime";

/** Reads that memory could not answer, as they were met: a command that has any returns them as its need and runs again. */
export type Missing = (RowRef | RangeRef)[];
