import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials } from "@grpc/grpc-js";
import { contractBytes, loadRegistry } from "#protos";
import { fromPlain } from "../../gateway/contract/index.ts";
import type { Figures } from "./bench.ts";
import { Lane } from "./lane.ts";
import { type QueueTarget, warmMs } from "./life-cycle.ts";

const seconds = 6;
const credit = 400;

export interface WorkFrame {
  readonly frame: {
    readonly case: string;
    readonly value: { readonly items?: readonly Leased[]; readonly results?: readonly unknown[] };
  };
}

interface Leased {
  readonly item: { readonly id: string; readonly key: string };
  readonly leaseToken: string;
}

/** A Work stream, before its hello. */
export function openWork({ grpc }: { readonly grpc: number }) {
  const { work } = loadRegistry(contractBytes()).getService("service.api.QueueService")!.method;
  const client = new Client(`127.0.0.1:${grpc}`, credentials.createInsecure());
  const stream = client.makeBidiStreamRequest<object, WorkFrame>(
    "/service.api.QueueService/Work",
    (message) => Buffer.from(toBinary(work!.input, fromPlain(work!.input, message))),
    (bytes) => fromBinary(work!.output, bytes) as unknown as WorkFrame,
  );
  // It ends with the cancellation of its owner.
  stream.on("error", () => {});
  const close = () => {
    stream.cancel();
    client.close();
  };
  return { stream, close };
}

/** One worker on a Work stream; two lanes keep the queue filled with batches. */
export async function workLifeCycles(target: QueueTarget & { readonly grpc: number }): Promise<Figures> {
  const { stream, close } = openWork(target);
  const warmUntil = performance.now() + warmMs;
  const until = warmUntil + seconds * 1_000;
  let completed = 0;
  let waiting = 0;
  stream.on("data", ({ frame }: WorkFrame) => {
    if (frame.case === "assigned") {
      const settlements = frame.value.items!.map(({ item, leaseToken }) => ({
        queue_item_id: item.id,
        lease_token: leaseToken,
        outcome: "complete",
      }));
      stream.write({ credit: { items: settlements.length } });
      stream.write({ settle: { settlements } });
    } else if (frame.case === "settled") {
      const count = frame.value.results!.length;
      waiting -= count;
      const now = performance.now();
      if (now >= warmUntil && now < until) completed += count;
    }
  });
  stream.write({ hello: { pool_id: target.poolId, recipient_id: target.recipientId, credit } });
  const items = Array.from({ length: 100 }, () => ({ payload: "x".repeat(100) }));
  await Promise.all(
    Array.from({ length: 2 }, async () => {
      const lane = new Lane(target.port);
      while (performance.now() < until) {
        if (waiting > 2_000) await new Promise((resolve) => setTimeout(resolve, 2));
        else {
          waiting += items.length;
          await lane.post(`${target.queue}/items:batch`, { items });
        }
      }
      lane.close();
    }),
  );
  close();
  return { per_s: completed / seconds };
}
