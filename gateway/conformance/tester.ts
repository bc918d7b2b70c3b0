import { randomUUID } from "node:crypto";
import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { type Contract, type ContractMethod, fromPlain, toPlain } from "../contract/index.ts";
import { CaseFailure, expect } from "./failures.ts";
import {
  type DoorName,
  doorsOf,
  type Fields,
  grpcClient,
  type Headers,
  type Outcome,
  send,
  type Targets,
} from "./wire.ts";

/** Members of answers, which a case looks at without a type of its own. */
// biome-ignore lint/suspicious/noExplicitAny: a wrong answer of the service is what the case is looking for.
type Told = any;

export interface TesterParts {
  readonly contract: Contract;
  readonly targets: Targets;
  /** Credentials and X-Environment. */
  readonly headers: Headers;
}

/** What a case calls the service with. It writes down which methods it called. */
export class Tester {
  readonly called = new Set<string>();
  readonly targets: Targets;
  readonly headers: Headers;
  readonly #contract: Contract;
  readonly #doors: ReturnType<typeof doorsOf>;

  constructor({ contract, targets, headers }: TesterParts) {
    this.#contract = contract;
    this.#doors = doorsOf(contract);
    this.targets = targets;
    this.headers = headers;
  }

  get contractSha256(): string {
    return this.#contract.sha256;
  }

  call(name: string, message: Fields, headers: Headers = {}, door: DoorName = "rest"): Promise<Outcome> {
    this.called.add(name);
    return this.#doors[door](this.targets, this.#method(name), message, { ...this.headers, ...headers });
  }

  /** The answer; a refusal fails the case. */
  async ok(name: string, message: Fields, headers: Headers = {}, door: DoorName = "rest"): Promise<Told> {
    const outcome = await this.call(name, message, headers, door);
    if (outcome.code !== 0 || outcome.message === undefined)
      throw new CaseFailure(
        `${name} was refused: ${outcome.errorCode ?? outcome.code} ${outcome.detail ?? ""}`,
      );
    return outcome.message;
  }

  /** Refused with this error code; anything else fails the case. */
  async refused(name: string, message: Fields, errorCode: string, headers: Headers = {}): Promise<Outcome> {
    const outcome = await this.call(name, message, headers);
    expect(
      outcome.errorCode === errorCode,
      `${name} was to be refused with ${errorCode}, and was ${outcome.errorCode ?? `answered ${outcome.status}`}`,
    );
    return outcome;
  }

  raw(verb: string, path: string, headers: Headers = {}, body?: string) {
    const named = /^\/service\.api\.(\w+)\/(\w+)/.exec(path);
    const method = `${named?.[1]}.${named?.[2]}`;
    if (this.#contract.byName.has(method)) this.called.add(method);
    return send(this.targets, verb, path, { ...this.headers, ...headers }, body);
  }

  key(): string {
    return randomUUID();
  }

  async pool(fields: Fields = {}): Promise<string> {
    return (await this.ok("PoolService.CreatePool", { name: "conformance", ...fields })).id;
  }

  async recipient(pool_id: string, fields: Fields = {}): Promise<string> {
    return (await this.ok("RecipientService.CreateRecipient", { pool_id, name: "worker", ...fields })).id;
  }

  async enqueue(pool_id: string, fields: Fields = {}): Promise<Told> {
    return this.ok("QueueService.Enqueue", { pool_id, payload: { n: 1 }, ...fields });
  }

  /** Up to `max_items`, waiting for the first. */
  async claim(pool_id: string, recipient_id: string, fields: Fields = {}): Promise<Told[]> {
    const asked = { pool_id, recipient_id, max_items: 1, wait_seconds: 10, ...fields };
    return (await this.ok("QueueService.Claim", asked)).items;
  }

  async item(pool_id: string, queue_item_id: string): Promise<Told> {
    return this.ok("QueueService.GetItem", { pool_id, queue_item_id });
  }

  /** A Work session over gRPC: what is sent, and one answer after the other. */
  async work(hello: Fields): Promise<{ send(frame: Fields): void; next(): Promise<Told>; close(): void }> {
    const method = this.#method("QueueService.Work");
    this.called.add(method.name);
    const { input, output } = method.descriptor;
    const { client, metadata } = await grpcClient(this.targets, this.headers);
    const stream = client.makeBidiStreamRequest(
      method.path,
      (plain: object) => Buffer.from(toBinary(input, fromPlain(input, plain) as Message)),
      (bytes: Buffer) => toPlain(output, fromBinary(output, bytes)),
      metadata,
    );
    const answers = stream[Symbol.asyncIterator]();
    stream.on("error", () => {});
    stream.write({ hello });
    return {
      send: (frame) => void stream.write(frame),
      async next() {
        const { value, done } = await answers.next().catch((error: Error) => {
          throw new CaseFailure(`the Work session ended: ${error.message}`);
        });
        expect(!done, "the Work session ended");
        return value;
      },
      close() {
        stream.cancel();
        client.close();
      },
    };
  }

  #method(name: string): ContractMethod {
    const method = this.#contract.byName.get(name);
    expect(method !== undefined, `there is no method ${name}`);
    return method;
  }
}
