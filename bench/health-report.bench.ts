// How long does a health report over 10,000 pools take that no caller has asked for in its slot?
import { setTimeout as sleep } from "node:timers/promises";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { Lane } from "./support/lane.ts";
import { type BenchService, startService } from "./support/service.ts";

const pools = Number(process.env.BENCH_POOLS ?? 10_000);
const items = Math.ceil(pools / 10);
const reports = 100;

export default defineBench({
  question: "How long does a health report over 10,000 pools take that no caller has asked for in its slot?",
  contenders: { report },
  bars: [{ figure: "p50_ms", contender: "report", atMost: 50 }],
});

/** Every tenth pool has an item that waits. Each period has a report of its own, so that each is computed. */
function report(): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const lanes = Array.from({ length: 32 }, () => new Lane(service.ports.http));
    let next = 0;
    await Promise.all(
      lanes.map(async (lane) => {
        for (let n = next++; n < pools; n = next++) {
          const { id } = await lane.post<{ id: string }>("/api/pools", { name: `p${n}` });
          if (n < items) await lane.post(`/api/queues/${id}/items`, { key: "k" });
        }
      }),
    );
    for (const lane of lanes) lane.close();
    // Queues tell their meter ten seconds after a change.
    while ((await ask(service, "1h")).value !== items) await sleep(1_000);
    const took: number[] = [];
    for (let n = 0; n < reports; n++) {
      const begin = performance.now();
      const { value } = await ask(service, `${10 + n * 5}m`);
      took.push(performance.now() - begin);
      if (value !== items) throw new Error(`the report tells of ${value} items`);
    }
    took.sort((a, b) => a - b);
    await service.stop();
    return { p50_ms: took[reports / 2]!, p99_ms: took.at(-2)! };
  });
}

async function ask({ ports }: BenchService, period: string): Promise<{ readonly value: number | undefined }> {
  const response = await fetch(
    `http://127.0.0.1:${ports.http}/api/operational-health/report?period=${period}`,
  );
  const { data } = (await response.json()) as {
    data: { evidence: { signal: string; value: number }[]; reasons: { code: string }[] };
  };
  // Where a source does not answer in time, the figures are missing.
  return { value: data.evidence.find(({ signal }) => signal === "ready_depth")?.value };
}
