/**
 * A real process is killed while a pool of 200 rules is promoted and rolled back under load: every routing matches
 * exactly one of the two contents.
 */
import { setTimeout as sleep } from "node:timers/promises";
import test from "ava";
import { Random } from "#base";
import { eventually } from "../support/eventually.ts";
import { openStream } from "../support/open-stream.ts";
import { Server } from "./server.ts";

type Message = Record<string, unknown>;

/**
 * `PROMOTIONS=50 PROMOTION_KILLS=10 npx ava test/crash/promotions.test.ts` is the full size (after `npm run build`).
 */
const rounds = Number(process.env.PROMOTIONS ?? 2);
const kills = Number(process.env.PROMOTION_KILLS ?? 1);
const ruleCount = 200;

/**
 * Two rules match every item: only the old content leads to `old-a`, only the new one to `new-b`, and a mixture leads
 * elsewhere.
 */
function contentOf(side: string, half: string) {
  const rules = Array.from({ length: ruleCount - 1 }, (_, n) => ({
    name: `r${n}`,
    order: n + 1,
    condition: `item.attributes.n == ${n}`,
    action: { restrict: { labels: { side } } },
  }));
  const all = { name: "all", order: 0, condition: "true", action: { restrict: { labels: { half } } } };
  return { kind: "routing", content: { routing: { rules: [all, ...rules] } } };
}

/** Calls that fail for another reason than a kill during the call are listed. */
class Load {
  readonly #server: Server;
  readonly #random = new Random(30);
  readonly #running: Promise<void>[] = [];
  readonly failed: string[] = [];
  /** Number of kills so far; `down` from a kill until the next process listens. */
  killed = 0;
  down = false;
  stopped = false;
  routed = 0;
  settled = 0;
  readonly byRecipient = new Map<string, number>();

  constructor(server: Server) {
    this.#server = server;
  }

