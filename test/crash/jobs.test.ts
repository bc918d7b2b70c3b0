import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { type RunningService, startDev } from "../process/support.ts";
import { eventually } from "../support/eventually.ts";

/** In the long run: `QUEUE_JOB_ITEMS=100000 QUEUE_JOB_KILLS=10 npx ava --timeout=60m test/crash/jobs.test.ts`. */
const count = Number(process.env.QUEUE_JOB_ITEMS ?? 2_000);
const kills = Number(process.env.QUEUE_JOB_KILLS ?? 2);

type Message = Record<string, unknown>;
type Call = (method: string, path: string, body?: unknown) => Promise<Message>;

interface Job {
  readonly operation_id: string;
  readonly state: string;
  readonly total: number;
  readonly looked_at: number;
  readonly changed: number;
  readonly skipped: number;
}

interface Leased {
  readonly item: { readonly id: string };
  readonly lease_token: string;
}

function caller(service: RunningService): Call {
  return async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${service.ports.http}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    const parsed = (await response.json()) as Message;
    if (response.status >= 300) throw new Error(`${path}: ${JSON.stringify(parsed)}`);
    return parsed;
  };
}

/** A service over one folder, with a pool, that can be killed and started again. */
class Killed {
  readonly #t: ExecutionContext;
  readonly #storage: readonly string[];
  #service: RunningService | undefined;
  call: Call = () => Promise.reject(new Error("not started"));
  poolId = "";
  recipientId = "";

