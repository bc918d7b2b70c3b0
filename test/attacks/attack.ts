import type { Attacker } from "./attacker.ts";

export type ListenerName = "http" | "grpc" | "native" | "internal" | "metrics";

export interface Attack {
  readonly name: string;
  /** The listeners on which the attack is possible. */
  readonly listeners: readonly ListenerName[];
  /** The role without which the attack is only a refused call; absent: any caller may try it. */
  readonly role?: "operator";
  /** How long it lasts in `npm test`, for attacks that need longer than the others to show an effect. */
  readonly testedMs?: number;
  /** Runs until the attacker's time is over; its connections are then closed for it. */
  run(attacker: Attacker): Promise<void>;
}
