import { isRefusal, type Random, type Refusal } from "#base";
import type { Answer } from "../../../runtime/index.ts";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import { type KnownStream, staleMs } from "./told.ts";

const attemptsMax = 8;

/** Appends batch after batch as one producer, or without a producer; sometimes as its own successor. */
export class Writer {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #random: Random;
  readonly #stream: KnownStream;
  readonly #id: string;
  #epoch = 0;
  #next = 0;
  /** When its last append was answered. */
  #nextMs = 0;
  #count = 0;

  constructor(stage: Stage, callers: Callers, stream: KnownStream, id: string) {
    this.#stage = stage;
    this.#callers = callers;
    this.#random = stage.random;
    this.#stream = stream;
    this.#id = id;
  }

  start(): void {
    this.#callers.think(150, () => {
      if (this.#stream.id === "") this.start();
      else this.#append();
    });
  }

  #append(): void {
    const random = this.#random;
    const size = random.chance(0.05) ? 150 : 1 + random.int(6);
    const isProduced = random.chance(0.8);
    const epoch = this.#epoch;
    const from = this.#next;
    const { name, wanted } = this.#stream;
    const records = Array.from({ length: size }, (_, n) => ({
      payload: `${name}/${this.#id}/${this.#count++}`,
      ...(random.chance(0.1) && { kind: "input" }),
      ...(isProduced && { producer: { id: this.#id, epoch, sequence: from + n } }),
    }));
    // Each record is stored at most once: without a producer it is requested only once.
    for (const { payload } of records) wanted.add(payload);
    let isOver = false;
    /** Whatever became of the last append: its successor starts over. */
    const succeed = () => {
      if (isOver) return;
      isOver = true;
      this.#epoch++;
      this.#next = 0;
      this.start();
    };
    if (isProduced && random.chance(0.1)) this.#callers.think(400, succeed);
    const sentMs = this.#stage.scheduler.nowMs;
    const how = {
      attemptsLeft: isProduced ? attemptsMax : 1,
      attempted: () => {},
      heard: (answer: Answer) => {
        this.#heard(records, answer, { sentMs, epoch });
        if (isOver || (isRefusal(answer) && how.attemptsLeft > 1 && isPassing(answer))) return;
        if (isRefusal(answer)) return succeed();
        isOver = true;
        if (isProduced) {
          this.#next = from + size;
          this.#nextMs = this.#stage.scheduler.nowMs;
        }
        this.start();
      },
    };
    const request = { run_id: this.#stream.runId, stream_id: this.#stream.id, records };
    const method = "WorkflowStreamService.AppendRecords";
    this.#callers.persist({ to: this.#stream.address, method, request }, how);
    // A lost question has no answer.
    this.#callers.think(isProduced ? 20_000 : 400, succeed);
  }

  #heard(
    records: readonly { readonly payload: string }[],
    answer: Answer,
    { sentMs, epoch }: { readonly sentMs: number; readonly epoch: number },
  ): void {
    const stream = this.#stream;
    if (isRefusal(answer)) {
      // A cut-off owner may not know what was appended a moment ago.
      if (answer.reason === "PRODUCER_GAP" && sentMs - this.#nextMs > staleMs)
        stream.violate(`${this.#id} was told of a gap it did not leave: ${answer.detail}`);
      if (answer.reason === "PRODUCER_FENCED" && epoch === this.#epoch)
        stream.violate(`${this.#id} was fenced although no other producer took over`);
      return;
    }
    const { first_sequence, last_sequence, duplicate } = answer.response as Record<string, number>;
    if (last_sequence! - first_sequence! + 1 !== records.length)
      stream.violate(`${records.length} records became ${first_sequence} to ${last_sequence}`);
    if (!duplicate && sentMs > stream.closedMs) stream.violate("an append was taken after the close");
    stream.acknowledged += records.length;
    for (const [n, { payload }] of records.entries()) stream.tell({ sequence: first_sequence! + n, payload });
  }
}

/** The same question is repeated. */
function isPassing({ code }: Refusal): boolean {
  return code === "UNAVAILABLE" || code === "RATE_LIMITED" || code === "TIMEOUT";
}
