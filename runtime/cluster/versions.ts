import { limits } from "#base";
import type { Formats } from "#storage";
import type { Member, Versions } from "./view.ts";

/** Raised by a change of what nodes send each other that the version before would not understand. */
export const protocolVersion = 1;

/** Why a node with these versions cannot run beside those in the list: an upgrade goes one version at a time. */
export function misfit(own: Versions, members: readonly Member[]): string | undefined {
  for (const member of members) {
    const other = member.versions;
    for (const kind of ["protocol", "format"] as const)
      if (Math.abs(own[kind] - other[kind]) > limits.versionsApartMax)
        return `node ${member.node} has ${kind} ${other[kind]}, this one ${own[kind]}: upgrade one version at a time`;
  }
  return undefined;
}

export interface SeenList {
  readonly members: readonly Member[];
  /** When the reading of the list began, and when this was called, by the monotonic clock. */
  readonly readMs: number;
  readonly nowMs: () => number;
}

/**
 * Raises the format of the store when all nodes know a newer one, and uses it when a list that was read after that names
 * only nodes that know it. A node that joined before the raise is in that list; one that joins later finds the raised format
 * and takes no shard. So no node writes what another node cannot read.
 */
export class FormatAgreement {
  readonly #formats: Formats;
  #stored: { readonly format: number; readonly sinceMs: number } | undefined;
  #used = 0;
  #busy = false;

  constructor(formats: Formats) {
    this.#formats = formats;
  }

  /**
   * Before this node joins: it uses what is in use already from its first row on. In the shape before, a row would lose what
   * only the newer one has. `others` reads the list, after the format: a node that joins later finds the format raised.
   */
  async begin(others: () => Promise<readonly Member[]>): Promise<void> {
    const stored = await this.#formats.read();
    const { known } = this.#formats;
    if (stored > known)
      throw new Error(
        `the data has format ${stored}, this program knows ${known}: start a newer version of this program`,
      );
    const members = await others();
    if (members.some((member) => member.versions.format < stored)) return;
    this.#formats.use(stored);
    this.#used = stored;
  }

  /** To be called after each reading of the list. What fails is tried with the next. */
  async saw({ members, readMs, nowMs }: SeenList): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      const common = Math.min(this.#formats.known, ...members.map((member) => member.versions.format));
      let stored = this.#stored?.format ?? (await this.#formats.read());
      if (stored < common) {
        await this.#formats.raise(common);
        stored = common;
        this.#stored = undefined;
      }
      this.#stored ??= { format: stored, sinceMs: nowMs() };
      const isKnownByAll = common >= stored && readMs > this.#stored.sinceMs;
      if (!isKnownByAll || this.#used >= stored) return;
      this.#formats.use(stored);
      this.#used = stored;
    } finally {
      this.#busy = false;
    }
  }
}
