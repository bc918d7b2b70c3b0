import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "../crash/server.ts";
import { freePort } from "../support/free-port.ts";
import { type Proxy as FaultProxy, startProxy } from "../support/proxy.ts";

export interface Store {
  readonly settings: readonly string[];
  readonly node: { readonly host: string; readonly port: number };
}

/** A service process with a proxy before the store and one before its links, to be cut off from either. */
export class ChaosNode {
  readonly id: string;
  readonly server: Server;
  readonly #store: FaultProxy;
  readonly #links: FaultProxy;
  state: "up" | "down" = "down";

  private constructor(id: string, server: Server, store: FaultProxy, links: FaultProxy) {
    this.id = id;
    this.server = server;
    this.#store = store;
    this.#links = links;
  }

  static async make(id: string, { settings, node }: Store, skewMs: number): Promise<ChaosNode> {
    const store = await startProxy(node);
    const port = await freePort();
    const links = await startProxy({ host: "127.0.0.1", port });
    const server = new Server(
      [
        ...settings.filter((setting) => !setting.includes("contact_points")),
        `storage.cassandra.contact_points=127.0.0.1:${store.port}`,
        `cluster.node_id=${id}`,
        `server.internal_addr=127.0.0.1:${port}`,
        `cluster.advertise_addr=127.0.0.1:${links.port}`,
        "server.workers=1",
        "api.max_request_body_size=1MiB",
      ],
      false,
      {
        TEST_CLOCK_SKEW_MS: String(skewMs),
        NODE_OPTIONS: `--import=${new URL("./skew.mjs", import.meta.url).href}`,
      },
    );
    return new ChaosNode(id, server, store, links);
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

  /** The process stands still and does not know it. */
  async pause(forMs: number): Promise<void> {
    process.kill(this.server.pid, "SIGSTOP");
    await sleep(forMs);
    process.kill(this.server.pid, "SIGCONT");
  }

  /** What this node says is kept back and arrives late, or what it is told is lost. */
  async cut(what: "store" | "links", isOneWay: boolean, forMs: number): Promise<void> {
    const proxy = what === "store" ? this.#store : this.#links;
    if (isOneWay) proxy.loseAnswers();
    else proxy.holdRequests();
    await sleep(forMs);
    if (isOneWay) proxy.cutClients();
    else proxy.release();
    proxy.pass();
  }

  async remove(): Promise<void> {
    this.state = "down";
    await this.server.remove();
    await this.#store.close();
    await this.#links.close();
  }
}
