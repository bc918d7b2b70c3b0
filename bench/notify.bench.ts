// How many notifications a second, durable, against BullMQ, a bare HTTP client and a bare mailer?

import Handlebars from "handlebars";
import { createTransport } from "nodemailer";
import { Pool } from "undici";
import { webhookHeaders } from "../actors/notify/outbound/webhook-signature.ts";
import { defineBench, type Stats } from "./support/bench.ts";
import { onBullmq } from "./support/bullmq.ts";
import { cpuSeconds } from "./support/cpu.ts";
import { closedLoop } from "./support/load.ts";
import { memoryOf } from "./support/memory.ts";
import { members, onNotify, payload, secret, template, withReceiver } from "./support/notify.ts";

const inFlight = 64;
const seconds = 6;
const posts = Number(process.env.BENCH_POSTS ?? 20_000);
const mails = Number(process.env.BENCH_MAILS ?? 10_000);
const few = 10_000;
const many = Number(process.env.BENCH_MANY ?? 1_000_000);
const sink = { provider_key: "sink" };

/** What a worker of BullMQ does with a job: the same template. */
const compiled = { subject: Handlebars.compile(template.subject), body: Handlebars.compile(template.body) };
function render(external_id: string): { readonly subject: string; readonly html: string } {
  const data = { subscriber: { external_id }, payload };
  return { subject: compiled.subject(data), html: compiled.body(data) };
}

export default defineBench({
  question: "How many notifications a second, durable, against BullMQ, a bare HTTP client and a bare mailer?",
  needs: ["redis"],
  contenders: {
    trigger: () =>
      onNotify(undefined, async (bench) => {
        await bench.prepare(1_000, sink);
        let next = 0;
        const cpu = cpuSeconds(bench.service.pid);
        const stats = await closedLoop(inFlight, seconds, async () => {
          const { outcomes } = await bench.trigger(bench.subscribers[next++ % 1_000]!);
          if (outcomes[0]?.outcome !== "sent") throw new Error(JSON.stringify(outcomes));
        });
        return { ...stats, cpu_us: ((cpuSeconds(bench.service.pid) - cpu) / next) * 1e6 };
      }),
    bullmq_single: () => bullmqSingle(),
    fan_out: () =>
      onNotify(undefined, async (bench) => {
        await bench.prepare(members, sink);
        await bench.broadcast();
        return bench.broadcast();
      }),
    bullmq_bulk: () => bullmqBulk(),
    webhooks: () =>
      withReceiver("http", (port) => {
        const config = { url: `http://127.0.0.1:${port}/` };
        return onNotify({ provider: "webhook", config, credential: { secret } }, async (bench) => {
          await bench.prepare(posts, { provider_key: "webhook", connection_id: "static:it" });
          return bench.broadcast();
        });
      }),
    bare_undici: () => withReceiver("http", bareUndici),
    mails: () =>
      withReceiver("smtp", (port) => {
        const config = { host: "127.0.0.1", port, security: "none" };
        return onNotify({ provider: "smtp", config }, async (bench) => {
          const metadata = { from: "us@example.com" };
          await bench.prepare(mails, { provider_key: "smtp", connection_id: "static:it", metadata });
          return bench.broadcast();
        });
      }),
    bare_nodemailer: () => withReceiver("smtp", bareNodemailer),
    large_topic: () =>
      onNotify(undefined, async (bench) => {
        await bench.prepare(few, sink);
        await bench.broadcast();
        const { cpu_us: few_cpu_us } = await bench.broadcast();
        const few_mb = memoryOf(bench.service.pid).own;
        await bench.join(many);
        const { cpu_us, per_s } = await bench.broadcast();
        const mb = memoryOf(bench.service.pid).own;
        return { per_s, cpu_us, few_cpu_us, cpu_ratio: cpu_us / few_cpu_us, few_mb, mb };
      }),
    /** Triggers one after the other while a broadcast is being sent. */
    direct_beside: () =>
      onNotify(undefined, async (bench) => {
        await bench.prepare(members, sink);
        const latencies: number[] = [];
        let isOver = false;
        const going = bench.broadcast().finally(() => {
          isOver = true;
        });
        for (let next = 0; !isOver; next++) {
          const begin = performance.now();
          await bench.trigger(bench.subscribers[next % 1_000]!);
          latencies.push(performance.now() - begin);
        }
        await going;
        latencies.sort((a, b) => a - b);
        const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)]!;
        return { direct_p50_ms: at(0.5), direct_p99_ms: at(0.99) };
      }),
  },
  bars: [
    { figure: "per_s", contender: "trigger", against: "bullmq_single", atLeast: 1 },
    { figure: "per_s", contender: "fan_out", against: "bullmq_bulk", atLeast: 1.5 },
    { figure: "per_s", contender: "webhooks", against: "bare_undici", atLeast: 0.4 },
    { figure: "per_s", contender: "mails", against: "bare_nodemailer", atLeast: 0.6 },
    { figure: "cpu_ratio", contender: "large_topic", atMost: 1.3 },
  ],
});

async function bullmqSingle(): Promise<Stats> {
  let completed = 0;
  let waiting = 0;
  let warm = Number.POSITIVE_INFINITY;
  const work = ({ index }: { readonly index?: number }) => {
    render(`user-${index}`);
    waiting--;
    if (performance.now() >= warm) completed++;
  };
  return onBullmq(work, async (queue) => {
    warm = performance.now() + 1_000;
    const until = warm + seconds * 1_000;
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (performance.now() < until) {
          if (waiting > 2_000) await new Promise((resolve) => setTimeout(resolve, 5));
          else {
            waiting++;
            await queue.add("j", { index: waiting, payload });
          }
        }
      }),
    );
    return { per_s: completed / seconds };
  });
}

async function bullmqBulk(): Promise<Stats> {
  let done = 0;
  let ended: () => void = () => {};
  const work = ({ index }: { readonly index?: number }) => {
    render(`user-${index}`);
    if (++done === members) ended();
  };
  return onBullmq(work, async (queue) => {
    const all = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const begin = performance.now();
    for (let from = 0; from < members; from += 1_000)
      await queue.addBulk(
        Array.from({ length: Math.min(1_000, members - from) }, (_, n) => ({
          name: "j",
          data: { index: from + n, payload },
        })),
      );
    await all;
    return { per_s: members / ((performance.now() - begin) / 1_000) };
  });
}

/** Signs and posts, stores nothing. */
async function bareUndici(port: number): Promise<Stats> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: inFlight });
  let next = 0;
  return closedLoop(inFlight, seconds, async () => {
    const id = `${next++}.1`;
    const { subject, html } = render(id);
    const data = { delivery_key: id, channel: "email", to: `${id}@example.com`, subject, html, payload };
    const body = JSON.stringify({ type: "news", timestamp: new Date().toISOString(), data });
    const headers = {
      "content-type": "application/json",
      ...webhookHeaders(secret, { id, now: Date.now(), body }),
    };
    const answer = await pool.request({ method: "POST", path: "/", headers, body });
    await answer.body.dump();
  });
}

async function bareNodemailer(port: number): Promise<Stats> {
  const mailer = createTransport({
    pool: true,
    host: "127.0.0.1",
    port,
    ignoreTLS: true,
    maxConnections: 10,
    maxMessages: Number.POSITIVE_INFINITY,
  });
  let next = 0;
  return closedLoop(inFlight, seconds, async () => {
    const id = `user-${next++}`;
    await mailer.sendMail({ from: "us@example.com", to: `${id}@example.com`, ...render(id), text: "there" });
  });
}
