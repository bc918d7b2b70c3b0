import { runAddress, streamAddress } from "../../actors/workflow-streams/stream/record.ts";
import { addEvent, addStream, awaitEvent } from "../../actors/workflow-streams/waits/service.ts";
import { EntityDriver } from "./entity.ts";
import { modules } from "./module-parts.ts";

export type Message = Record<string, unknown>;
export const tenant = "0000000000000000000000000A";
export const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
export const service = "WorkflowStreamService";

/** A stream on the synchronous driver. */
export function startStream(settings: Message = {}, caller: object = {}) {
  const driver = new EntityDriver(modules.flatMap(({ actors }) => actors));
  const run = runAddress(tenant, runId);
  const create = (more: Message = {}) => {
    const request = { run_id: runId, name: "s", content_classes: ["json", "binary"], ...settings, ...more };
    return driver.ask(run, addStream.name, request, { caller }) as Message;
  };
  const { id } = create() as { id: string };
  const address = streamAddress(tenant, id);
  const ask = (method: string, request: Message = {}, later?: (answer: unknown) => void): Message =>
    driver.ask(
      address,
      `${service}.${method}`,
      { run_id: runId, stream_id: id, ...request },
      {
        caller,
        ...(later && { later }),
      },
    ) as Message;
  const append = (count = 1, more: Message = {}) =>
    ask("AppendRecords", { records: Array.from({ length: count }, (_, n) => ({ payload: { n }, ...more })) });
  const produce = (epoch: number, sequence: number, count = 1) =>
    ask("AppendRecords", {
      records: Array.from({ length: count }, (_, n) => ({
        payload: n,
        producer: { id: "p", epoch, sequence: sequence + n },
      })),
    });
  const read = (after_sequence: number, more: Message = {}) =>
    ask("ReadRecords", { after_sequence, ...more });
  const sequences = (after: number, more: Message = {}) =>
    (read(after, { limit: 1000, ...more }).records as { sequence: number }[]).map(({ sequence }) => sequence);
  const ack = (consumer_id: string, sequence: number) => ask("Acknowledge", { consumer_id, sequence });
  return { driver, run, create, id, address, ask, append, produce, read, sequences, ack };
}

/** The same, with the waits of its run. */
export function startRun() {
  const started = startStream();
  const { driver, run } = started;
  const wait = (request: Message, later?: (answer: unknown) => void) =>
    driver.ask(
      run,
      awaitEvent.name,
      { run_id: runId, ...request },
      {
        ...(later && { later }),
      },
    ) as { event?: Message };
  const signal = (request: Message) =>
    driver.ask(run, addEvent.name, { run_id: runId, ...request }) as Message;
  return { ...started, wait, signal };
}

export const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
