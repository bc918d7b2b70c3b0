import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "#base";
import { migrateCassandra } from "../../storage/cassandra/index.ts";
import { Workload } from "../crash/workload.ts";
import { startCassandraNodes } from "../support/cassandra.ts";
import { ChaosNode, type Store } from "./chaos-node.ts";

export interface ChaosReport {
  readonly rounds: readonly string[];
  readonly acknowledged: number;
  readonly settled: number;
  /** From each kill -9 to the first write that another node acknowledged for a shard of the dead one. */
  readonly failOverMs: readonly number[];
  readonly broken: readonly string[];
}

export interface ChaosOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly clients?: number;
  /** Longest pause and cut. */
  readonly faultMsMax?: number;
  readonly log?: (line: string) => void;
}

type Cassandra = Awaited<ReturnType<typeof startCassandraNodes>>;

/** Three nodes on one Cassandra, clients on all of them, and a fault in every round; then what clients were told is held against what is there. */
export async function clusterChaos(options: ChaosOptions): Promise<ChaosReport> {
  const cassandra = await startCassandraNodes();
  try {
    const wanted = cassandra.settings("chaos");
    await migrateCassandra(wanted);
    const store: Store = {
      settings: [
        "storage.engine=cassandra",
        `storage.cassandra.contact_points=${wanted.contactPoints.join(",")}`,
        `storage.cassandra.keyspace=${wanted.keyspace}`,
        `storage.cassandra.local_data_center=${wanted.localDataCenter}`,
        `storage.cassandra.replication_factor=${wanted.replicationFactor}`,
      ],
      node: { host: cassandra.nodes[0]!.configuration.address, port: cassandra.port },
    };
    return await new Chaos(options, cassandra, store).run();
  } finally {
    await cassandra.stop();
  }
}

class Chaos {
  readonly #options: ChaosOptions;
  readonly #cassandra: Cassandra;
  readonly #store: Store;
  readonly #random: Random;
  readonly #nodes: ChaosNode[] = [];
  readonly #rounds: string[] = [];
  readonly #failOverMs: number[] = [];
  #names = 0;

  constructor(options: ChaosOptions, cassandra: Cassandra, store: Store) {
    this.#options = options;
    this.#cassandra = cassandra;
    this.#store = store;
    this.#random = new Random(options.seed);
  }

  async run(): Promise<ChaosReport> {
    try {
      for (let node = 0; node < 3; node++) await this.#add();
      const workload = new Workload(this);
      await workload.start(this.#options.clients ?? 8);
      for (let round = 0; round < this.#options.rounds; round++) {
        await this.#round(round);
        await sleep(500);
      }
      await sleep(1_000);
      await workload.stop();
      const broken = await workload.check();
      const { acknowledged, settled } = workload;
      return { rounds: this.#rounds, acknowledged, settled, failOverMs: this.#failOverMs, broken };
    } finally {
      await Promise.all(this.#nodes.map((node) => node.remove()));
    }
  }

  /** Where a client sends its next request: any node that runs, also one that is cut off or stands still. */
  get url(): string {
    return this.#random.pick(this.#nodes.filter(({ state }) => state === "up")).server.url;
  }

  /** Every kind of fault comes up before one comes again. */
  async #round(round: number): Promise<void> {
    const faults = this.#faults();
    const [name, act] = faults[round % faults.length]!;
    const began = performance.now();
    const victim = this.#random.pick(this.#nodes);
    await act(victim, this.#random.int(this.#options.faultMsMax ?? 3_000) + 2_500);
    const line = `${round + 1}: ${name} ${victim.id}, ${((performance.now() - began) / 1_000).toFixed(1)} s`;
    this.#rounds.push(line);
    this.#options.log?.(line);
  }

  #faults(): [string, (node: ChaosNode, forMs: number) => Promise<unknown>][] {
    const [cassandra] = this.#cassandra.nodes;
    return [
      ["kill -9", (node) => this.#kill(node)],
      ["SIGSTOP and SIGCONT", (node, forMs) => node.pause(forMs)],
      ["requests to the store held back", (node, forMs) => node.cut("store", false, forMs)],
      ["answers of the store lost", (node, forMs) => node.cut("store", true, forMs)],
      ["links held back", (_, forMs) => this.#last.cut("links", false, forMs)],
      ["links lost one way", (_, forMs) => this.#last.cut("links", true, forMs)],
      ["kill -9", (node) => this.#kill(node)],
      [
        "Cassandra paused",
        async (_, forMs) => {
          cassandra!.pause();
          await sleep(forMs);
          cassandra!.resume();
        },
      ],
      ["two join while one leaves", (node) => this.#exchange(node)],
      [
        "cut off from all",
        (_, forMs) =>
          Promise.all([this.#last.cut("store", true, forMs), this.#last.cut("links", false, forMs)]),
      ],
    ];
  }

  /** The node with the largest name is the one that all others open their links to. */
  get #last(): ChaosNode {
    return [...this.#nodes].sort((a, b) => (a.id < b.id ? 1 : -1))[0]!;
  }

  async #kill(node: ChaosNode): Promise<void> {
    await node.kill();
    const began = performance.now();
    const [, ...unkeyed] = await Promise.all([
      sleep(3_000),
      ...this.#nodes
        .filter((other) => other !== node)
        .map((other) => untilWritable(other, `kill-${this.#names++}-${this.#options.seed}`)),
    ]);
    if (unkeyed.length > 0) this.#failOverMs.push(Math.max(...unkeyed.map((atMs) => atMs - began)));
    await node.start();
  }

  async #exchange(node: ChaosNode): Promise<void> {
    const code = await Promise.all([this.#add(), this.#add(), node.terminate()]).then((all) => all[2]);
    if (code !== 0) throw new Error(`${node.id} ended with ${code}: ${node.server.log.slice(-2_000)}`);
    this.#nodes.splice(this.#nodes.indexOf(node), 1);
    await node.remove();
    const extra = this.#nodes[0]!;
    await extra.terminate();
    this.#nodes.splice(0, 1);
    await extra.remove();
  }

  async #add(): Promise<void> {
    const skewMs = this.#random.int(40_000) - 20_000;
    const node = await ChaosNode.make(`n${String(this.#names++).padStart(3, "0")}`, this.#store, skewMs);
    this.#nodes.push(node);
    await node.start();
  }
}

/** Makes a pool for each of some keys, which live in different shards; when the last is there all of them have owners again. */
async function untilWritable({ server }: ChaosNode, key: string): Promise<number> {
  for (let pool = 0; pool < 8; pool++)
    for (;;) {
      const status = await fetch(`${server.url}/api/pools`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": `${key}-${pool}` },
        body: JSON.stringify({ name: `${key}-${pool}` }),
        signal: AbortSignal.timeout(20_000),
      }).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 201) break;
      await sleep(20);
    }
  return performance.now();
}
