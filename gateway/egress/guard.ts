import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { OutgoingError } from "#actors";
import { isForbiddenAddress, isOwnAddress, isPrivateAddress, Networks } from "./ranges.ts";

export interface GuardSettings {
  readonly mode: "shadow" | "enforce" | "disabled";
  readonly allowedDomains: readonly string[];
  readonly allowedNetworks: readonly string[];
}

export interface GuardParts {
  /** On which this service listens. */
  readonly ownPorts?: ReadonlySet<number>;
  /** Addresses of a name, as the system resolves it. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Told of every connection that is not allowed, refused or not. */
  readonly denied?: (denied: {
    readonly host: string;
    readonly address: string;
    readonly refused: boolean;
  }) => void;
}

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Decides which address an outgoing connection may take: a name is resolved once, and what was checked is connected to. */
export class EgressGuard {
  readonly #settings: GuardSettings;
  readonly #networks: Networks;
  readonly #ownPorts: ReadonlySet<number>;
  readonly #resolve: NonNullable<GuardParts["resolve"]>;
  readonly #denied: NonNullable<GuardParts["denied"]>;

  constructor(settings: GuardSettings, parts: GuardParts = {}) {
    this.#settings = settings;
    this.#networks = new Networks(settings.allowedNetworks);
    this.#ownPorts = parts.ownPorts ?? new Set();
    this.#resolve = parts.resolve ?? systemAddresses;
    this.#denied = parts.denied ?? (() => {});
  }

  /** The address to connect to. Throws an OutgoingError where there is none, or none that may be called. */
  async addressOf({ host, port }: Target): Promise<string> {
    const bare = host.replace(/^\[|\]$/g, "");
    const addresses = isIP(bare) === 0 ? await this.#addresses(bare) : [bare];
    if (addresses.length === 0) throw new OutgoingError("dns", `${bare} has no address`);
    // One bad address among good ones is a sign of rebinding: all of them must be good.
    for (const address of addresses) {
      const reason = this.#neverCalled(address, port);
      if (reason !== undefined) this.#refuse(bare, address, `${reason}, which no call may reach`);
    }
    const bad = addresses.find((address) => !this.#mayCall(bare, address));
    if (bad === undefined) return addresses[0]!;
    if (this.#settings.mode === "enforce")
      this.#refuse(bare, bad, "which calls from here may not reach (egress.mode)");
    this.#denied({ host: bare, address: bad, refused: false });
    return addresses[0]!;
  }

  /** Of an address; what a name has for one is looked up when it is called. */
  denies(host: string): boolean {
    const bare = host.replace(/^\[|\]$/g, "");
    if (isIP(bare) === 0) return false;
    return isForbiddenAddress(bare) || (this.#settings.mode === "enforce" && !this.#mayCall(bare, bare));
  }

  #refuse(host: string, address: string, reason: string): never {
    this.#denied({ host, address, refused: true });
    throw new OutgoingError("denied", `${host} is at ${address}, ${reason}`);
  }

  /** In every mode, and whatever is allowed: none of it is a service that a tenant could mean. */
  #neverCalled(address: string, port: number): string | undefined {
    if (isForbiddenAddress(address)) return "a metadata or link-local address";
    return this.#ownPorts.has(port) && isOwnAddress(address) ? `port ${port} of this service` : undefined;
  }

  async #addresses(host: string): Promise<readonly string[]> {
    try {
      return await this.#resolve(host);
    } catch (error) {
      throw new OutgoingError("dns", `${host} cannot be resolved`, { cause: error });
    }
  }

  #mayCall(host: string, address: string): boolean {
    if (this.#settings.mode === "disabled" || this.#networks.has(address)) return true;
    return (
      !isPrivateAddress(address) || this.#settings.allowedDomains.some((allowed) => covers(allowed, host))
    );
  }
}

/** `*.example.com` covers every name below it, not itself. */
function covers(allowed: string, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return allowed.startsWith("*.") ? name.endsWith(allowed.slice(1)) : name === allowed;
}

async function systemAddresses(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
