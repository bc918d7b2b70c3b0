import { isRefusal, type Random } from "#base";
import type { Answer } from "../../../runtime/index.ts";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import type { Account, Message } from "./account.ts";
import type { Bank } from "./bank.ts";

const attemptsMax = 8;
const pageSize = 200;
const mutations = { pay: "non_idempotent", put: "idempotent", read: "none" } as const;

/** Callers that execute actions on one account, cancel some of them, and record which were accepted. */
export class Payments {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #random: Random;
  readonly #account: Account;
  readonly #bank: Bank;
  /** The execution id that was returned for a payment. */
  readonly told = new Map<string, string>();
  readonly #cancelled = new Set<string>();
  #count = 0;

  constructor(stage: Stage, callers: Callers, account: Account, bank: Bank) {
    this.#stage = stage;
    this.#callers = callers;
    this.#random = stage.random;
    this.#account = account;
    this.#bank = bank;
  }

  start(): void {
    this.#callers.think(120, () => {
      this.start();
      if (this.#account.isKnown) this.#execute();
    });
  }

  #execute(): void {
    const action = this.#random.chance(0.7) ? "pay" : this.#random.pick(["put", "read"] as const);
    const payment = `${action}/${this.#account.id}/${this.#count++}`;
    const request = {
      action_key: `bank.${action}`,
      action_version: "1",
      mutation: mutations[action],
      scopes: [],
      input: { payment },
      bytes: 50,
      deadline_ms: 15_000,
      limits: { rps: 1_000, burst: 1_000, concurrency: 10 },
    };
    const how = {
      attemptsLeft: attemptsMax,
      attempted: () => {},
      heard: (answer: Answer) => {
        if (isRefusal(answer)) return;
        const { id } = answer.response as { id: string };
        const known = this.told.get(payment);
        if (known !== undefined && known !== id)
          this.#stage.violate(`${payment} is execution ${known} and ${id}`);
        this.told.set(payment, id);
        if (this.#random.chance(0.1)) this.#cancel(id);
      },
    };
    const idempotency = { scope: payment, fingerprint: "f" };
    this.#callers.persist(
      { to: this.#account.address, method: "connection.Execute", request, idempotency },
      how,
    );
  }

  #cancel(id: string): void {
    this.#cancelled.add(id);
    this.#callers.think(500, () =>
      this.#account.ask("ConnectorService.CancelExecution", { execution_id: id }, () => {}),
    );
  }

  /** Every execution has ended, with the result that the bank recorded. */
  async reckon(): Promise<Message> {
    const ended: Record<string, number> = {};
    const found = new Set<string>();
    for (const { id, status } of await this.#executions()) {
      const { input } = (await this.#demand("GetExecution", { execution_id: id })) as {
        input: { payment: string };
      };
      const { payment } = input;
      found.add(payment);
      ended[status] = (ended[status] ?? 0) + 1;
      const performed = this.#bank.performed.get(payment) ?? 0;
      if (["queued", "running", "waiting"].includes(status))
        this.#stage.violate(`${payment} has not ended: it is ${status}`);
      else if (status === "succeeded" && performed === 0 && !payment.startsWith("read"))
        this.#stage.violate(`${payment} succeeded and was not performed`);
      else if (
        payment.startsWith("pay") &&
        performed > 0 &&
        status !== "succeeded" &&
        status !== "outcome_unknown"
      )
        this.#stage.violate(`${payment} was performed and is told ${status}`);
      // One that was cancelled under way may have been performed: a new execution of it would be another one to the bank.
      const isSafe = !payment.startsWith("pay") && !(payment.startsWith("put") && this.#cancelled.has(id));
      if (status === "outcome_unknown" && isSafe)
        this.#stage.violate(`${payment} is safe to repeat and is told ${status}`);
    }
    for (const payment of this.told.keys())
      if (!found.has(payment)) this.#stage.violate(`${payment} was taken and is nowhere`);
    for (const payment of this.#bank.performed.keys())
      if (payment.split("/")[1] === this.#account.id && !found.has(payment))
        this.#stage.violate(`${payment} was performed, and its execution was never committed`);
    return ended;
  }

  async #executions(): Promise<{ readonly id: string; readonly status: string }[]> {
    const all: { id: string; status: string }[] = [];
    for (let page_token = ""; !this.#stage.violated; ) {
      const request = { page_size: pageSize, ...(page_token !== "" && { page_token }) };
      const page = (await this.#demand("ListExecutions", request)) as
        | { executions: typeof all; next_page_token: string }
        | undefined;
      all.push(...(page?.executions ?? []));
      page_token = page?.next_page_token ?? "";
      if (page_token === "") break;
    }
    return all;
  }

  #demand(method: string, request: Message): Promise<unknown> {
    return this.#stage.demand({ to: this.#account.address, method: `ConnectorService.${method}`, request });
  }
}
