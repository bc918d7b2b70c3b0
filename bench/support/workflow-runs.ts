import { get, type IncomingMessage } from "node:http";
import type { Stats } from "./bench.ts";
import { cpuSeconds } from "./cpu.ts";
import { inFolder } from "./folder.ts";
import { Lane } from "./lane.ts";
import { closedLoop } from "./load.ts";
import { memoryOf } from "./memory.ts";
import { type BenchService, startService } from "./service.ts";

/** Publishes a definition with the five steps of the question; returns its id. */
async function fiveSteps(lane: Lane, pool_id: string): Promise<string> {
  const draft = {
    steps: [
      { id: "choose", type: "route", pool_id, key: "${input.user}" },
      {
        id: "size",
        type: "branch",
        cases: [
          {
            when: "steps.choose.output.recipient_id != ''",
            steps: [{ id: "store", type: "enqueue", pool_id, payload: { user: "${input.user}" } }],
          },
        ],
      },
      { id: "paid", type: "wait_event", event_key: "go" },
      { id: "stop", type: "end", output: "${input.user + ': ' + steps.paid.output.payload}" },
    ],
  };
  const { id } = await lane.post<{ id: string }>("/api/workflow-definitions", { key: "five-steps", draft });
  await lane.post(`/api/workflow-definitions/${id}/publish`, {});
  return id;
}

/** Runs of five steps over REST: start, signal, and the event that the run has ended. */
export function serviceRuns(inFlight: number, seconds: number, warmSeconds: number): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const lanes = Array.from({ length: inFlight }, () => new Lane(service.ports.http));
    const definition_id = await fiveSteps(lanes[0]!, await service.createPool(1));
    const ends = await followEnds(service);
    let rounds = 0;
    const round = async (client: number) => {
      rounds++;
      const lane = lanes[client]!;
      const input = { user: `user-${client}` };
      const { run } = await lane.post<{ run: { id: string } }>("/api/workflow-runs", {
        definition_id,
        input,
      });
      await lane.post(`/api/workflow-runs/${run.id}/signals`, { event_key: "go", payload: "paid" });
      await ends.of(run.id);
    };
    const before = cpuSeconds(service.pid);
    const stats = await closedLoop(inFlight, seconds, round, warmSeconds);
    const spent = cpuSeconds(service.pid) - before;
    ends.close();
    for (const lane of lanes) lane.close();
    await service.stop();
    return { ...stats, cpu_ms: (spent * 1_000) / rounds };
  });
}

/** The memory that a service takes while this many runs wait for an event. */
export function waitingRuns(count: number): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const lanes = Array.from({ length: 64 }, () => new Lane(service.ports.http));
    const definition_id = await fiveSteps(lanes[0]!, await service.createPool(1));
    const empty = memoryOf(service.pid);
    const own: number[] = [];
    let started = 0;
    let first: string | undefined;
    const from = performance.now();
    for (const share of [0.25, 0.5, 0.75, 1]) {
      await Promise.all(
        lanes.map(async (lane, n) => {
          while (started < count * share) {
            started++;
            const input = { user: `user-${n}` };
            const { run } = await lane.post<{ run: { id: string } }>("/api/workflow-runs", {
              definition_id,
              input,
            });
            first ??= run.id;
          }
        }),
      );
      own.push(memoryOf(service.pid).own);
    }
    const startsPerS = count / ((performance.now() - from) / 1_000);
    const { tables } = memoryOf(service.pid);
    const ends = await followEnds(service);
    await lanes[0]!.post(`/api/workflow-runs/${first}/signals`, { event_key: "go", payload: "paid" });
    await ends.of(first!);
    ends.close();
    for (const lane of lanes) lane.close();
    await service.stop();
    return {
      waiting: count,
      starts_per_s: startsPerS,
      empty_mb: empty.own,
      quarter_mb: own[0]!,
      half_mb: own[1]!,
      all_mb: own[3]!,
      tables_mb: tables,
    };
  });
}

/** Resolves `of` when the run has succeeded, also if it ended before. */
async function followEnds({ ports }: BenchService) {
  const waiting = new Map<string, () => void>();
  const early = new Set<string>();
  const ended = (id: string) => {
    const resolve = waiting.get(id);
    if (resolve === undefined) early.add(id);
    else resolve();
    waiting.delete(id);
  };
  const url = `http://127.0.0.1:${ports.internal}/api/events/subscribe?kinds=workflow_run.succeeded`;
  const request = get(url);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve);
    request.once("error", reject);
  });
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
  response.setEncoding("latin1");
  let text = "";
  response.on("data", (chunk: string) => {
    const lines = (text + chunk).split("\n");
    text = lines.pop()!;
    for (const line of lines) {
      const id = /"subject":"([0-9A-Z]{26})"/.exec(line)?.[1];
      if (id !== undefined) ended(id);
    }
  });
  response.on("error", () => undefined);
  return {
    of: (id: string) =>
      new Promise<void>((resolve) => {
        if (early.delete(id)) resolve();
        else waiting.set(id, resolve);
      }),
    close: () => void request.destroy(),
  };
}
