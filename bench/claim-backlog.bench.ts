// Does the cost of a claim grow with the backlog, also after a restart?
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineBench, type Figures } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { Lane } from "./support/lane.ts";
import { newQueue, type QueueTarget } from "./support/life-cycle.ts";
import { startService } from "./support/service.ts";

const large = Number(process.env.BENCH_BACKLOG ?? 1_000_000);
const small = 1_000;
const fairnessKeys = 10_000;
const claims = 1_500;
const claimItems = 10;
const settleMs = 10_000;
const payload = "x".repeat(100);

export default defineBench({
  question:
    "How long does a claim of 10 items take with 1,000 and with 1,000,000 items waiting, all bands, 10,000 fairness keys?",
  contenders: {
    small: () => run(small, false),
    large: () => run(large, false),
    restarted: () => run(large, true),
  },
  rounds: 1,
  bars: [
    { figure: "claim_us", contender: "large", against: "small", atMost: 1.2 },
    { figure: "claim_us", contender: "restarted", against: "small", atMost: 1.2 },
  ],
});

function run(backlog: number, restarts: boolean): Promise<Figures> {
  return inFolder(async (dir) => {
    let service = await startService(dir);
    const target = await newQueue(service, { fairness: { key: "item.key" } });
    await fill(target, backlog);
    if (restarts) {
      await service.stop();
      rmSync(join(dir, "ports.json"));
      service = await startService(dir);
    }
    // What was filled in is checkpointed first: that is not the cost of a claim.
    await sleep(settleMs);
    const figures = await timeClaims({ ...target, port: service.ports.http });
    await service.stop();
    return figures;
  });
}

/** Items of all bands and keys, each as likely as the other. */
function items(count: number, start: number): object[] {
  return Array.from({ length: count }, (_, i) => ({
    key: `key-${((start + i) * 7_919) % fairnessKeys}`,
    priority: 1 + ((start + i) % 5),
    payload,
  }));
}

async function fill({ port, queue }: QueueTarget, backlog: number): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      const lane = new Lane(port);
      while (next < backlog) {
        const start = next;
        next += 1_000;
        await lane.post(`${queue}/items:batch`, { items: items(1_000, start) });
      }
      lane.close();
    }),
  );
}

/** What is claimed is enqueued again, so that the backlog stays as it is; only the claims are timed. */
async function timeClaims({ port, queue, recipientId }: QueueTarget): Promise<Figures> {
  const lane = new Lane(port);
  const times: number[] = [];
  for (let i = 0; i < claims; i++) {
    const start = performance.now();
    const request = { recipient_id: recipientId, max_items: claimItems };
    const { items: leased } = await lane.post<{ items: { item: { id: string }; lease_token: string }[] }>(
      `${queue}/items:claim`,
      request,
    );
    if (i >= claims / 5) times.push(performance.now() - start);
    const settlements = leased.map(({ item, lease_token }) => ({
      queue_item_id: item.id,
      lease_token,
      outcome: "complete",
    }));
    await lane.post(`${queue}/items:settle`, { settlements });
    await lane.post(`${queue}/items:batch`, { items: items(claimItems, i * claimItems) });
  }
  lane.close();
  times.sort((a, b) => a - b);
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  return {
    claim_us: mean * 1_000,
    p50_us: times[Math.floor(times.length / 2)]! * 1_000,
    p99_us: times[Math.floor(times.length * 0.99)]! * 1_000,
  };
}
