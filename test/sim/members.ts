import { Bridge } from "../../runtime/cluster/bridge.ts";
import { Membership } from "../../runtime/cluster/membership.ts";
import { Peers } from "../../runtime/workers/peers.ts";
import { membersOf, SimulatedMembers } from "./member-store.ts";
import { connect } from "./port.ts";
import type { Process } from "./process.ts";
import { newOwner } from "./scheduler.ts";
import { actOne, type EventPlaces, type Ground, type Topology } from "./topology.ts";

const nodeCount = 3;

interface Node {
  readonly process: Process;
  readonly peers: Peers;
  readonly bridge: Bridge;
  readonly membership: Membership;
}

/**
 * Nodes of a cluster with the product's own list of nodes, heartbeats, placement, moves and links. They are killed,
 * paused, cut off, leave and return; callers connect to any of them.
 */
export class Members implements Topology {
  readonly sharesStore = true;
  readonly retries = true;
  readonly #ground: Ground;
  readonly #control = newOwner("operator");
  readonly #list = new SimulatedMembers();
  readonly #nodes: Node[] = [];
  readonly #peers = new Map<Process, Peers>();
  #incarnations = 0;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  get processes(): readonly Process[] {
    return this.#nodes.map(({ process }) => process);
  }

  start(): void {
    for (let slot = 0; slot < nodeCount; slot++) this.#start(slot);
  }

  act(): void {
    const { chance, faults, scheduler } = this.#ground;
    const node = chance.pick(this.#nodes);
    const { process } = node;
    const { kill, pause, move, cut, clock } = faults();
    if (process.isCutOff || process.owner.state !== "running") return;
    actOne(chance, [
      kill && (() => this.ended(process)),
      pause &&
        (() => {
          process.pause();
          scheduler.schedule(this.#control, chance.float() * 5_000, "resume", () => process.resume());
        }),
      move && (() => this.#leave(node)),
      cut && (() => process.cutOff(1_000 + chance.float() * 5_000)),
      clock && (() => process.setClock()),
    ]);
  }

  ended(process: Process): void {
    const { scheduler, chance } = this.#ground;
    const slot = this.processes.indexOf(process);
    if (slot < 0 || !process.alive) return;
    process.kill();
    this.#nodes[slot]!.bridge.close();
    scheduler.schedule(this.#control, chance.float() * 1_500, "restart", () => {
      if (this.#nodes[slot]?.process === process) this.#start(slot);
    });
  }

  ownerOf(): Process | undefined {
    const process = this.#ground.chance.pick(this.processes);
    return process.alive ? process : undefined;
  }

  eventPlaces(): EventPlaces {
    let node = this.#ground.chance.pick(this.#nodes);
    return () => {
      if (!node.process.alive) node = this.#ground.chance.pick(this.#nodes);
      const { process, peers } = node;
      return new Map([...peers.eventSources()].map(([place, look]) => [place, { process, look }]));
    };
  }

  /** One node is left and owns everything. */
  async heal(): Promise<void> {
    const { scheduler, shards } = this.#ground;
    for (const { process, bridge } of this.#nodes) {
      process.kill();
      bridge.close();
    }
    this.#nodes.length = 0;
    this.#start(0);
    const [node] = this.#nodes as [Node];
    for (let waited = 0; waited < 60 && node.process.thread.shards.size < shards.length; waited++)
      await scheduler.runUntil(scheduler.nowMs + 500);
    await scheduler.runUntil(scheduler.nowMs + 500);
  }

  #leave({ membership, process }: Node): void {
    const { scheduler, chance } = this.#ground;
    if (membership.state !== "in") return;
    void membership.leave();
    scheduler.schedule(this.#control, 500 + chance.float() * 3_000, "stopped", () => this.ended(process));
  }

  #start(slot: number): void {
    const { start, faults } = this.#ground;
    const name = `n${slot}`;
    const process = start(slot, (from) => {
      const peers = new Peers(from.world, { worker: 0, workers: 1 });
      this.#peers.set(from, peers);
      return peers;
    });
    const peers = this.#peers.get(process)!;
    peers.serve(process.thread);
    const bridge: Bridge = new Bridge({
      bootstrap: { node: name, proof: new SharedArrayBuffer(16), movesAtOnce: 1 },
      workers: 1,
      peers,
      thread: process.thread,
      listedMs: () => membership.provenMs,
      dial: (member) => this.#dial({ process, name }, member.node),
      look: () => void membership.look(),
      tell: () => undefined,
      leave: () => undefined,
      own: { stats: async () => [], actors: async () => [] },
    });
    let known = false;
    const membership = new Membership({
      store: membersOf(this.#list, process, faults),
      world: process.world,
      node: name,
      newIncarnation: () => `${name}#${this.#incarnations++}`,
      onView: (view) => {
        // Before it knows the other nodes it serves no caller.
        if (!known) process.linked();
        known = true;
        bridge.setView(view);
      },
    });
    peers.joinCluster({ routes: bridge, far: bridge.far, bridge });
    this.#nodes[slot] = { process, peers, bridge, membership };
    void membership.join({ address: name, zone: "", workers: 1, versions: { protocol: 1, format: 1 } });
  }

  /**
   * Bytes between nodes are delayed; while one of the two is cut off they arrive after the cut. No byte in between is
   * lost.
   */
  async #dial(from: { process: Process; name: string }, to: string) {
    const { chance, faults } = this.#ground;
    const target = this.#nodes.find(({ process }, slot) => `n${slot}` === to && process.alive);
    await from.process.delay(from.process.cutMs + 1 + chance.float() * faults().latencyMs, "dial");
    if (target === undefined || !target.process.alive || target.process.isCutOff)
      throw new Error("no answer");
    const cutMs = () => Math.max(from.process.cutMs, target.process.cutMs);
    const [ours, theirs] = connect(
      from.process,
      target.process,
      () => cutMs() + chance.float() * faults().latencyMs,
    );
    target.process.receive("link", 0, () => target.bridge.accept(from.name, theirs.asPort));
    return ours.asPort;
  }
}
