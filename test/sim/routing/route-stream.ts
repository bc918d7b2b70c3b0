import { type Random, RefusalError } from "#base";
import { Channel } from "../../support/channel.ts";
import { played, type StreamParts } from "./played.ts";
import { customers } from "./settings.ts";
import type { Message, Wanted } from "./told.ts";

/** A client on a `RouteStream`: it sends bursts, to any pool, and matches every answer by its ref. */
export class RouteStream {
  readonly #parts: StreamParts;
  readonly #random: Random;
  readonly #name: string;
  readonly #input = new Channel();
  readonly #stop = new AbortController();
  readonly #waiting = new Map<string, Wanted>();
  #count = 0;
  over = false;

  constructor(parts: StreamParts, name: string, ended: () => void) {
    this.#parts = parts;
    this.#random = parts.stage.random;
    this.#name = name;
    this.#act();
    void this.#read().then(() => {
      this.over = true;
      ended();
    });
  }

  leave(): void {
    this.#stop.abort();
    this.#input.end();
  }

  async #read(): Promise<void> {
    const { stage, doors, asker } = this.#parts;
    const nothing = () => {};
    const call = { ...doors.context(asker(nothing, nothing)), signal: this.#stop.signal };
    try {
      for await (const answer of played.route()(this.#input, call)) {
        if (this.#stop.signal.aborted) return;
        this.#hear(answer as Message);
      }
      for (const ref of this.#waiting.keys())
        if (!this.#stop.signal.aborted) stage.violate(`route stream ${this.#name} never answered ${ref}`);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
    }
  }

  #hear({ ref, routing, error }: Message): void {
    const { stage, told } = this.#parts;
    const wanted = this.#waiting.get(ref as string);
    if (wanted === undefined || (routing === undefined) === (error === undefined)) {
      stage.violate(`route stream ${this.#name} answered ${ref} with ${JSON.stringify({ routing, error })}`);
      return;
    }
    this.#waiting.delete(wanted.id);
    if (routing) told.routed(wanted, routing as Message);
  }

  #act(): void {
    const { callers, stage } = this.#parts;
    callers.think(stage.faults.quiet ? 500 : 200, () => {
      if (this.over || this.#stop.signal.aborted) return;
      const what = this.#random.int(20);
      if (what === 0) this.#input.end();
      else if (what === 1) this.leave();
      else for (let left = 1 + this.#random.int(4); left > 0; left--) this.#send();
      if (what !== 0) this.#act();
    });
  }

  #send(): void {
    const { told } = this.#parts;
    const pool = this.#random.pick(told.pools.filter(({ id }) => id !== ""));
    const id = `${this.#name}-${this.#count++}`;
    const wanted = { id, payload: "", idempotent: false, notBefore: 0, expiresAt: 0, attempts: 1 };
    told.wanted.set(id, wanted);
    this.#waiting.set(id, wanted);
    const attributes = {
      c: this.#random.pick(customers),
      ...(this.#random.chance(0.2) && { away: true }),
    };
    const reserve = this.#random.chance(0.3) && { reserve: true, reserve_seconds: 1 + this.#random.int(4) };
    this.#input.send({ ref: id, route: { pool_id: pool!.id, key: id, attributes, ...reserve } });
  }
}