  constructor(t: ExecutionContext) {
    const folder = mkdtempSync(join(tmpdir(), "jobs-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    this.#t = t;
    this.#storage = ["--set", `storage.dir=${folder}/data`];
  }

  async start(): Promise<void> {
    this.#service = await startDev(this.#t, this.#storage);
    this.call = caller(this.#service);
    if (this.poolId !== "") return;
    this.poolId = ((await this.call("POST", "/api/pools", { name: "p" })).data as { id: string }).id;
    const recipient = await this.call("POST", `/api/pools/${this.poolId}/recipients`, { name: "r" });
    this.recipientId = (recipient.data as { id: string }).id;
  }

  async kill(): Promise<void> {
    this.#service!.signal("SIGKILL");
    await this.#service!.ended;
    await this.start();
  }

  get queue(): string {
    return `/api/queues/${this.poolId}`;
  }

  enqueue(items: readonly object[]): Promise<Message> {
    return this.call("POST", `${this.queue}/items:batch`, { items });
  }

  async claim(max_items: number): Promise<readonly Leased[]> {
    const claim = { recipient_id: this.recipientId, max_items };
    const { data } = await this.call("POST", `${this.queue}/items:claim`, claim);
    return (data as { items: readonly Leased[] }).items;
  }

  async job(operationId: string): Promise<Job> {
    return (await this.call("GET", `${this.queue}/jobs/${operationId}`)).data as Job;
  }

  /** Kills it so many times, each after the job has looked at some more items, and waits for its end. */
  async survive({ operation_id, total }: Job): Promise<Job> {
    for (let kill = 1; kill <= kills; kill++) {
      const wanted = Math.floor((kill * total) / (kills + 2));
      const { state } = await eventually("more items are looked at", async () => {
        const job = await this.job(operation_id);
        return job.looked_at >= wanted ? job : undefined;
      });
      this.#t.is(state, "running", `killed in the middle, for the ${kill}. time`);
      await this.kill();
    }
    return eventually("the job ends", async () => {
      const job = await this.job(operation_id);
      return job.state === "running" ? undefined : job;
    });
  }

  async *items(state: string): AsyncGenerator<Message> {
    for (let cursor = ""; ; ) {
      const page = await this.call(
        "GET",
        `${this.queue}/items?states=${state}&limit=1000${cursor && `&cursor=${cursor}`}`,
      );
      yield* page.data as Message[];
      cursor = (page.next_cursor as string | null) ?? "";
      if (cursor === "") return;
    }
  }
}

test("kill -9 in the middle of a retry of all dead letters: each is retried exactly once", async (t) => {
  const service = new Killed(t);
  await service.start();
  for (let made = 0; made < count; made += 100) {
    await service.enqueue(Array.from({ length: 100 }, () => ({})));
    const settlements = (await service.claim(100)).map(({ item, lease_token }) => ({
      queue_item_id: item.id,
      lease_token,
      outcome: "reject",
    }));
    await service.call("POST", `${service.queue}/items:settle`, { settlements });
  }
  const dlq = `/api/dlq/${service.poolId}`;
  t.like((await service.call("GET", `${dlq}/stats`)).data as Message, { depth: count });
  const rate = Math.ceil(count / (2 + kills));
  const job = (await service.call("POST", `${dlq}/retry-all`, { rate })).data as Job;
  t.is(job.total, count);
  t.like(await service.survive(job), {
    state: "completed",
    ...{ total: count, looked_at: count, changed: count, skipped: 0 },
  });
  const retried = (await service.call("GET", `${dlq}/retry-all/${job.operation_id}`)).data as Message;
  t.like(retried, { retried: count, skipped: 0 });
  const seen = new Set<unknown>();
  for await (const { id, retry_count } of service.items("ready")) {
    if (retry_count !== 1) t.fail(`${id} was retried ${retry_count} times`);
    seen.add(id);
  }
  t.is(seen.size, count);
  t.like((await service.call("GET", `${dlq}/stats`)).data as Message, { depth: 0 });
});

test("kill -9 in the middle of a cancellation of all items that match: each is cancelled exactly once, no other", async (t) => {
  const service = new Killed(t);
  await service.start();
  for (let made = 0; made < count; made += 1_000) {
    const many = Math.min(1_000, count - made);
    await service.enqueue(Array.from({ length: many }, (_, i) => ({ attributes: { n: made + i } })));
  }
  const leased = await service.claim(10);
  const filter = "item.attributes.n % 2 == 0";
  const job = (await service.call("POST", `${service.queue}/items:cancel-all`, { filter })).data as Job;
  t.is(job.total, count - leased.length);
  const later = (await service.enqueue([{ attributes: { n: 0 } }])).data as Message;
  // It goes as fast as it can: with few items it may have ended before the first kill.
  const ended = count >= 20_000 ? await service.survive(job) : await killOnce(service, job);
  const even = Math.floor((count + 1) / 2) - leased.filter((_, index) => index % 2 === 0).length;
  t.like(ended, {
    state: "completed",
    ...{ total: count - leased.length, looked_at: count - leased.length, changed: even, skipped: 0 },
  });
  const seen = new Set<unknown>();
  for await (const { id, attributes, record_version } of service.items("cancelled")) {
    const { n } = attributes as { n: number };
    if (n % 2 !== 0 || record_version !== 2) t.fail(`${id}: ${n} at version ${record_version}`);
    seen.add(id);
  }
  t.is(seen.size, even);
  t.is(leased.length, 10, JSON.stringify(later));
});

async function killOnce(service: Killed, job: Job): Promise<Job> {
  await service.kill();
  return eventually("the job ends", async () => {
    const now = await service.job(job.operation_id);
    return now.state === "running" ? undefined : now;
  });
}

test("kill -9 while a caller waits for an item: asked again it is answered", async (t) => {
  const service = new Killed(t);
  await service.start();
  const { results } = (await service.enqueue([{}])).data as { results: { item: { id: string } }[] };
  const path = `${service.queue}/items/${results[0]!.item.id}/await?wait_ms=30000`;
  const lost = service.call("GET", path).then(
    () => "answered",
    () => "lost",
  );
  await service.kill();
  t.is(await lost, "lost");
  const again = service.call("GET", path);
  const [leased] = await service.claim(1);
  await service.call("POST", `${service.queue}/items/${leased!.item.id}/complete`, {
    lease_token: leased!.lease_token,
    result: { a: 1 },
  });
  t.like((await again).data as Message, { reached: true, item: { state: "completed", result: { a: 1 } } });
});
