import type { ErrorCode } from "#base";
import type { World } from "./world.ts";

/** One call that every door must answer alike. State it needs is made anew for every door. */
export interface Case {
  /** `PoolService.CreatePool` */
  readonly method: string;
  readonly claim: string;
  readonly request: (world: World) => unknown | Promise<unknown>;
  /** Absent: it succeeds. */
  readonly refused?: ErrorCode;
  readonly headers?: Readonly<Record<string, string>>;
  /** Streaming methods: `request` gives a list; the caller leaves after this many answers, or stays to the end. */
  readonly take?: number;
  /** Done again and again while the caller waits for an answer. */
  readonly meanwhile?: (world: World) => Promise<void>;
}

/** A well-formed id of nothing. */
export const nobody = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** For requests that cannot be wrong in themselves. */
export const badVersion = { "api-version": "1999-01-01" };

/** Of a case that `npm run new-module` made: it fails until its request is written. */
export function toFillIn(): never {
  throw new Error("this case is to be filled in: write its request");
}
