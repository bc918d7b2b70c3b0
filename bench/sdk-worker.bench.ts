// How many items a second do the workers of the SDKs complete, against the bare HTTP/2 `Work` loop of `lifecycle`?
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type * as sdk from "#sdk";
import { pythonPath } from "../test/support/parts.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { inFolder } from "./support/folder.ts";
import { newQueue, type QueueTarget } from "./support/life-cycle.ts";
import { startService } from "./support/service.ts";
import { batchCredit, filledWithBatches, workLifeCycles } from "./support/work-client.ts";

/** As users run it: the compiler's output, not the loader's. */
const built = new URL("../dist/sdk/index.js", import.meta.url).href;

/** All have the same items, the same producers and room for as many items at a time. */
export default defineBench({
  question:
    "How many items a second do the TypeScript and the Python worker complete, against the bare HTTP/2 `Work` loop of `lifecycle`?",
  needs: ["python"],
  contenders: {
    bare: () => onQueue(workLifeCycles),
    typescript: () => onQueue(typescript),
    python: () => onQueue(python),
  },
  bars: [{ figure: "per_s", contender: "typescript", against: "bare", atLeast: 0.6 }],
});

/** In the process of the producers, as the bare loop is. */
function typescript(target: QueueTarget): Promise<Stats> {
  return filledWithBatches(target, async (completed) => {
    const { Switchyard } = (await import(built)) as typeof sdk;
    const sy = new Switchyard({ url: urlOf(target) });
    const worker = sy.worker(target.poolId, () => completed(1), {
      recipient: "r",
      concurrency: batchCredit,
    });
    return () => worker.stop();
  });
}

/** In a process of its own: it has more of the processor than the others where cores are free. */
function python(target: QueueTarget): Promise<Stats> {
  return filledWithBatches(target, async (completed) => {
    const script = fileURLToPath(new URL("support/worker.py", import.meta.url));
    const child = spawn(pythonPath()!, [script, urlOf(target), target.poolId, String(batchCredit)], {
      env: { ...process.env, PYTHONPATH: fileURLToPath(new URL("../sdk-python/src", import.meta.url)) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    createInterface(child.stdout).on("line", (line) => completed(Number(line)));
    const ended = once(child, "exit");
    return () => {
      child.kill("SIGTERM");
      return ended;
    };
  });
}

function urlOf({ port }: QueueTarget): string {
  return `http://127.0.0.1:${port}`;
}

function onQueue(run: (target: QueueTarget & { grpc: number }) => Promise<Stats>): Promise<Stats> {
  return inFolder(async (dir) => {
    const service = await startService(dir);
    const target = await newQueue(service);
    const stats = await run({ ...target, grpc: service.ports.grpc });
    await service.stop();
    return stats;
  });
}
