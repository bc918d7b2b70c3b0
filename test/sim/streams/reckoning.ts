import { devTenantId } from "#base";
import {
  type Chunk,
  lastOf,
  runAddress,
  type StoredRecord,
} from "../../../actors/workflow-streams/stream/record.ts";
import { awaitEvent } from "../../../actors/workflow-streams/waits/service.ts";
import type { Stage } from "../scenario.ts";
import { consumers } from "./operators.ts";
import type { KnownStream, Message, RecordTold } from "./told.ts";

/** Every record of a stream that ever became durable. */
type Log = readonly StoredRecord[];

/** Compares the final state with the answers that callers got. */
export async function reckonStream(stage: Stage, stream: KnownStream): Promise<void> {
  const log = logOf(stage, stream);
  checkTold(stream, log);
  checkProducers(stream, log);
  const shown = (await demand(stage, stream, "GetStream")) as Message | undefined;
  if (shown === undefined) return;
  const { latest_sequence: latest, earliest_sequence: earliest } = shown as Record<string, number>;
  if (latest !== log.length) stream.violate(`${log.length} records are durable, ${latest} is the latest`);
  if (earliest! < stream.earliest)
    stream.violate(`the floor went back from ${stream.earliest} to ${earliest}`);
  const { max_records } = (stream.definition.retention ?? {}) as { max_records?: number };
  const kept = max_records === undefined ? latest! : Math.min(max_records, latest!);
  if (latest! - earliest! + 1 < kept) stream.violate(`only ${latest! - earliest! + 1} of ${kept} are kept`);
  await checkPages(stage, stream, log, earliest!);
  await checkConsumers(stage, stream);
  await checkInputs(stage, stream, log);
}

function logOf(stage: Stage, stream: KnownStream): Log {
  const log: StoredRecord[] = [];
  for (const { entry } of stage.durable()) {
    if (entry.address?.kind !== "stream" || entry.address.key !== stream.id) continue;
    for (const { events } of entry.steps)
      for (const event of events as readonly Message[]) {
        if (event.type !== "appended") continue;
        for (const chunk of event.chunks as readonly Chunk[]) {
          if (chunk.first !== log.length + 1) stream.violate(`${chunk.first} follows ${log.length}`);
          log.push(...chunk.records);
          if (lastOf(chunk) !== log.length) stream.violate(`a chunk ends with ${lastOf(chunk)}`);
        }
      }
  }
  return log;
}

const textOf = ({ body }: StoredRecord) => JSON.stringify((body as { payload: unknown }).payload);

function checkTold(stream: KnownStream, log: Log): void {
  const { records, wanted } = stream;
  for (const [sequence, text] of records) {
    const stored = log[sequence - 1];
    if (stored === undefined || textOf(stored) !== text)
      stream.violate(`record ${sequence} was told as ${text} and is ${stored && textOf(stored)}`);
  }
  const seen = new Set<string>();
  for (const record of log) {
    const payload = (record.body as { payload: string }).payload;
    if (seen.has(payload) || !wanted.has(payload))
      stream.violate(`${payload} is there twice, or was not wanted`);
    seen.add(payload);
  }
}

/** Epochs do not go back, and the sequences of an epoch are consecutive. */
function checkProducers(stream: KnownStream, log: Log): void {
  const last = new Map<string, { epoch: number; sequence: number }>();
  for (const { producer } of log) {
    if (producer === undefined) continue;
    const before = last.get(producer.id);
    const follows =
      before === undefined || producer.epoch > before.epoch
        ? producer.sequence === 0
        : producer.epoch === before.epoch && producer.sequence === before.sequence + 1;
    if (!follows) stream.violate(`${JSON.stringify(producer)} follows ${JSON.stringify(before)}`);
    last.set(producer.id, producer);
  }
}

async function checkPages(stage: Stage, stream: KnownStream, log: Log, earliest: number): Promise<void> {
  for (let after = earliest - 1; after < log.length && !stage.violated; ) {
    const request = { after_sequence: after, limit: 100 };
    const page = (await demand(stage, stream, "ReadRecords", request)) as Message | undefined;
    if (page === undefined) return;
    for (const { sequence, payload } of page.records as RecordTold[])
      if (sequence !== ++after || JSON.stringify(payload) !== textOf(log[after - 1]!))
        return stream.violate(`a page has ${sequence} ${payload} where ${after} is due`);
  }
}

async function checkConsumers(stage: Stage, stream: KnownStream): Promise<void> {
  const answer = (await demand(stage, stream, "ListConsumers")) as { consumers: Message[] } | undefined;
  const acked = new Map(answer?.consumers.map((one) => [one.consumer_id, one.acknowledged_sequence]));
  for (const consumer of consumers)
    if (((acked.get(consumer) as number | undefined) ?? 0) < stream.acked(consumer))
      stream.violate(`${consumer} was told ${stream.acked(consumer)}, ${acked.get(consumer)} is stored`);
}

/** Every input record is an event of its run, once and in order. */
async function checkInputs(stage: Stage, stream: KnownStream, log: Log): Promise<void> {
  const expected = log.flatMap(({ kind }, index) => (kind === "input" ? [index + 1] : []));
  let after_event_id = "";
  for (const sequence of [...expected, undefined]) {
    const answer = (await stage.demand({
      to: runAddress(devTenantId, stream.runId),
      method: awaitEvent.name,
      request: { run_id: stream.runId, event_key: `stream.${stream.name}`, after_event_id },
    })) as { event?: { event_id: string; payload: { sequence: number } } } | undefined;
    if (answer === undefined) return;
    const told = answer.event?.payload.sequence;
    if (told !== sequence) return stream.violate(`input ${sequence} is due, ${told} was told`);
    after_event_id = answer.event?.event_id ?? "";
  }
}

function demand(stage: Stage, stream: KnownStream, method: string, request: Message = {}): Promise<unknown> {
  return stage.demand({
    to: stream.address,
    method: `WorkflowStreamService.${method}`,
    request: { run_id: stream.runId, stream_id: stream.id, ...request },
  });
}
