import type { Stats } from "./bench.ts";
import { Lane } from "./lane.ts";
import type { BenchService } from "./service.ts";

export interface QueueTarget {
  readonly port: number;
  readonly queue: string;
  readonly poolId: string;
  readonly recipientId: string;
}

interface Leased {
  readonly item: { readonly id: string };
  readonly lease_token: string;
}

const payload = "x".repeat(100);
const seconds = 6;
/** Every contender works this long before: V8 compiles on the cores they need, for half a minute and more. */
export const warmMs = Number(process.env.BENCH_WARM ?? 40) * 1_000;

/** A pool with one recipient. */
export async function newQueue(service: BenchService, config: object = {}): Promise<QueueTarget> {
  const { http: port } = service.ports;
  const lane = new Lane(port);
  const { id: poolId } = await lane.post<{ id: string }>("/api/pools", { name: "bench", config });
  const recipient = await lane.post<{ id: string }>(`/api/pools/${poolId}/recipients`, { name: "r" });
  lane.close();
  return { port, queue: `/api/queues/${poolId}`, poolId, recipientId: recipient.id };
}

/** Full life cycles (enqueue → claim → complete) per second; each lane runs batches of `size`. */
export function batchedLifeCycles(target: QueueTarget, lanes: number, size: number): Promise<Stats> {
  return measure(target, lanes, (lane) => cycleBatch(lane, target, size, () => ({ payload })));
}

/** One batch through its life cycle; lanes may get items of each other. Returns how many it finished. */
export async function cycleBatch(
  lane: Lane,
  target: QueueTarget,
  size: number,
  makeItem: () => object,
): Promise<number> {
  const items = Array.from({ length: size }, makeItem);
  await lane.post(`${target.queue}/items:batch`, { items });
  let done = 0;
  while (done < size) {
    const leased = await claim(lane, target, Math.min(100, size - done));
    const settlements = leased.map(({ item, lease_token }) => ({
      queue_item_id: item.id,
      lease_token,
      outcome: "complete",
    }));
    if (leased.length > 0) await lane.post(`${target.queue}/items:settle`, { settlements });
    done += leased.length;
  }
  return size;
}

/** The same with one item per request. */
export function singleLifeCycles(target: QueueTarget, lanes: number): Promise<Stats> {
  return measure(target, lanes, async (lane) => {
    await lane.post(`${target.queue}/items`, { payload });
    const [leased] = await claim(lane, target, 1);
    if (!leased) return 0;
    const { item, lease_token } = leased;
    await lane.post(`${target.queue}/items/${item.id}/complete`, { lease_token });
    return 1;
  });
}

/** Leases of up to `max_items` items. */
export function claim(
  lane: Lane,
  { queue, recipientId }: QueueTarget,
  max_items: number,
): Promise<readonly Leased[]> {
  const request = { recipient_id: recipientId, max_items, wait_seconds: 5 };
  return lane.post<{ items: Leased[] }>(`${queue}/items:claim`, request).then(({ items }) => items);
}

async function measure(
  { port }: QueueTarget,
  count: number,
  round: (lane: Lane) => Promise<number>,
): Promise<Stats> {
  const warmUntil = performance.now() + warmMs;
  const until = warmUntil + seconds * 1_000;
  let completed = 0;
  await Promise.all(
    Array.from({ length: count }, async () => {
      const lane = new Lane(port);
      while (performance.now() < until) {
        const done = await round(lane);
        if (performance.now() >= warmUntil) completed += done;
      }
      lane.close();
    }),
  );
  return { per_s: completed / seconds };
}
