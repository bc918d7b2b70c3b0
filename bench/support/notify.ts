import { fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { devTenantId } from "#base";
import { cpuSeconds } from "./cpu.ts";
import { inFolder } from "./folder.ts";
import { type BenchService, startService } from "./service.ts";

/** The template of every message, here and in the worker of BullMQ. */
export const template = {
  subject: "News for {{ subscriber.external_id }}",
  body: "<p>Hello {{ subscriber.external_id }}, {{#each payload.lines}}<b>{{ this }}</b> {{/each}}</p>",
};
export const payload = { lines: ["one", "two", "three", "four"] };
export const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
export const members = Number(process.env.BENCH_MEMBERS ?? 100_000);

const batch = 1_000;

/** A service with subscribers in a topic, and the API as its clients call it. */
class NotifyBench {
  readonly service: BenchService;
  readonly subscribers: string[] = [];
  readonly #pool: Pool;

  constructor(service: BenchService) {
    this.service = service;
    this.#pool = new Pool(`http://127.0.0.1:${service.ports.http}`, { connections: 64, bodyTimeout: 0 });
  }

  async call<Answer>(method: "GET" | "POST" | "PUT", path: string, body?: object): Promise<Answer> {
    const answer = await this.#pool.request({
      method,
      path: `/api/v2/${path}`,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const read = (await answer.body.json()) as { data: Answer };
    if (answer.statusCode >= 300) throw new Error(`${path}: ${JSON.stringify(read)}`);
    return read.data;
  }

  async prepare(count: number, integration: object): Promise<void> {
    await this.call("POST", "notification/integrations", { channel: "email", name: "i", ...integration });
    const channels = { email: { engine: "handlebars", ...template } };
    await this.call("PUT", "notification/workflows/news", { channels });
    await this.call("POST", "notification/topics", { key: "all", name: "all" });
    await this.join(count);
  }

  /** Waits until the topic has this many members. */
  async join(count: number): Promise<void> {
    while (this.subscribers.length < count) {
      const from = this.subscribers.length;
      const subscribers = Array.from({ length: Math.min(batch, count - from) }, (_, n) => ({
        external_id: `user-${from + n}`,
        email: `user-${from + n}@example.com`,
      }));
      const { results } = await this.call<{ results: { subscriber: { id: string } }[] }>(
        "POST",
        "notification/subscribers:batch",
        { subscribers },
      );
      const ids = results.map(({ subscriber }) => subscriber.id);
      await this.call("POST", "notification/topics/all/subscribers", { subscriber_ids: ids });
      this.subscribers.push(...ids);
    }
  }

  /** Broadcasts to the topic until all messages are sent: messages per second, and the processor time of one. */
  async broadcast(): Promise<{ per_s: number; cpu_us: number }> {
    const cpu = cpuSeconds(this.service.pid);
    const begin = performance.now();
    const body = { workflow_key: "news", topic: "all", payload };
    const { transaction_id } = await this.call<{ transaction_id: string }>(
      "POST",
      "notifications/trigger",
      body,
    );
    for (;;) {
      const path = `notifications/broadcasts/${transaction_id}`;
      const { state, sent } = await this.call<{ state: string; sent: number }>("GET", path);
      if (state === "completed") {
        const seconds = (performance.now() - begin) / 1_000;
        return { per_s: sent / seconds, cpu_us: ((cpuSeconds(this.service.pid) - cpu) / sent) * 1e6 };
      }
      if (state === "completed_with_failures") throw new Error(`only ${sent} were sent`);
      await sleep(50);
    }
  }

  trigger(subscriber_id: string): Promise<{ outcomes: readonly { outcome: string }[] }> {
    const body = { workflow_key: "news", subscriber_id, channels: ["email"], payload };
    return this.call("POST", "notifications/trigger", body);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

interface Connected {
  readonly provider: string;
  readonly config: object;
  readonly credential?: object;
}

export function onNotify<Result>(
  connection: Connected | undefined,
  run: (bench: NotifyBench) => Promise<Result>,
): Promise<Result> {
  return inFolder(async (dir) => {
    const file = join(dir, "connections.yaml");
    writeFileSync(file, JSON.stringify({ tenants: { [devTenantId]: connection ? { it: connection } : {} } }));
    const service = await startService(dir, [`notification.connections_file=${file}`]);
    const bench = new NotifyBench(service);
    try {
      return await run(bench);
    } finally {
      await bench.close();
      await service.stop();
    }
  });
}

/** A server in its own process that accepts every webhook or mail. */
export async function withReceiver<Result>(
  kind: "http" | "smtp",
  run: (port: number) => Promise<Result>,
): Promise<Result> {
  const child = fork(fileURLToPath(new URL("./receiver.ts", import.meta.url)), [kind]);
  const port = await new Promise<number>((resolve) =>
    child.once("message", (told) => resolve(told as number)),
  );
  try {
    return await run(port);
  } finally {
    child.kill("SIGKILL");
  }
}
