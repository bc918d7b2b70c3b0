import type { ModuleParts } from "../parts.ts";
import type { Catalogue } from "./catalogue/types.ts";

/** What the handlers and effects of this module are made of. */
export interface Parts extends Pick<ModuleParts, "outgoing" | "keyRing" | "call" | "clock"> {
  readonly catalogue: () => Catalogue;
  /** Where browsers and providers reach this service; empty: not known. */
  readonly publicUrl: string;
  /** The external listener is reached from this machine only. */
  readonly loopback: boolean;
  /** Ids of keys that only decrypt. */
  readonly retiredKeyIds: readonly string[];
}
