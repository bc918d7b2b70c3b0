import type { ModuleParts } from "../parts.ts";

/** What the handlers and effects of this module are made of. */
export interface Parts extends Pick<ModuleParts, "outgoing" | "keyRing" | "call" | "clock" | "metrics"> {
  /** The external listener is reached from this machine only: then http will do. */
  readonly loopback: boolean;
  readonly isOn: boolean;
}
