import type { FramePort, Link } from "../links/link.ts";
import type { LinkStats } from "../links/stats.ts";
import type { Logger } from "../logger.ts";
import type { RuntimeLimits } from "../thread/limits.ts";
import type { World } from "../world.ts";
import type { Member } from "./view.ts";

export interface NodesOptions {
  readonly self: string;
  readonly world: World;
  readonly limits: RuntimeLimits;
  readonly logger?: Logger | undefined;
  /** When the last heartbeat began that found this node in the list (monotonic). */
  readonly listedMs: () => number;
  readonly dial: (member: Member) => Promise<FramePort>;
  readonly open: (node: string, port: FramePort, closed: () => void) => Link;
  /** A link is there: the first things to say over it. */
  readonly joined: (link: Link) => void;
  readonly gone: (node: string) => void;
  readonly ping: (link: Link) => void;
  /** Some node is not heard, or may not be known: what it tells is missed. */
  readonly silent: () => void;
}

interface Peer {
  readonly link: Link;
  heardMs: number;
}

/**
 * The links to the other nodes, one for each pair: the node with the smaller name opens it. A link outlives its node's place in
 * the list, because a node that leaves still gives its shards away.
 */
export class Nodes {
  readonly #options: NodesOptions;
  readonly #peers = new Map<string, Peer>();
  readonly #dialing = new Set<string>();
  #members: readonly Member[] = [];
  #isListed = false;
  #leaves = false;
  #cancelPing: () => void = () => undefined;
  #closed = false;

  constructor(options: NodesOptions) {
    this.#options = options;
    this.#ping();
  }

  link(node: string): Link | undefined {
    return this.#peers.get(node)?.link;
  }

  list(): ({ readonly node: string; readonly silentMs: number } & LinkStats)[] {
    const nowMs = this.#options.world.clock.monotonic();
    return [...this.#peers].map(([node, { heardMs, link }]) => ({
      node,
      silentMs: Math.round(nowMs - heardMs),
      ...link.stats,
    }));
  }

  links(): Link[] {
    return Array.from(this.#peers.values(), ({ link }) => link);
  }

  setMembers(members: readonly Member[]): void {
    this.#members = members;
    const isListed = members.some(({ node }) => node === this.#options.self);
    this.#leaves = !isListed && (this.#isListed || this.#leaves);
    this.#isListed = isListed;
    for (const member of members) this.#dial(member, this.#options.limits.nodeDialMs);
  }

  connect(node: string, port: FramePort): void {
    if (this.#closed) {
      port.close();
      return;
    }
    const { open, joined, world, logger } = this.#options;
    const before = this.#peers.get(node);
    const peer: Peer = {
      link: open(node, port, () => this.#ended(node, peer)),
      heardMs: world.clock.monotonic(),
    };
    this.#peers.set(node, peer);
    before?.link.close();
    logger?.info({ node }, "linked to a node");
    joined(peer.link);
  }

  heard(node: string): void {
    const peer = this.#peers.get(node);
    if (peer !== undefined) peer.heardMs = this.#options.world.clock.monotonic();
  }

  broadcast(topic: string, payload: unknown): void {
    for (const { link } of this.#peers.values()) link.broadcast(topic, payload);
  }

  close(): void {
    this.#closed = true;
    this.#cancelPing();
    for (const { link } of this.#peers.values()) link.close();
    this.#peers.clear();
  }

  #ended(node: string, peer: Peer): void {
    if (this.#peers.get(node) !== peer) return;
    this.#peers.delete(node);
    this.#options.logger?.warn({ node }, "the link to a node has ended");
    this.#options.gone(node);
    const member = this.#members.find((one) => one.node === node);
    if (member !== undefined) this.#dial(member, this.#options.limits.nodeDialMs);
  }

  #dial(member: Member, delayMs: number): void {
    const { node } = member;
    const { dial, world, limits } = this.#options;
    if (this.#closed || !this.#opens(node) || this.#peers.has(node) || this.#dialing.has(node)) return;
    this.#dialing.add(node);
    dial(member)
      .then(
        (port) => this.connect(node, port),
        () => undefined,
      )
      .finally(() => {
        this.#dialing.delete(node);
        if (this.#closed || this.#peers.has(node)) return;
        const next = Math.min(delayMs * 2, limits.nodeDialMsMax);
        // It may have left, or come back elsewhere.
        world.setTimer(delayMs, () => {
          const today = this.#members.find((one) => one.node === node);
          if (today !== undefined) this.#dial(today, next);
        });
      });
  }

  /**
   * Otherwise there may be nodes that do not link to this one, because it leaves or because others have removed it: they
   * may own shards.
   */
  #isKnown(nowMs: number): boolean {
    const { listedMs, limits } = this.#options;
    return this.#isListed && nowMs - listedMs() <= limits.ownershipProvenMs;
  }

  /** A node that leaves is not in the list of the others any more: it opens the links that it lacks. */
  #opens(node: string): boolean {
    const { self } = this.#options;
    return node > self || (node < self && this.#leaves);
  }

  #ping(): void {
    const { world, limits, ping, silent, self } = this.#options;
    this.#cancelPing = world.setTimer(limits.nodePingMs, () => {
      if (this.#closed) return;
      const nowMs = world.clock.monotonic();
      for (const { link, heardMs } of [...this.#peers.values()])
        if (nowMs - heardMs > limits.nodeGoneMs) link.close();
        else ping(link);
      const isHeard = (node: string) => nowMs - (this.#peers.get(node)?.heardMs ?? 0) <= limits.nodeSilentMs;
      // A node that leaves is not in the list any more, and still tells what its last shards decide.
      const told = new Set([...this.#members.map(({ node }) => node), ...this.#peers.keys()]);
      told.delete(self);
      if (!this.#isKnown(nowMs) || ![...told].every(isHeard)) silent();
      this.#ping();
    });
  }
}
