import { OutgoingError, type OutgoingRequest, type OutgoingResponse } from "../../../actors/outgoing.ts";
import type { ModuleParts } from "../../../actors/parts.ts";
import type { Process } from "../process.ts";
import type { Stage } from "../scenario.ts";

export interface Arrival {
  readonly id: string;
  readonly subject: string;
  readonly number: number;
}

/** The addresses that endpoints send to: they answer late, once with an error or not at all, and take what comes again. */
export class Receiver {
  readonly #stage: Stage;
  /** By address, each event when it came first. */
  readonly arrived = new Map<string, Map<string, Arrival>>();
  /** A second failure of an event would be tried again after minutes. */
  readonly #failed = new Set<string>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  outgoing(process: () => Process): ModuleParts["outgoing"] {
    const never = () => Promise.reject(new OutgoingError("connect", "there is only HTTP"));
    return { connect: never, denies: () => false, request: (request) => this.#take(request, process()) };
  }

  at(url: string): Map<string, Arrival> {
    const found = this.arrived.get(url) ?? new Map<string, Arrival>();
    this.arrived.set(url, found);
    return found;
  }

  async #take({ url, body, headers }: OutgoingRequest, process: Process): Promise<OutgoingResponse> {
    const { random } = process;
    await process.delay(random.float() * 5, "webhook");
    const { id, subject, data } = JSON.parse(String(body)) as Body;
    const fails = (share: number) => {
      if (this.#failed.has(`${url} ${id}`) || !random.chance(share)) return false;
      this.#failed.add(`${url} ${id}`);
      return true;
    };
    if (fails(0.04)) throw new OutgoingError("connect", "not reached");
    if (headers?.["webhook-id"] !== `msg_${id}`)
      this.#stage.violate(`${id} came as ${headers?.["webhook-id"]}`);
    const known = this.at(url);
    if (!known.has(id)) known.set(id, { id, subject, number: data.number });
    await process.delay(random.float() * (random.chance(0.1) ? 1_500 : 40), "webhook");
    if (fails(0.03)) throw new OutgoingError("receive", "cut", { sent: true });
    return { status: fails(0.03) ? 503 : 204, headers: {}, body: new Uint8Array() };
  }
}

interface Body {
  readonly id: string;
  readonly subject: string;
  readonly data: { readonly number: number };
}
