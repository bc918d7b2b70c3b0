import { Client, credentials } from "@grpc/grpc-js";
import { contractBytes, loadRegistry } from "#protos";
import { plainDecoder } from "../../gateway/rpc/wire/decode.ts";
import { plainEncoder } from "../../gateway/rpc/wire/encode.ts";
import type { Stats } from "./bench.ts";
import { FilledQueue } from "./filled-queue.ts";
import type { Lane } from "./lane.ts";
import type { QueueTarget } from "./life-cycle.ts";

const payload = "x".repeat(100);
/** Room of a worker that settles what it gets together. */
export const batchCredit = 400;
const batchLanes = 2;

export interface WorkFrame {
  readonly assigned?: { readonly items: readonly Leased[] };
  readonly settled?: { readonly results: readonly unknown[] };
}

interface Leased {
  readonly item: { readonly id: string; readonly key: string };
  readonly lease_token: string;
}

type Target = QueueTarget & { readonly grpc: number };

/** A Work stream, before its hello. */
export function openWork({ grpc }: { readonly grpc: number }) {
  const { work } = loadRegistry(contractBytes()).getService("service.api.QueueService")!.method;
  const client = new Client(`127.0.0.1:${grpc}`, credentials.createInsecure());
  const decode = plainDecoder(work!.output);
  const stream = client.makeBidiStreamRequest<object, WorkFrame>(
    "/service.api.QueueService/Work",
    plainEncoder(work!.input),
    (bytes) => decode(bytes) as WorkFrame,
  );
  // The stream ends when its owner cancels it.
  stream.on("error", () => {});
  const close = () => {
    stream.cancel();
    client.close();
  };
  return { stream, close };
}

/** One worker on a Work stream that settles its items together; two lanes keep the queue filled with batches. */
export function workLifeCycles(target: Target): Promise<Stats> {
  const worker = { credit: batchCredit, together: true, lanes: batchLanes };
  return work(target, worker, (lane) => enqueueBatch(lane, target));
}

/** The same with another worker, which says what it has completed. */
export async function filledWithBatches(
  target: QueueTarget,
  start: (completed: (items: number) => void) => Promise<() => unknown>,
): Promise<Stats> {
  const filled = new FilledQueue(target);
  const stop = await start((items) => filled.completed(items));
  const stats = await filled.run(batchLanes, (lane) => enqueueBatch(lane, target));
  await stop();
  return stats;
}

async function enqueueBatch(lane: Lane, { queue }: QueueTarget): Promise<number> {
  await lane.post(`${queue}/items:batch`, { items: batch });
  return batch.length;
}

const batch = Array.from({ length: 100 }, () => ({ payload }));

/**
 * Like BullMQ without addBulk: 64 lanes enqueue one item per request, and one worker with room for 100 settles each
 * alone.
 */
export function singleWorkLifeCycles(target: Target): Promise<Stats> {
  return work(target, { credit: 100, together: false, lanes: 64 }, async (lane) => {
    await lane.post(`${target.queue}/items`, { payload });
    return 1;
  });
}

interface Worker {
  readonly credit: number;
  /** True: all items of a frame are settled by one message; otherwise each by its own. */
  readonly together: boolean;
  readonly lanes: number;
}

async function work(
  target: Target,
  { credit, together, lanes }: Worker,
  enqueue: (lane: Lane) => Promise<number>,
): Promise<Stats> {
  const { stream, close } = openWork(target);
  const filled = new FilledQueue(target);
  stream.on("data", ({ assigned, settled }: WorkFrame) => {
    if (assigned) {
      const settlements = assigned.items.map(({ item, lease_token }) => ({
        queue_item_id: item.id,
        lease_token,
        outcome: "complete",
      }));
      stream.write({ credit: { items: settlements.length } });
      if (together) stream.write({ settle: { settlements } });
      else for (const settlement of settlements) stream.write({ settle: { settlements: [settlement] } });
    } else if (settled) filled.completed(settled.results.length);
  });
  stream.write({ hello: { pool_id: target.poolId, recipient_id: target.recipientId, credit } });
  const stats = await filled.run(lanes, enqueue);
  close();
  return stats;
}
