/**
 * Separate hosts on one machine: a network namespace each, with one link to the other hosts and to clients (the LAN)
 * and one to the store. A cut drops packets silently, in one direction or both: the sender gets a wrong hardware
 * address for the receiver. Needs root and `ip` (iproute2).
 */
import { execFileSync } from "node:child_process";

export type Direction = "both" | "sending" | "receiving";

/** No interface has this address: what is sent to it is lost. */
const nowhere = "02:00:00:00:00:01";

export class Network {
  readonly #prefix = `10.${64 + (process.pid % 128)}`;
  readonly #lan = `swl${process.pid}`;
  readonly #store = `sws${process.pid}`;
  readonly #hosts: Host[] = [];
  /**
   * Counts over all networks: the kernel takes its time to remove a link, and the next network must not use its name.
   */
  static #made = 0;

  constructor() {
    this.#remove();
    ip([
      `link add ${this.#lan} type bridge`,
      `link add ${this.#store} type bridge`,
      `addr add ${this.#prefix}.1.1/24 dev ${this.#lan}`,
      `addr add ${this.storeAddress}/24 dev ${this.#store}`,
      `link set ${this.#lan} up`,
      `link set ${this.#store} up`,
    ]);
  }

  /** The address of the store. */
  get storeAddress(): string {
    return `${this.#prefix}.2.1`;
  }

  /** LAN addresses of the present hosts and of those to come. */
  get addresses(): string[] {
    return Array.from({ length: hostsMax }, (_, at) => `${this.#prefix}.1.${at + 2}`);
  }

  add(): Host {
    const number = Network.#made++ % hostsMax;
    const name = `switchyard-${process.pid}-${number}`;
    const [lan, store] = [`${this.#lan}-${number}`, `${this.#store}-${number}`];
    const address = `${this.#prefix}.1.${number + 2}`;
    const storeSide = `${this.#prefix}.2.${number + 2}`;
    ip([
      `netns add ${name}`,
      `link add ${lan} type veth peer name lan netns ${name}`,
      `link add ${store} type veth peer name store netns ${name}`,
      `link set ${lan} master ${this.#lan} up`,
      `link set ${store} master ${this.#store} up`,
    ]);
    ip(
      [
        `addr add ${address}/24 dev lan`,
        `addr add ${storeSide}/24 dev store`,
        "link set lo up",
        "link set lan up",
        "link set store up",
      ],
      name,
    );
    const command = ["ip", "netns", "exec", name];
    const host: Host = { name, address, storeSide, wires: [lan, store], command };
    this.#hosts.push(host);
    return host;
  }

  /** Drops what the host and the store send to each other. */
  cutFromStore(host: Host, direction: Direction): void {
    if (direction !== "receiving") lose(this.storeAddress, "store", host.name);
    if (direction !== "sending") lose(host.storeSide, this.#store);
  }

  /** Drops what the host and the other hosts send to each other; clients still reach it. */
  cutFromPeers(host: Host, direction: Direction): void {
    for (const peer of this.#hosts) {
      if (peer === host) continue;
      if (direction !== "receiving") lose(peer.address, "lan", host.name);
      if (direction !== "sending") lose(host.address, "lan", peer.name);
    }
  }

  heal(): void {
    ip([`neigh flush dev ${this.#store} nud permanent`]);
    for (const { name } of this.#hosts)
      ip(["neigh flush dev lan nud permanent", "neigh flush dev store nud permanent"], name);
  }

  remove(host: Host): void {
    this.#hosts.splice(this.#hosts.indexOf(host), 1);
    // They would be removed with the namespace, but not at once.
    ip([...host.wires.map((wire) => `link del ${wire}`), `netns del ${host.name}`]);
  }

  close(): void {
    for (const host of [...this.#hosts]) this.remove(host);
    this.#remove();
  }

  #remove(): void {
    for (const bridge of [this.#lan, this.#store])
      try {
        ip([`link del ${bridge}`]);
      } catch {
        // It does not exist.
      }
  }
}

export interface Host {
  readonly name: string;
  /** Address in the LAN. */
  readonly address: string;
  /** Address on the link to the store. */
  readonly storeSide: string;
  /** This machine's ends of the links. */
  readonly wires: readonly string[];
  /** The beginning of the command line of a process on this host. */
  readonly command: readonly string[];
}

const hostsMax = 100;

function lose(address: string, device: string, namespace?: string): void {
  ip([`neigh replace ${address} lladdr ${nowhere} dev ${device} nud permanent`], namespace);
}

function ip(lines: readonly string[], namespace?: string): void {
  const inside = namespace === undefined ? [] : ["-n", namespace];
  execFileSync("ip", [...inside, "-batch", "-"], { input: `${lines.join("\n")}\n`, stdio: "pipe" });
}
