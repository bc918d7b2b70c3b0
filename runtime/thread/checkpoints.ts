import type { Layer } from "../shard/layer.ts";
import { metaPartition, timeRow } from "../shard/meta.ts";
import type { Host, Shard } from "../shard/shard.ts";

/** How far tables may fall behind before commits wait for them, in checkpoints' worth of bytes. */
const behindFactor = 8;

interface ShardLayer {
  readonly shard: Shard;
  readonly layer: Layer;
}

/** Stores durable layers of all shards in one write, a while after the last one or when many bytes wait; then trims. */
export class Checkpoints {
  readonly #thread: Host;
  #running = false;
  #armed: { readonly atMs: number; cancel(): void } | undefined;
  #failures = 0;
  #beganMs = 0;
  #waitingBytes = 0;
  /** The shard stored last, and whether the last write left others out. */
  #last = -1;
  #left = false;
  writes = 0;
  rows = 0;

  constructor(thread: Host) {
    this.#thread = thread;
  }

  /** The tables cannot keep up: more would only wait in memory. */
  get behind(): boolean {
    return this.#waitingBytes > this.#thread.limits.checkpointBytesMax * behindFactor;
  }

  /** While they cannot: when the write began, or its first try, that would help. */
  get behindSinceMs(): number | undefined {
    return this.behind ? this.#beganMs : undefined;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  committed(shard: Shard): void {
    this.#waitingBytes += shard.buffer.takeGrowth();
    this.#compact();
    if (this.#running) return;
    if (this.#waitingBytes >= this.#thread.limits.checkpointBytesMax && this.#failures === 0) this.run();
    else this.#arm(this.#thread.limits.checkpointIntervalMs);
  }

  /** Stores what is durable now; calls back when it is in the tables. */
  run(done?: () => void): void {
    if (this.#running) return;
    const layers = this.#nextLayers();
    if (layers.length === 0) {
      done?.();
      return;
    }
    this.#running = true;
    if (this.#failures === 0) this.#beganMs = this.#thread.world.clock.monotonic();
    const flush = layers.map(({ shard, layer }) => {
      const time = { partition: metaPartition.text, ...timeRow(shard.timeMs), seq: layer.lastSeq };
      return layer.toFlush(shard.number, time);
    });
    this.#thread.storage.tables.write(flush).then(
      () => this.#stored(layers, done),
      (failure: unknown) => this.#failed(failure, done),
    );
  }

  /**
   * What one write takes: the oldest durable layer of each shard. Encoding a write stops the thread, so it is a bounded part
   * of what waits; the next begins with the other shards.
   */
  #nextLayers(): ShardLayer[] {
    const { checkpointWriteBytesMax, checkpointIntervalMs } = this.#thread.limits;
    const layers: ShardLayer[] = [];
    let waiting = 0;
    let taken = 0;
    this.#left = false;
    for (const shard of this.#afterLast()) {
      if (shard.status !== "ready") continue;
      const { buffer } = shard;
      this.#waitingBytes += buffer.takeGrowth();
      waiting += buffer.bytes;
      if (taken >= checkpointWriteBytesMax) {
        this.#left = true;
        continue;
      }
      if (buffer.unstored === 0) buffer.freeze();
      const layer = buffer.nextToStore(shard.commit.durableSeq);
      if (layer !== undefined) {
        layers.push({ shard, layer });
        taken += layer.bytes;
        this.#last = shard.number;
        if (buffer.unstored > 1) this.#left = true;
      } else if (buffer.bytes > 0) this.#arm(checkpointIntervalMs);
    }
    this.#countAnew(waiting);
    return layers;
  }

  /**
   * Rows keep the slabs they stand in. Where these hold much else (large events, the rows of shards that are stored
   * already), what waits is copied out of them: what it keeps in memory stays within a few times of what it is.
   */
  #compact(): void {
    const { slabs, limits, shards } = this.#thread;
    if (slabs.bytes <= this.#waitingBytes * 2 + limits.checkpointBytesMax) return;
    for (const { buffer, commit } of shards.values()) if (buffer.compact()) commit.compact();
  }

  /** For the end: everything durable goes to the tables, so that the next start has little to replay. */
  flushAll(done: () => void): void {
    if (this.#running) {
      this.#thread.world.setTimer(10, () => this.flushAll(done));
      return;
    }
    const writes = this.writes;
    this.run(() => (this.writes > writes ? this.flushAll(done) : done()));
  }

  #stored(layers: readonly ShardLayer[], done: (() => void) | undefined): void {
    this.#running = false;
    this.#failures = 0;
    this.writes++;
    for (const { shard, layer } of layers) {
      this.rows += layer.rowCount;
      if (shard.status === "dropped") continue;
      this.#waitingBytes -= layer.bytes;
      shard.buffer.stored(layer);
      this.#thread.trims.stored(shard, layer.lastSeq);
    }
    this.#resumeAll();
    this.#arm(this.#left ? 0 : this.#thread.limits.checkpointIntervalMs);
    done?.();
  }

  /** A shard whose memory was dropped took what waited of it along: those that waited for the tables may go on without a write. */
  #countAnew(waitingBytes: number): void {
    const wasBehind = this.behind;
    this.#waitingBytes = waitingBytes;
    if (wasBehind && !this.behind) this.#resumeAll();
  }

  #resumeAll(): void {
    for (const shard of this.#thread.shards.values()) shard.resume();
  }

  /** All shards, beginning after the last one that was stored. */
  #afterLast(): Shard[] {
    const shards = [...this.#thread.shards.values()];
    const next = shards.findIndex((shard) => shard.number === this.#last) + 1;
    return [...shards.slice(next), ...shards.slice(0, next)];
  }

  #failed(failure: unknown, done: (() => void) | undefined): void {
    this.#running = false;
    this.#failures++;
    this.#thread.logger?.error({ err: failure }, "a checkpoint failed and is repeated");
    this.#arm(Math.min(this.#thread.limits.checkpointIntervalMs * 2 ** this.#failures, 10_000));
    done?.();
  }

  /** The earliest wish counts. */
  #arm(delayMs: number): void {
    if (this.#thread.stopped) return;
    const { world } = this.#thread;
    const atMs = world.clock.monotonic() + delayMs;
    if (this.#armed !== undefined && this.#armed.atMs <= atMs) return;
    this.#armed?.cancel();
    const cancel = world.setTimer(delayMs, () => {
      this.#armed = undefined;
      if (!this.#thread.stopped) this.run();
    });
    this.#armed = { atMs, cancel };
  }
}
