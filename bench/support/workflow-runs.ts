import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import type { Figures } from "./bench.ts";
import { inFolder } from "./folder.ts";
import { Lane } from "./lane.ts";
import { closedLoop } from "./load.ts";
import { type BenchService, startService } from "./service.ts";

/** A definition with the five steps of the question; answers with its id. */
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
export function serviceRuns(inFlight: number, seconds: number, warmSeconds: number): Promise<Figures> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const lanes = Array.from({ length: inFlight }, () => new Lane(service.ports.http));
    const definition_id = await fiveSteps(lanes[0]!, await service.createPool(1));
    const ends = await followEnds(service);
    const round = async (client: number) => {
      const lane = lanes[client]!;
      const input = { user: `user-${client}` };
      const { run } = await lane.post<{ run: { id: string } }>("/api/workflow-runs", {
        definition_id,
        input,
      });
      await lane.post(`/api/workflow-runs/${run.id}/signals`, { event_key: "go", payload: "paid" });
      await ends.of(run.id);
    };
    const figures = await closedLoop(inFlight, seconds, round, warmSeconds);
    ends.close();
    for (const lane of lanes) lane.close();
    await service.stop();
    return figures;
  });
}

/** How many runs wait for an event in one service, and what each of them costs its memory and its disk. */
export function waitingRuns(count: number): Promise<Figures> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const lanes = Array.from({ length: 64 }, () => new Lane(service.ports.http));
    const definition_id = await fiveSteps(lanes[0]!, await service.createPool(1));
    const residentAt = [residentMb(service.pid)];
    let started = 0;
    const from = performance.now();
    for (const share of [0.25, 0.5, 0.75, 1]) {
      await Promise.all(
        lanes.map(async (lane, n) => {
          while (started < count * share) {
            started++;
            await lane.post("/api/workflow-runs", { definition_id, input: { user: `user-${n}` } });
          }
        }),
      );
      residentAt.push(residentMb(service.pid));
    }
    const startsPerS = count / ((performance.now() - from) / 1_000);
    for (const lane of lanes) lane.close();
    await service.stop();
    return {
      waiting: count,
      starts_per_s: startsPerS,
      empty_mb: residentAt[0]!,
      quarter_mb: residentAt[1]!,
      half_mb: residentAt[2]!,
      all_mb: residentAt[4]!,
    };
  });
}

function residentMb(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return Math.round(Number(kilobytes) / 1_024);
}

/** Resolves `of` when the run has succeeded; one that ended before it was asked for too. */
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
