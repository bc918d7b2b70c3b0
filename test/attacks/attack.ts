import type { Attacker } from "./attacker.ts";

export type ListenerName = "http" | "grpc" | "native" | "internal" | "metrics";

export interface Attack {
  readonly name: string;
  /** Where it is possible. */
  readonly listeners: readonly ListenerName[];
  /** In `npm test`, where it needs longer than the others to show. */
  readonly testedMs?: number;
  /** Goes on until the attacker is over; its connections are closed for it. */
  run(attacker: Attacker): Promise<void>;
}