  start(pool: string, recipients: ReadonlyMap<string, string>): void {
    for (let n = 0; n < 2; n++) this.#running.push(this.#again(() => this.#route(pool, recipients)));
    this.#running.push(this.#again(() => this.#enqueue(pool)));
    for (const name of ["old-a", "new-b"])
      this.#running.push(
        this.#again(() => this.#work(pool, [...recipients].find(([, one]) => one === name)![0])),
      );
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.#running);
  }

  /** Repeats until a running process answers. */
  async persist(method: string, path: string, body?: object, key?: string): Promise<Message> {
    for (;;) {
      const answer = await this.call(method, path, body, key);
      if (answer) return answer;
      if (this.failed.length > 20) throw new Error(this.failed.join("\n"));
      await sleep(50);
    }
  }

  async #again(act: () => Promise<unknown>): Promise<void> {
    while (!this.stopped) {
      await act();
      await sleep(5);
    }
  }

  async #route(pool: string, recipients: ReadonlyMap<string, string>): Promise<void> {
    const n = this.#random.int(ruleCount - 1);
    const answer = await this.call("POST", `/api/pools/${pool}:route`, { key: `k${n}`, attributes: { n } });
    if (!answer) return;
    const { recipient_id, matched_rule_ids } = answer.data as Message;
    const name = recipients.get(recipient_id as string) ?? "nobody";
    this.routed++;
    this.byRecipient.set(name, (this.byRecipient.get(name) ?? 0) + 1);
    if (name !== "old-a" && name !== "new-b") this.failed.push(`item ${n} went to ${name}`);
    if ((matched_rule_ids as string[]).length !== 2)
      this.failed.push(`${matched_rule_ids} matched item ${n}`);
  }

  async #enqueue(pool: string): Promise<void> {
    const n = this.#random.int(ruleCount - 1);
    const item = { key: `q${n}`, attributes: { n }, payload: {} };
    await this.call("POST", `/api/queues/${pool}/items`, item);
    await sleep(20);
  }

  /** One Work stream until it ends. */
  async #work(pool_id: string, recipient_id: string): Promise<void> {
    const before = this.killed;
    const { client, stream } = openStream({ service: this.#server }, "QueueService", "Work");
    const ended = new Promise<Error | undefined>((resolve) => {
      stream.on("error", resolve);
      stream.on("end", () => resolve(undefined));
    });
    stream.on("data", (frame: Message) => {
      const { items = [] } = (frame.assigned ?? {}) as { items?: Message[] };
      const settlements = items.map(({ item, lease_token }) => ({
        queue_item_id: (item as Message).id,
        lease_token,
        outcome: "complete",
      }));
      if (settlements.length > 0) stream.write({ settle: { settlements } });
      if (frame.refused !== undefined) this.failed.push(`Work refused ${JSON.stringify(frame.refused)}`);
      if (frame.settled !== undefined) {
        const { length } = (frame.settled as Message).results as unknown[];
        this.settled += length;
        if (!this.stopped) stream.write({ credit: { items: length } });
      }
    });
    stream.write({ hello: { pool_id, recipient_id, credit: 10 } });
    const watch = setInterval(() => this.stopped && stream.end(), 50);
    const error = await ended;
    clearInterval(watch);
    client.close();
    if (error && !this.#excused(before) && !this.stopped) this.failed.push(`Work ended: ${error.message}`);
  }

  /** The failure of a call that began after this many kills. */
  #excused(killedBefore: number): boolean {
    return this.down || killedBefore !== this.killed;
  }

  async call(method: string, path: string, body?: object, key?: string): Promise<Message | undefined> {
    const before = this.killed;
    try {
      const response = await fetch(`${this.#server.url}${path}`, {
        method,
        headers: {
          ...(body && { "content-type": "application/json" }),
          ...(key !== undefined && { "idempotency-key": key }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      });
      const told = (await response.json()) as Message;
      if (response.ok) return told;
      // A killed process may have begun the operation: its caller asks how far it came.
      if (response.status === 409 && before > 0) return told;
      if (!this.#excused(before))
        this.failed.push(`${method} ${path}: ${response.status} ${JSON.stringify(told)}`);
    } catch (error) {
      if (!this.#excused(before)) this.failed.push(`${method} ${path}: ${(error as Error).message}`);
    }
    return undefined;
  }
}

const guardrails = [{ scope: "target", metric: "dlq_depth", max: 1_000 }];
const steps: readonly (readonly [state: string, path: string, body: object])[] = [
  ["created", "preflight", {}],
  ["preflighted", "guardrails/evaluate", {}],
  ["guarded", "canary/start", { share_bps: 500 }],
  ["canary", "canary/stop", {}],
  ["canary_stopped", "approve", { decision: "approve", reason: "fine", accept_inconclusive: true }],
  ["approved", "promote", {}],
  ["promoted", "rollback", { reason: "the next round" }],
];

test("a pool of 200 rules is promoted and rolled back under routes and Work with kill -9: no call fails for another reason, and each routing matches one content", async (t) => {
  t.timeout(900_000);
  const server = new Server(["promotion.evidence_required=none"]);
  t.teardown(() => server.remove());
  await server.start();
  const load = new Load(server);
  const pool = ((await load.persist("POST", "/api/pools", { name: "p" }, "pool")).data as Message)
    .id as string;
  const recipients = new Map<string, string>();
  for (const name of ["old-a", "old-b", "new-a", "new-b"]) {
    const [side, half] = name.split("-");
    const body = { name, labels: { side, half } };
    const made = await load.persist("POST", `/api/pools/${pool}/recipients`, body, name);
    recipients.set((made.data as Message).id as string, name);
  }
  const versionOf = async (side: string, half: string) => {
    const made = await load.persist("POST", `/api/pools/${pool}/versions`, contentOf(side, half), side);
    return (made.data as Message).version as number;
  };
  const versions = { old: await versionOf("old", "a"), new: await versionOf("new", "b") };
  const rulesNow = async () => {
    const { data } = await load.persist("GET", `/api/pools/${pool}/rules?limit=500`);
    const shown = (data as Message[]).map(({ id, name, condition, action }) => [id, name, condition, action]);
    return JSON.stringify(shown.sort());
  };

  /** Brings a candidate to the state `until`; a call that a kill cut off is sent again. */
  const lead = async (number: number, version: number, until: string) => {
    const artifacts = [{ kind: "routing", id: pool, version }];
    const request = { environment_id: "production", artifacts, guardrails };
    const made = await load.persist("POST", "/api/promotions/candidates", request, `candidate-${number}`);
    const at = `/api/promotions/candidates/${(made.data as Message).id}`;
    for (;;) {
      const { data } = await load.persist("GET", at);
      const { state, operation } = data as Message;
      if (state === until) return;
      const step = steps.find(([from]) => from === state);
      if (operation === undefined && step === undefined) throw new Error(JSON.stringify(data));
      // Sent once: if a kill cut it off, the state tells whether it was applied.
      if (operation === undefined) await load.call("POST", `${at}/${step![1]}`, step![2]);
      else await sleep(20);
    }
  };

  await lead(0, versions.old, "promoted");
  const before = await rulesNow();
  load.start(pool, recipients);
  const random = new Random(200);
  const killer = (async () => {
    while (load.killed < kills) {
      await sleep(300 + random.int(3_000));
      load.down = true;
      await server.kill();
      await server.start();
      load.killed++;
      load.down = false;
    }
  })();
  // Each kill comes in the middle of a round.
  for (let round = 1; round <= rounds || load.killed < kills; round++) {
    await lead(round, versions.new, "rolled_back");
    t.is(await rulesNow(), before, `round ${round}: the rules have their content and ids again`);
  }
  await killer;
  await eventually("items were worked on", () => load.settled > 0 || undefined);
  await load.stop();
  t.deepEqual(load.failed.slice(0, 5), []);
  t.deepEqual([...load.byRecipient.keys()].sort(), ["new-b", "old-a"]);
  t.log(`${rounds} rounds, ${load.killed} kills, ${load.routed} routed, ${load.settled} settled`);
});
