import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { limits } from "#base";
import {
  type ClusterBootstrap,
  type ClusterStatus,
  FormatAgreement,
  type Member,
  Membership,
  misfit,
  ProofWriter,
  protocolVersion,
  type Supervisor,
  systemWorld,
  viewOf,
} from "#runtime";
import type { Formats, MemberStore } from "#storage";
import { type Config, splitAddress } from "../config/index.ts";
import type { Ports } from "../doors/ports.ts";
import type { Component } from "../ops/index.ts";
import { type Snapshot, single } from "../telemetry/index.ts";

/** This process as a node of a cluster: its place in the list, and what its workers are told of it. */
export class ClusterNode {
  readonly bootstrap: ClusterBootstrap;
  readonly #config: Config;
  readonly #log: Logger;
  readonly #workers: number;
  readonly #membership: Membership;
  readonly #proof = new ProofWriter();
  readonly #world = systemWorld();
  readonly #timer: NodeJS.Timeout;
  readonly #members: MemberStore;
  readonly #formats: Formats;
  readonly #agreement: FormatAgreement;
  #supervisor: Supervisor | undefined;
  #status: ClusterStatus | undefined;
  /** The log says that the data has a newer format. */
  #isTold = false;

  constructor(config: Config, store: SharedStore, workers: number, log: Logger) {
    this.#config = config;
    this.#members = store.members;
    this.#formats = store.formats;
    this.#agreement = new FormatAgreement(store.formats);
    this.#log = log;
    this.#workers = workers;
    this.bootstrap = {
      node: nodeId(config),
      proof: this.#proof.buffer,
      movesAtOnce: config["cluster.moves_at_once"],
    };
    this.#membership = new Membership({
      store: store.members,
      world: this.#world,
      node: this.bootstrap.node,
      newIncarnation: randomUUID,
      logger: log,
      mayJoin: () => this.#knowsFormat(),
      onView: (view) => this.#supervisor?.setView(view),
      onRound: () => {
        this.#prove();
        this.#agree();
      },
    });
    // Not only after rounds: one that gets no answer does not end.
    this.#timer = setInterval(() => this.#prove(), limits.nodePingMs).unref();
  }

  get status(): ClusterStatus | undefined {
    return this.#status;
  }

  heard(status: ClusterStatus): void {
    this.#status = status;
  }

  look(): void {
    void this.#membership.look();
  }

  /** Resolves when the node is in the list and every shard has a holder, or will soon have one. */
  async join(supervisor: Supervisor, ports: Ports): Promise<void> {
    this.#supervisor = supervisor;
    const address = addressOf(this.#config, ports);
    const zone = this.#config["cluster.zone"];
    const versions = { protocol: protocolVersion, format: this.#formats.known };
    const reason = misfit(versions, await this.#others());
    if (reason !== undefined) throw new Error(reason);
    await this.#agreement.begin(() => this.#others());
    await this.#membership.join({ address, zone, workers: this.#workers, versions });
    const untilMs = performance.now() + limits.clusterStartMs;
    const isSettled = () => {
      const version = this.#membership.view?.version ?? 0;
      return this.#status !== undefined && this.#status.version >= version && this.#status.unheld === 0;
    };
    while (!isSettled() && performance.now() < untilMs) await sleep(lookMs);
    if (!isSettled()) this.#log.warn({ unheld: this.#status?.unheld }, "some shards have no holder yet");
  }

  /** Gives the shards away; resolves when they are gone, or when the time for it is over. */
  async leave(withinMs: number): Promise<void> {
    const isAlone = (this.#membership.view?.members.length ?? 0) <= 1;
    const untilMs = performance.now() + withinMs;
    await this.#membership.leave();
    while (!isAlone && (this.#status?.held ?? 0) > 0 && performance.now() < untilMs) await sleep(lookMs);
    if (!isAlone && (this.#status?.held ?? 0) > 0)
      this.#log.warn({ held: this.#status?.held }, "some shards were not given away in time");
  }

  component(): Component | undefined {
    const { state, reachesStore } = this.#membership;
    if (!reachesStore) return { status: "unhealthy", detail: "this node cannot reach the list of nodes" };
    if (state === "in") return undefined;
    return { status: "unhealthy", detail: `this node is not in the cluster (${state})` };
  }

  /** What the main thread knows of its place in the cluster. */
  snapshot(): Snapshot {
    const ageMs = this.#world.clock.monotonic() - this.#membership.provenMs;
    return [
      single("counter", "service_cluster_nodes_removed_total", this.#membership.removed),
      ...(Number.isFinite(ageMs)
        ? [single("gauge", "service_cluster_heartbeat_age_seconds", ageMs / 1_000)]
        : []),
    ];
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#membership.stop();
  }

  /** Those in the list before this node joins. An earlier start of this node, which it replaces, is none of them. */
  async #others(): Promise<readonly Member[]> {
    const { version, members } = await this.#members.read();
    const { node } = this.bootstrap;
    const others = members.filter((member) => member.node !== node);
    return viewOf({ version, members: others }, node, undefined).members;
  }

  /** The others may have gone on to a newer format while they took this node for dead: its share would be open nowhere. */
  async #knowsFormat(): Promise<boolean> {
    const format = await this.#formats.read();
    const { known } = this.#formats;
    if (format > known && !this.#isTold)
      this.#log.error(
        { format, known },
        "the data has a newer format than this program knows: it does not join",
      );
    this.#isTold = format > known;
    return format <= known;
  }

  #agree(): void {
    const { view, state, provenMs } = this.#membership;
    if (view === undefined || state !== "in") return;
    const nowMs = () => this.#world.clock.monotonic();
    this.#agreement.saw({ members: view.members, readMs: provenMs, nowMs }).catch((error: unknown) => {
      this.#log.warn({ err: error }, "the format of the data could not be agreed on; it is tried again");
    });
  }

  #prove(): void {
    const { provenMs, reachesStore, view } = this.#membership;
    const ageMs = this.#world.clock.monotonic() - provenMs;
    this.#proof.write({ ageMs, reachesStore, version: view?.version ?? 0 });
  }
}

/** What nodes share: the list of them, and the format of the data. */
export interface SharedStore {
  readonly members: MemberStore;
  readonly formats: Formats;
}

const lookMs = 10;

function nodeId(config: Config): string {
  if (config["cluster.node_id"] !== "") return config["cluster.node_id"];
  const { port } = splitAddress(config["server.internal_addr"] || ":0");
  return `${hostname()}:${port === 0 ? randomBytes(4).toString("hex") : port}`;
}

function addressOf(config: Config, ports: Ports): string {
  const given = config["cluster.advertise_addr"];
  const { host, port } = splitAddress(given || config["server.internal_addr"] || ":0");
  const isAny = host === "" || host === "0.0.0.0" || host === "::";
  const name = isAny ? hostname() : host;
  return `${name.includes(":") ? `[${name}]` : name}:${port === 0 ? (ports.internal ?? 0) : port}`;
}
