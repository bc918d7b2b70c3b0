import { limits } from "#base";
import { shardsOf } from "../../runtime/links/protocol.ts";
import { Peers } from "../../runtime/workers/peers.ts";
import { connect, type SimulatedPort } from "./port.ts";
import type { Process } from "./process.ts";
import { newOwner } from "./scheduler.ts";
import { actOne, type EventPlaces, type Ground, type Topology } from "./topology.ts";

const workers = 3;

/**
 * The threads of one process under a supervisor: each owns its shards for good, reaches the others by links, and is
 * replaced with new links and new epochs when it dies or is stuck. Callers connect to any of them.
 */
export class Threads implements Topology {
  processes: Process[] = [];
  readonly sharesStore = false;
  readonly #ground: Ground;
  readonly #control = newOwner("supervisor");
  readonly #peers = new Map<Process, Peers>();
  readonly #ports = new Map<Process, SimulatedPort[]>();
  /** Messages of the supervisor that a thread has not read yet. */
  readonly #told = new Map<Process, (() => void)[]>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  start(): void {
    for (let slot = 0; slot < workers; slot++) this.#start(slot);
  }

  act(): void {
    const { chance, faults } = this.#ground;
    const process = chance.pick(this.processes);
    const { kill, pause, clock } = faults();
    actOne(chance, [
      kill && (() => this.ended(process)),
      pause && (() => this.#block(process)),
      clock && (() => process.setClock()),
    ]);
  }

  /** The others are told of its end, then it is replaced. */
  ended(process: Process): void {
    const { scheduler, chance } = this.#ground;
    const slot = this.processes.indexOf(process);
    if (slot < 0 || !process.alive) return;
    process.kill();
    for (const port of this.#ports.get(process)!) port.close();
    scheduler.schedule(this.#control, chance.float() * 1_000, "replace", () => {
      if (this.processes[slot] === process) this.#start(slot);
    });
  }

  /** A caller's connection is to one of them, whichever owns the shard. */
  ownerOf(): Process | undefined {
    const process = this.#ground.chance.pick(this.processes);
    return process.alive ? process : undefined;
  }

  /** The connection is to one thread, which asks the others; to another one when that is gone. */
  eventPlaces(): EventPlaces {
    let process = this.#ground.chance.pick(this.processes);
    return () => {
      if (!process.alive) process = this.#ground.chance.pick(this.processes);
      const sources = this.#peers.get(process)!.eventSources();
      return new Map([...sources].map(([worker, look]) => [worker, { process, look }]));
    };
  }

  async heal(): Promise<void> {
    const { scheduler } = this.#ground;
    for (const process of this.processes) process.setClockRight();
    for (const process of this.processes) if (process.owner.state === "paused") this.ended(process);
    await scheduler.runUntil(scheduler.nowMs + 3_000);
    // A clock that was behind when its process started jumps ahead when it is corrected, and is trusted later.
    if (this.processes.some(({ thread }) => thread.clock.jumped))
      await scheduler.runUntil(scheduler.nowMs + limits.clockJumpAcceptedAfterMs);
  }

  /** Its event loop is blocked: it goes on in time, or is ended. */
  #block(process: Process): void {
    const { scheduler, chance } = this.#ground;
    process.pause();
    const goesOn = chance.chance(0.5);
    scheduler.schedule(this.#control, chance.float() * 3_000, goesOn ? "resume" : "stuck", () => {
      if (goesOn) process.resume();
      else if (process.owner.state === "paused") this.ended(process);
    });
  }

  #start(slot: number): void {
    const { start, shards } = this.#ground;
    const process = start(slot, (from) => {
      const peers = new Peers(from.world, { worker: slot, workers });
      this.#peers.set(from, peers);
      return peers;
    });
    this.#peers.get(process)!.serve(process.thread);
    this.#ports.set(process, []);
    this.#told.set(process, []);
    for (const [other, peer] of this.processes.entries())
      if (other !== slot && peer?.alive) this.#link({ slot, process }, { slot: other, process: peer });
    this.processes[slot] = process;
    process.open(shardsOf(slot, workers, shards.length), 1);
  }

  /** The first one is new. */
  #link(a: Bootstrap, b: Bootstrap): void {
    const { chance, faults } = this.#ground;
    const delayMs = () => chance.float() * faults().latencyMs;
    const [ours, theirs] = connect(a.process, b.process, delayMs);
    for (const [{ process }, port, { slot }] of [[a, ours, b] as const, [b, theirs, a] as const]) {
      this.#ports.get(process)!.push(port);
      const peers = this.#peers.get(process)!;
      const told = this.#told.get(process)!;
      told.push(() => {
        peers.connect(slot, port.asPort);
        a.process.linked();
      });
      // In the order in which the supervisor sent them, whichever step runs first.
      process.receive("peer", delayMs(), () => told.shift()!());
    }
  }
}

interface Bootstrap {
  readonly slot: number;
  readonly process: Process;
}
