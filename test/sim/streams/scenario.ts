import { devTenantId, isRefusal, limits, newUlid } from "#base";
import { LiveStreams } from "../../../actors/workflow-streams/stream/handlers/live-stream.ts";
import { runAddress } from "../../../actors/workflow-streams/stream/record.ts";
import { addStream } from "../../../actors/workflow-streams/waits/service.ts";
import type { Answer } from "../../../runtime/index.ts";
import { modules } from "../../support/module-parts.ts";
import { askerIn, callContext } from "../call-context.ts";
import { Callers } from "../caller.ts";
import { epochMs } from "../process.ts";
import type { Scenario, Stage } from "../scenario.ts";
import { Operators } from "./operators.ts";
import { played } from "./played.ts";
import { Reader } from "./reader.ts";
import { reckonStream } from "./reckoning.ts";
import { KnownStream, type Message } from "./told.ts";
import { Writer } from "./writer.ts";

const gateways = 2;
const readersOfEach = 2;
/** Longer than retention, outbox and back-off take. */
const restMs = 40_000;

const definitions: readonly Message[] = [
  { retention: { max_records: 40 }, ceilings: { unread_items: 400 } },
  { ceilings: { unread_items: 300 }, overflow: "block", block_ms: 2_000 },
  { retention: { max_records: 15 } },
];

/** Streams send messages to their runs, and runs to their directory and the engine. */
const actors = modules.flatMap((module) => module.actors);

/** Streams that are appended to, trimmed, acknowledged, held, closed and read, under all faults of their owners. */
export class StreamsScenario implements Scenario {
  readonly #stage: Stage;
  readonly #callers: Callers;
  readonly #streams: readonly KnownStream[];
  readonly #readers: Reader[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#callers = new Callers(stage);
    const runs = [0, 1].map(() => newUlid(epochMs, stage.random));
    this.#streams = definitions.map(
      (definition, index) =>
        new KnownStream(
          stage.scheduler,
          { runId: runs[index % runs.length]!, name: `s${index}`, definition },
          (claim) => stage.violate(claim),
        ),
    );
  }

  actors() {
    return actors;
  }

  get acknowledged(): number {
    return this.#streams.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  start(): void {
    const { scheduler, random } = this.#stage;
    for (const [index, stream] of this.#streams.entries()) {
      this.#create(stream);
      for (const id of ["p0", "p1"]) new Writer(this.#stage, this.#callers, stream, id).start();
      new Operators(this.#stage, this.#callers, stream).start(index === 2 && random.chance(0.5));
    }
    const waitMs = limits.streamLiveWaitMs + 5_000;
    const asker = askerIn(this.#stage, this.#callers, { answerMsMax: () => waitMs });
    for (let gateway = 0; gateway < gateways; gateway++) {
      const rest = (ms: number) => scheduler.delay(this.#callers.owner, ms, "rest");
      const subscribe = played.subscribe(new LiveStreams(rest));
      const context = () => callContext(this.#stage, asker);
      for (const stream of this.#streams)
        for (let n = 0; n < readersOfEach; n++)
          this.#readers.push(new Reader(this.#stage, stream, { subscribe, context }));
    }
    for (const reader of this.#readers) reader.follow();
  }

  stop(): void {
    this.#callers.stopped = true;
    for (const reader of this.#readers) {
      reader.stopped = true;
      reader.leave();
    }
  }

  unanswered(): readonly string[] {
    return this.#callers.unanswered();
  }

  async reckon(): Promise<void> {
    const made = this.#streams.filter(({ id }) => id !== "");
    await this.#stage.pass(restMs);
    for (const stream of made) await this.#demand(stream, "SetLegalHold", { held: false });
    await this.#stage.pass(restMs);
    for (const stream of made) await reckonStream(this.#stage, stream);
    for (const stream of made) await this.#demand(stream, "CloseStream");
    if (this.#stage.violated) return;
    await this.#readToTheEnd();
    this.#stage.scheduler.note(JSON.stringify(made.map(({ records }) => [...records])));
  }

  /** Without further faults every reader comes to the end. */
  async #readToTheEnd(): Promise<void> {
    const readers = this.#readers.filter(({ ended }) => !ended);
    for (const reader of readers) {
      reader.stopped = false;
      if (reader.stream.id !== "") reader.follow(true);
    }
    const left = () => readers.filter(({ ended, stream }) => !ended && stream.id !== "");
    await this.#stage.pass(30_000, () => left().length === 0);
    if (this.#stage.violated) return;
    for (const { stream, last } of left())
      stream.violate(`a reader is still after ${last} of ${stream.latest}`);
  }

  #create(stream: KnownStream): void {
    const { runId, name, definition } = stream;
    const request = { run_id: runId, name, content_classes: ["json", "binary"], ...definition };
    const how = {
      attemptsLeft: 100,
      attempted: () => {},
      heard: (answer: Answer) => {
        if (!isRefusal(answer)) stream.made((answer.response as { id: string }).id);
      },
    };
    this.#callers.persist({ to: runAddress(devTenantId, runId), method: addStream.name, request }, how);
  }

  #demand(stream: KnownStream, method: string, more: Message = {}): Promise<unknown> {
    const request = { run_id: stream.runId, stream_id: stream.id, ...more };
    return this.#stage.demand({
      to: stream.address,
      method: `WorkflowStreamService.${method}`,
      request,
    });
  }
}
