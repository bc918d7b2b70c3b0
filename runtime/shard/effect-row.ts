import type { Address } from "../actor.ts";
import type { EffectRequest } from "../effects/effect.ts";
import { ownShape } from "../row-shape.ts";
import { unpackValue } from "./codec.ts";
import { entityPartition, keyOf } from "./partition.ts";
import type { WantedRow } from "./reader.ts";

export const effectCollection = "~effect";
const shape = ownShape(effectCollection);

/** An effect waits for its time as a timer of this name does. */
const timerPrefix = "~effect:";

export function effectTimer(id: string): string {
  return timerPrefix + id;
}

/** The id of the effect that this timer stands for. */
export function effectOfTimer(timerId: string): string | undefined {
  return timerId.startsWith(timerPrefix) ? timerId.slice(timerPrefix.length) : undefined;
}

/** An effect as it is stored until it has ended. */
export interface EffectRow extends EffectRequest {
  readonly lane: string;
  /** The position that asked for it: another request under the same id is another effect. */
  readonly asked: number;
  readonly attempt: number;
  /** In which epoch of its shard this attempt was counted: in a later one it may have run, and is counted anew. */
  readonly epoch: number;
  readonly begun: boolean;
  /** Attempts that failed or took too long; those that were lost with their thread are not among them. */
  readonly failures: number;
}

export function effectToRow(row: EffectRow): unknown {
  const { kind, dueMs, lane, body, asked, attempt, epoch, begun, failures } = row;
  return [kind, dueMs, lane, body, asked, attempt, epoch, begun, failures];
}

export function effectFromBytes(bytes: Uint8Array): EffectRow {
  return effectFromValue(unpackValue(bytes, shape));
}

export function effectFromValue(value: unknown): EffectRow {
  const [kind, dueMs, lane, body, asked, attempt, epoch, begun, failures] = value as [
    string,
    number,
    string,
    unknown,
    number,
    number,
    number,
    boolean,
    number,
  ];
  return { kind, dueMs, lane, body, asked, attempt, epoch, begun, failures };
}

export function effectPlace(address: Address, id: string): WantedRow {
  return { partition: entityPartition(address, shape), key: keyOf([id]) };
}
