import type { ErrorCode } from "#base";
import type { World } from "./world.ts";

/** One call that must have the same answer on every door. The state it needs is created separately for each. */
export interface Case {
  /** `PoolService.CreatePool` */
  readonly method: string;
  readonly claim: string;
  readonly request: (world: World) => unknown | Promise<unknown>;
  /** Absent: the call succeeds. */
  readonly refused?: ErrorCode;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * For streaming methods: `request` returns a list; the caller leaves after this many answers, or stays to the end.
   */
  readonly take?: number;
  /** Of these answers this member of the first that has it; the others come as time passes. */
  readonly first?: string;
  /** Repeated while the caller waits for an answer. */
  readonly meanwhile?: (world: World) => Promise<void>;
}

/** A well-formed id of no resource. */
export const nobody = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** For methods whose requests cannot be invalid. */
export const badVersion = { "api-version": "1999-01-01" };

let made = 0;
/**
 * New in every call: areas share a tenant, and a list without a name shows what others do meanwhile. It looks like a time, which
 * the comparison of interfaces takes for any other.
 */
export const newName = () => new Date(made++).toISOString();
