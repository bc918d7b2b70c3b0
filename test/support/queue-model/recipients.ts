import { isRefusal } from "#base";
import type { QueueBench } from "../queue.ts";

export interface Recipient {
  readonly id: string;
  readonly labels: Record<string, string>;
  capacity: number;
  status: "active" | "paused" | "draining";
}

/** The recipients of the model's pool: they are added, get capacity, pause, drain and are deleted. */
export class Recipients {
  readonly #bench: QueueBench;
  #all: Recipient[] = [];

  constructor(bench: QueueBench) {
    this.#bench = bench;
    for (const id of bench.recipientIds) this.#call("DeleteRecipient", { recipient_id: id });
    this.add(2, false);
    this.add(3, true);
  }

  get all(): readonly Recipient[] {
    return this.#all;
  }

  at(pick: number): Recipient {
    return this.#all[pick % this.#all.length]!;
  }

  add(capacity: number, special: boolean): Recipient {
    this.#bench.driver.advance(1);
    const labels: Record<string, string> = special ? { x: "1" } : {};
    const { id } = this.#call("CreateRecipient", { name: `r${this.#bench.driver.now}`, capacity, labels });
    const recipient: Recipient = { id: id as string, labels, capacity, status: "active" };
    this.#all.push(recipient);
    return recipient;
  }

  /** A recipient that may take everything, and is asked before all others. */
  addFirst(): void {
    const recipient = this.add(0, true);
    this.#all = [recipient, ...this.#all.filter((other) => other !== recipient)];
  }

  change(pick: number, amount: number): void {
    const recipient = this.at(pick);
    const capacity = (amount >> 3) % 4;
    const what = amount % 8;
    if (what < 2) this.resize(recipient, capacity);
    else if (what === 2) this.#set(recipient, "paused");
    else if (what === 3) this.#set(recipient, "draining");
    else if (what === 4 && this.#all.length > 1) this.#remove(recipient);
    else if (what === 5 && this.#all.length < 4) this.add(capacity, pick % 2 === 0);
    else this.activate(recipient);
  }

  activate(recipient: Recipient): void {
    this.#set(recipient, "active");
  }

  resize(recipient: Recipient, capacity: number): void {
    recipient.capacity = capacity;
    this.#call("UpdateRecipient", { recipient_id: recipient.id, capacity, update_mask: ["capacity"] });
  }

  /** Recorded before the call: claims that wait are answered during it. */
  #set(recipient: Recipient, status: Recipient["status"]): void {
    recipient.status = status;
    const method = { active: "Resume", paused: "Pause", draining: "Update" }[status];
    const change = { status: "STATUS_DRAINING", update_mask: ["status"] };
    this.#call(`${method}Recipient`, {
      recipient_id: recipient.id,
      ...(status === "draining" ? change : {}),
    });
  }

  #remove(recipient: Recipient): void {
    this.#all = this.#all.filter((other) => other !== recipient);
    this.#call("DeleteRecipient", { recipient_id: recipient.id });
  }

  #call(method: string, request: Record<string, unknown>): Record<string, unknown> {
    const answer = this.#bench.pool(`RecipientService.${method}`, request);
    if (isRefusal(answer)) throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer;
  }
}
