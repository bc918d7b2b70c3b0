import { setTimeout as sleep } from "node:timers/promises";
import type { LivePool, QueueStatus } from "#sdk";
import type { Given } from "../command.ts";
import { CliError, exitCodes, misunderstood } from "../error.ts";
import { table } from "../table.ts";
import { redrawn, type Terminal } from "../terminal.ts";
import { Client } from "./client.ts";

const columns = [
  "name",
  "depth",
  "leased",
  "held",
  "dead",
  "in/s",
  "done/s",
  "failed/s",
  "wait_s",
  "oldest_s",
  "note",
];

/** Of one watch. */
const poolsMax = 50;
/** Queues that are not watched may have become the longest ones: all are listed again after this time. */
const listMs = 15_000;
const restMs = 1_000;

/** `service top`: the queues with most items, as their figures change; without a terminal once. */
export async function top(given: Given, terminal: Terminal): Promise<number> {
  const seconds = numberOf(given, "interval", 2, 1, 60);
  const limit = numberOf(given, "limit", 20, 1, poolsMax);
  const client = await Client.of(given, terminal);
  const screen = new Screen(client.server.url, limit, terminal);
  for (;;)
    try {
      const queues = await client.call<readonly QueueStatus[]>("QueueControlService.ListQueues", {});
      screen.list(queues);
      if (terminal.isTerminal !== true && screen.poolIds.length === 0) return exitCodes.done;
      for await (const { pools } of changes(client, screen, seconds * 1_000)) {
        screen.take(pools?.pools ?? []);
        if (terminal.isTerminal !== true) return exitCodes.done;
      }
    } catch (error) {
      const isAway = error instanceof CliError && error.exitCode === exitCodes.noAnswer;
      if (!isAway || !screen.hasShown || terminal.isTerminal !== true) throw error;
      screen.lost(error.message);
      await sleep(restMs);
    }
}

function numberOf({ flags }: Given, flag: string, usual: number, min: number, max: number): number {
  const { [flag]: given = usual } = flags;
  const value = Number(given);
  if (!(value >= min && value <= max))
    throw misunderstood(`--${flag} ${given} is not a number from ${min} to ${max}`);
  return value;
}

interface Change {
  readonly pools?: { readonly pools?: readonly LivePool[] };
}

/** Until it is time to list the queues again. */
async function* changes(client: Client, screen: Screen, interval_ms: number): AsyncGenerator<Change> {
  const { poolIds: pool_ids } = screen;
  const signal = AbortSignal.timeout(listMs);
  if (pool_ids.length === 0) await sleep(restMs);
  else {
    const how = { signal, onLost: (message: string) => screen.lost(message) };
    yield* client.events("LiveService.WatchPools", { pool_ids, interval_ms }, how) as AsyncIterable<Change>;
  }
}

/** The queues as they were heard of last. */
class Screen {
  readonly #url: string;
  readonly #limit: number;
  readonly #terminal: Terminal;
  #count = 0;
  #pools = new Map<string, LivePool>();
  hasShown = false;

  constructor(url: string, limit: number, terminal: Terminal) {
    this.#url = url;
    this.#limit = limit;
    this.#terminal = terminal;
  }

  get poolIds(): readonly string[] {
    return [...this.#pools.keys()];
  }

  list(queues: readonly QueueStatus[]): void {
    this.#count = queues.length;
    const longest = [...queues].sort((a, b) => b.depth - a.depth).slice(0, poolsMax);
    const before = this.#pools;
    this.#pools = new Map(
      longest.map((queue) => [
        queue.pool_id,
        { recipients: [], ...before.get(queue.pool_id), pool_id: queue.pool_id, queue },
      ]),
    );
    if (longest.length === 0)
      this.#show("There are no queues. `service pools create NAME` makes a pool, which has one.\n");
  }

  take(pools: readonly LivePool[]): void {
    for (const pool of pools) {
      const { queue } = this.#pools.get(pool.pool_id) ?? {};
      this.#pools.set(pool.pool_id, { ...(queue && { queue }), ...pool });
    }
    this.#show(this.#table());
  }

  lost(message: string): void {
    if (this.#terminal.isTerminal === true) this.#show(`${this.#table()}\n${message}; trying again\n`);
    else this.#terminal.err(`${message}; trying again\n`);
  }

  #table(): string {
    const rows = [...this.#pools.values()].map(rowOf).sort((a, b) => b.depth - a.depth);
    const waiting = rows.reduce((sum, { depth }) => sum + depth, 0);
    const of = rows.length < this.#count ? ` in the ${rows.length} longest` : "";
    const time = new Date().toISOString().slice(11, 19);
    const head = `${this.#url}  ${counted(this.#count, "queue")}, ${counted(waiting, "item")} waiting${of}  ${time} UTC\n\n`;
    return head + table(columns, rows.slice(0, this.#limit));
  }

  #show(text: string): void {
    this.hasShown = true;
    this.#terminal.out(this.#terminal.isTerminal ? redrawn(text) : text);
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function rowOf({ pool_id, queue, rates, error }: LivePool) {
  const paused = queue?.paused ? `paused ${queue.pause_reason ?? ""}`.trim() : "";
  return {
    name: queue?.name ?? pool_id,
    depth: queue?.depth ?? 0,
    leased: queue?.leased ?? 0,
    held: queue?.held ?? 0,
    dead: queue?.dlq_depth ?? 0,
    "in/s": rates?.enqueued,
    "done/s": rates?.completed,
    "failed/s": rates?.failed,
    wait_s: queue?.average_wait_seconds ?? 0,
    oldest_s: queue?.oldest_item_age_seconds ?? 0,
    note: error === undefined ? paused : `no figures: ${error.error_code}`,
  };
}
