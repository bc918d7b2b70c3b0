import { hash } from "node:crypto";
import type { Chunk, Definition } from "./stream.ts";

/** From a stream to its run: input records were appended. */
export interface InputMessage {
  readonly type: "input";
  readonly events: readonly WaitEvent[];
}

export interface WaitEvent {
  /** Waits of a run hear only what is told in their environment. */
  readonly environment: string;
  readonly id: string;
  readonly key: string;
  readonly payload: unknown;
}

/** What a run's waits are told of a chunk; nothing where none of its records is input. */
export function inputMessageOf(definition: Definition, { first, records }: Chunk): InputMessage | undefined {
  const events = records.flatMap(({ kind }, index) =>
    kind === "input" ? [eventOf(definition, first + index)] : [],
  );
  return events.length > 0 ? { type: "input", events } : undefined;
}

/** The same record is the same event, however often it is told. */
function eventOf({ tenant, runId, id, name, environment }: Definition, sequence: number): WaitEvent {
  return {
    environment,
    id: hash("sha256", [tenant, runId, id, sequence].join("\0"), "hex"),
    key: `stream.${name}`,
    payload: { stream_id: id, sequence },
  };
}
