import { setTimeout as sleep } from "node:timers/promises";
import { limits, Random } from "#base";
import { migrateCassandra } from "../../storage/cassandra/index.ts";
import { Workload } from "../crash/workload.ts";
import { startCassandraNodes } from "../support/cassandra.ts";
import { Authority } from "../support/certificates.ts";
import { type Direction, Network } from "../support/network.ts";
import { ChaosNode, type Side, type Surroundings } from "./chaos-node.ts";

export interface ChaosReport {
  readonly rounds: readonly string[];
  readonly acknowledged: number;
  readonly settled: number;
  /** From each kill -9 to the first write in a shard of the killed node that another node acknowledged. */
  readonly failOverMs: readonly number[];
  readonly broken: readonly string[];
}

export interface ChaosOptions {
  readonly rounds: number;
  readonly seed: number;
  /** The kind of fault of the first round; the others follow in order. */
  readonly firstFault?: number;
  /** True: the wall clocks of nodes are right. Otherwise each is wrong by up to 20 s. */
  readonly hasRightClocks?: boolean;
  /**
   * Number of Cassandra nodes, each with all rows; 1 by default. Service nodes reach the first directly and the others
   * through it.
   */
  readonly stores?: 1 | 2 | 3;
  /** The longest pause and the longest cut. */
  readonly faultMsMax?: number;
  readonly log?: (line: string) => void;
}

const clients = 8;
/** Long enough for a node to be suspected. */
const faultMsMin = 2_500;

type Fault = readonly [name: string, act: (node: ChaosNode, forMs: number) => Promise<unknown>];
type Cassandra = Awaited<ReturnType<typeof startCassandraNodes>>;

/**
 * Three nodes on Cassandra, clients on all of them, and a fault in every round. Afterwards the answers that clients got
 * are compared with what is stored.
 */
export async function clusterChaos(options: ChaosOptions): Promise<ChaosReport> {
  const cassandra = await startCassandraNodes({ nodes: options.stores ?? 1 });
  const network = new Network();
  const authority = new Authority();
  try {
    const wanted = cassandra.settings("chaos");
    await migrateCassandra(wanted);
    const names = network.addresses.map((address) => `IP:${address}`).join(",");
    const { certFile, keyFile } = authority.issue("node", names);
    const surroundings: Surroundings = {
      settings: [
        "storage.engine=cassandra",
        `storage.cassandra.keyspace=${wanted.keyspace}`,
        `storage.cassandra.local_data_center=${wanted.localDataCenter}`,
        `storage.cassandra.replication_factor=${wanted.replicationFactor}`,
        // Nodes on different hosts need certificates for each other.
        "server.internal_require_mtls=true",
        `server.internal_tls_ca_file=${authority.caFile}`,
        `server.internal_tls_cert_file=${certFile}`,
        `server.internal_tls_key_file=${keyFile}`,
      ],
      store: { host: cassandra.nodes[0]!.configuration.address, port: cassandra.port },
      network,
    };
    return await new Chaos(options, cassandra, surroundings).run();
  } finally {
    authority.remove();
    network.close();
    await cassandra.stop();
  }
}

class Chaos {
  readonly #options: ChaosOptions;
  readonly #cassandra: Cassandra;
  readonly #surroundings: Surroundings;
  readonly #random: Random;
  readonly #nodes: ChaosNode[] = [];
  readonly #rounds: string[] = [];
  readonly #failOverMs: number[] = [];
  #names = 0;

  constructor(options: ChaosOptions, cassandra: Cassandra, surroundings: Surroundings) {
    this.#options = options;
    this.#cassandra = cassandra;
    this.#surroundings = surroundings;
    this.#random = new Random(options.seed);
  }

  async run(): Promise<ChaosReport> {
    try {
      for (let node = 0; node < 3; node++) await this.#add();
      const workload = new Workload(this, { hasRightClocks: this.#options.hasRightClocks ?? false });
      await workload.start(clients);
      for (let round = 0; round < this.#options.rounds; round++) {
        await this.#round(round);
        await sleep(500);
      }
      await sleep(1_000);
      await workload.stop();
      // An owner that was replaced and has not noticed answers reads no longer than this.
      await sleep(limits.ownershipProvenMs);
      const broken = await workload.check();
      const { acknowledged, settled } = workload;
      return { rounds: this.#rounds, acknowledged, settled, failOverMs: this.#failOverMs, broken };
    } finally {
      await Promise.all(this.#nodes.map((node) => node.remove()));
    }
  }

  /** The node for a client's next request: any that runs, including one that is cut off or stopped. */
  get url(): string {
    return this.#random.pick(this.#nodes.filter(({ state }) => state === "up")).server.url;
  }

  /** Every kind of fault occurs once before any occurs again. */
  async #round(round: number): Promise<void> {
    const faults = this.#faults();
    const [name, act] = faults[((this.#options.firstFault ?? 0) + round) % faults.length]!;
    const began = performance.now();
    const victim = this.#random.pick(this.#nodes);
    await act(victim, faultMsMin + this.#random.int((this.#options.faultMsMax ?? 5_500) - faultMsMin));
    const line = `${round + 1}: ${name} ${victim.id}, ${((performance.now() - began) / 1_000).toFixed(1)} s`;
    this.#rounds.push(line);
    this.#options.log?.(line);
  }

  #faults(): Fault[] {
    return [
      ["kill -9", (node) => this.#kill(node)],
      ["SIGSTOP and SIGCONT", (node, forMs) => node.pause(forMs)],
      ["requests to the store held back", (node, forMs) => node.delayRequests(forMs)],
      ["answers of the store lost", (node, forMs) => node.loseAnswers(forMs)],
      cut("store", "both"),
      cut("peers", "both"),
      cut("all", "both"),
      ["two join while one leaves", (node) => this.#exchange(node)],
      cut("peers", "sending"),
      cut("peers", "receiving"),
      ["kill -9", (node) => this.#kill(node)],
      ["Cassandra paused", (_, forMs) => this.#pauseStore(forMs)],
      cut("store", "sending"),
      cut("store", "receiving"),
      ["Cassandra killed and restarted", () => this.#restartStore()],
      cut("all", "sending"),
      cut("all", "receiving"),
      ["kill -9 of a node while another is cut off from its peers", (node, forMs) => this.#both(node, forMs)],
    ];
  }

  async #pauseStore(forMs: number): Promise<void> {
    const store = this.#random.pick(this.#cassandra.nodes);
    store.pause();
    await sleep(forMs);
    store.resume();
  }

  async #restartStore(): Promise<void> {
    const store = this.#random.pick(this.#cassandra.nodes);
    await store.kill();
    await store.start();
  }

  async #both(node: ChaosNode, forMs: number): Promise<void> {
    const other = this.#nodes.find((one) => one !== node)!;
    await Promise.all([other.cut("peers", "both", forMs), node.kill()]);
    await node.start();
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
    const skewMs = this.#options.hasRightClocks ? 0 : this.#random.int(40_000) - 20_000;
    const node = await ChaosNode.make(
      `n${String(this.#names++).padStart(3, "0")}`,
      this.#surroundings,
      skewMs,
    );
    this.#nodes.push(node);
    await node.start();
  }
}

function cut(from: Side, direction: Direction): Fault {
  const who = { store: "the store", peers: "its peers", all: "the store and its peers" }[from];
  const how = { both: "both ways", sending: "sending only", receiving: "receiving only" }[direction];
  return [`cut off from ${who}, ${how}:`, (node, forMs) => node.cut(from, direction, forMs)];
}

/**
 * Creates a pool for each of some keys, in different shards; when the last one exists, all shards have owners again.
 */
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
