import { limits } from "#base";
import type { Manifest } from "../../notify/manifest.ts";
import type { Event, State } from "../state.ts";

/** What transactions send, as this thread has seen it lately: attempts ask the audience only for others. */
export class Manifests {
  /** Of broadcasts, and of what was asked for. */
  readonly #asked = new Bounded(limits.manifestsCachedMax);
  /** Of direct triggers: their first attempt mostly follows at once. */
  readonly #drawn = new Bounded(limits.manifestsSeenMax);

  get(tenant: string, transactionId: string): Manifest | undefined {
    const name = nameOf(tenant, transactionId);
    return this.#drawn.get(name) ?? this.#asked.get(name);
  }

  asked(tenant: string, manifest: Manifest): void {
    this.#asked.set(nameOf(tenant, manifest.transactionId), manifest);
  }

  /**
   * Before the commit is durable: an attempt runs only after it. An id that was drawn here is that of no other manifest, whatever
   * becomes of the commit; an id of a caller may be.
   */
  seen({ tenant }: State, event: Event): void {
    if (event.type !== "manifest_put" || !event.drawn) return;
    const { manifest } = event;
    if (isSmall(manifest)) this.#drawn.set(nameOf(tenant, manifest.transactionId), manifest);
  }
}

class Bounded {
  readonly #most: number;
  readonly #kept = new Map<string, Manifest>();

  constructor(most: number) {
    this.#most = most;
  }

  get(name: string): Manifest | undefined {
    return this.#kept.get(name);
  }

  set(name: string, manifest: Manifest): void {
    if (this.#kept.size >= this.#most && !this.#kept.has(name))
      this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(name, manifest);
  }
}

function isSmall({ content, payload, overrides }: Manifest): boolean {
  const most = limits.manifestSeenLengthMax;
  let length = 0;
  for (const { subject, body } of Object.values(content)) length += subject.length + body.length;
  return length <= most && length + JSON.stringify([payload, overrides]).length <= most;
}

function nameOf(tenant: string, transactionId: string): string {
  return `${tenant}/${transactionId}`;
}
