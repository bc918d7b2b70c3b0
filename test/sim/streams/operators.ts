import { isRefusal, type Random } from "#base";
import type { Answer } from "../../../runtime/index.ts";
import type { Callers } from "../caller.ts";
import type { Stage } from "../scenario.ts";
import type { KnownStream, Message, RecordTold } from "./told.ts";

export const consumers = ["c0", "c1"];

/** All operations on a stream besides appending and subscribing: pages, acknowledgements, holds and the close. */
export class Operators {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #random: Random;
  readonly #stream: KnownStream;
  #holds = 0;

  constructor(stage: Stage, callers: Callers, stream: KnownStream) {
    this.#stage = stage;
    this.#callers = callers;
    this.#random = stage.random;
    this.#stream = stream;
  }

  start(closes: boolean): void {
    for (const consumer of consumers) this.#acknowledge(consumer);
    this.#read();
    this.#hold();
    if (closes) this.#callers.think(4_000, () => this.#close());
  }

  #read(): void {
    this.#callers.think(120, () => {
      this.#read();
      if (this.#stream.id === "") return;
      const stream = this.#stream;
      const after = this.#random.int(stream.latest + 1);
      const { earliestMin, latestMin } = stream;
      const wait_ms = this.#random.chance(0.3) ? 1_000 : 0;
      const request = { after_sequence: after, limit: 1 + this.#random.int(50), wait_ms };
      this.#ask("ReadRecords", request, (answer) => {
        if (isRefusal(answer)) {
          if (answer.code === "CURSOR_EXPIRED") this.#expired(after, answer.extra as Message);
          else if (answer.code === "INVALID_ARGUMENT" && Number(answer.extra?.latest_sequence) < latestMin)
            stream.violate(`${after} was taken for the future: ${answer.detail}`);
          return;
        }
        const page = answer.response as Message;
        const records = page.records as RecordTold[];
        if (records.length > 0 && after + 1 < earliestMin)
          stream.violate(`a page after ${after} came without a 410, ${earliestMin} was the earliest`);
        if ((page.latest_sequence as number) < latestMin)
          stream.violate(`${latestMin} was told, and ${page.latest_sequence} after it as the latest`);
        for (const [n, record] of records.entries()) {
          if (record.sequence !== after + 1 + n)
            stream.violate(`a page after ${after} has ${record.sequence} in place ${n}`);
          stream.tell(record);
        }
        stream.floor(page.earliest_sequence as number);
      });
    });
  }

  #expired(after: number, told: Message): void {
    const { requested_sequence, earliest_sequence, resync_reason } = told;
    if (requested_sequence !== after + 1 || (earliest_sequence as number) <= after + 1 || !resync_reason)
      this.#stream.violate(`a page after ${after} was refused with ${JSON.stringify(told)}`);
    this.#stream.floor(earliest_sequence as number);
  }

  #acknowledge(consumer_id: string): void {
    this.#callers.think(150, () => {
      this.#acknowledge(consumer_id);
      const stream = this.#stream;
      if (stream.latest === 0) return;
      const known = stream.acked(consumer_id);
      const least = stream.ackedMin(consumer_id);
      const isBack = this.#random.chance(0.1);
      const sequence = isBack
        ? this.#random.int(known + 1)
        : known + this.#random.int(stream.latest - known + 1);
      this.#ask("Acknowledge", { consumer_id, sequence }, (answer) => {
        // An acknowledgement whose answer was lost may have advanced further than is known.
        if (isRefusal(answer)) return;
        if (sequence < least) stream.violate(`${consumer_id} went back from ${least} to ${sequence}`);
        stream.acknowledge(consumer_id, sequence);
      });
    });
  }

  /** Under a hold the floor stays where it was when the hold was acknowledged. */
  #hold(): void {
    this.#callers.think(2_500, () => {
      const reference = `h${this.#holds++}`;
      if (this.#stream.id === "") return this.#hold();
      this.#persist("SetLegalHold", { held: true, reason: "r", reference }, (held) => {
        const heldFrom = heldAt(held, reference);
        this.#callers.think(2_500, () =>
          this.#ask("GetStream", {}, (answer) => {
            const now = isRefusal(answer) ? undefined : heldAt(answer.response as Message, reference);
            if (now !== undefined && heldFrom !== undefined && now !== heldFrom)
              this.#stream.violate(`the floor went from ${heldFrom} to ${now} under a hold`);
          }),
        );
        this.#callers.think(3_500, () => this.#persist("SetLegalHold", { held: false }, () => this.#hold()));
      });
    });
  }

  #close(): void {
    if (this.#stream.id === "") return;
    this.#persist("CloseStream", {}, () => {
      this.#stream.closedMs = Math.min(this.#stream.closedMs, this.#stage.scheduler.nowMs);
    });
  }

  #persist(method: string, request: Message, told: (response: Message) => void): void {
    const how = {
      attemptsLeft: 20,
      attempted: () => {},
      heard: (answer: Answer) => {
        if (!isRefusal(answer)) told(answer.response as Message);
      },
    };
    this.#callers.persist(this.#question(method, request), how);
  }

  #ask(method: string, request: Message, heard: (answer: Answer) => void): void {
    this.#callers.send(this.#question(method, request), 0.2, heard);
  }

  #question(method: string, request: Message) {
    const { address, runId, id } = this.#stream;
    return {
      to: address,
      method: `WorkflowStreamService.${method}`,
      request: { run_id: runId, stream_id: id, ...request },
    };
  }
}

/** The earliest record that was reported under this hold. */
function heldAt({ legal_hold, earliest_sequence }: Message, reference: string): unknown {
  return (legal_hold as Message | undefined)?.reference === reference ? earliest_sequence : undefined;
}
