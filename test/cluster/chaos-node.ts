import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "../crash/server.ts";
import { freePort } from "../support/free-port.ts";
import type { Direction, Host, Network } from "../support/network.ts";
import { type Proxy as FaultProxy, startProxy } from "../support/proxy.ts";

export interface Surroundings {
  readonly settings: readonly string[];
  readonly store: { readonly host: string; readonly port: number };
  readonly network: Network;
}

/** What a node is cut off from. */
export type Side = "store" | "peers" | "all";

/** A service process on its own host, with a proxy before the store that delays requests or drops answers. */
export class ChaosNode {
  readonly id: string;
  readonly server: Server;
  readonly #host: Host;
  readonly #network: Network;
  readonly #store: FaultProxy;
  state: "up" | "down" = "down";

  private constructor(id: string, server: Server, host: Host, network: Network, store: FaultProxy) {
    this.id = id;
    this.server = server;
    this.#host = host;
    this.#network = network;
    this.#store = store;
  }

  static async make(
    id: string,
    { settings, store, network }: Surroundings,
    skewMs: number,
  ): Promise<ChaosNode> {
    const host = network.add();
    const proxy = await startProxy(store, network.storeAddress);
    const server = new Server(
      [
        ...settings,
        `storage.cassandra.contact_points=${network.storeAddress}:${proxy.port}`,
        `cluster.node_id=${id}`,
        `server.http_addr=${host.address}:0`,
        `api.allowed_hosts=${host.address}`,
        `server.internal_addr=${host.address}:${await freePort()}`,
        "server.workers=1",
        "api.max_request_body_size=1MiB",
      ],
      false,
      {
        TEST_CLOCK_SKEW_MS: String(skewMs),
        NODE_OPTIONS: `--import=${new URL("./skew.mjs", import.meta.url).href}`,
      },
      host,
    );
    return new ChaosNode(id, server, host, network, proxy);
  }

  async start(): Promise<void> {
    await this.server.start();
    this.state = "up";
  }

  async kill(): Promise<void> {
    this.state = "down";
    await this.server.kill();
  }

  async terminate(): Promise<number | null> {
    this.state = "down";
    return await this.server.terminate();
  }

  /** The process is stopped (SIGSTOP) and does not notice it. */
  async pause(forMs: number): Promise<void> {
    process.kill(this.server.pid, "SIGSTOP");
    await sleep(forMs);
    process.kill(this.server.pid, "SIGCONT");
  }

  /** Packets are lost; both ends send them again afterwards. */
  async cut(from: Side, direction: Direction, forMs: number): Promise<void> {
    if (from !== "peers") this.#network.cutFromStore(this.#host, direction);
    if (from !== "store") this.#network.cutFromPeers(this.#host, direction);
    await sleep(forMs);
    this.#network.heal();
  }

  /** Requests of this node to the store are held back and arrive late. */
  async delayRequests(forMs: number): Promise<void> {
    this.#store.holdRequests();
    await sleep(forMs);
    this.#store.release();
    this.#store.pass();
  }

  /** The store executes requests, and its answers never arrive. */
  async loseAnswers(forMs: number): Promise<void> {
    this.#store.loseAnswers();
    await sleep(forMs);
    this.#store.cutClients();
    this.#store.pass();
  }

  async remove(): Promise<void> {
    this.state = "down";
    await this.server.remove();
    await this.#store.close();
    this.#network.remove(this.#host);
  }
}
