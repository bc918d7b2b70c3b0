import { existsSync } from "node:fs";
import { mkdir, rm, statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { assert, limits, unreachable } from "#base";
import { StorageError } from "../error.ts";
import type { OpenedShard } from "../journal.ts";
import { serve } from "../port.ts";
import type { Log, StorageBootstrap, StorageHealth, StorageHost } from "../storage.ts";
import type { EmbeddedBootstrap } from "./bootstrap.ts";
import type { ControlRequest, JournalFiles } from "./control.ts";
import { fullError, isFull, makeFolder, stopProcess, syncFile, syncFolder } from "./durable.ts";
import { requireRoom } from "./environment.ts";
import { Fence } from "./fence.ts";
import { FolderWatch } from "./folder-watch.ts";
import { createGeneration, type Generation, readGeneration } from "./generation.ts";
import { GenerationFile } from "./generation-file.ts";
import { folders } from "./layout.ts";
import { type FolderLock, lockFolder } from "./lock.ts";
import { tightenModes } from "./modes.ts";
import { clearTemporary } from "./objects.ts";
import { soundTables } from "./rebuild.ts";
import { recoverJournal } from "./recovery.ts";
import { Reserve } from "./reserve.ts";
import { Segments } from "./segments.ts";
import { Status } from "./status.ts";
import { WriterThread } from "./writer-thread.ts";

/** Opens the folder for this process alone, and recovers what earlier starts left. */
export async function startEmbedded(settings: { readonly dir: string }, log: Log): Promise<StorageHost> {
  const dir = resolve(settings.dir);
  await makeFolder(dir).catch((error: NodeJS.ErrnoException) => {
    if (isFull(error)) throw fullError(error);
    throw new StorageError("unavailable", `storage.dir: the folder ${dir} cannot be made (${error.code})`);
  });
  const lock = await lockFolder(dir);
  try {
    return await EmbeddedHost.start(dir, lock, log);
  } catch (error) {
    await lock.release();
    throw isFull(error) ? fullError(error) : error;
  }
}

class EmbeddedHost implements StorageHost {
  readonly #dir: string;
  readonly #lock: FolderLock;
  readonly #generation: GenerationFile;
  readonly #fence: Fence;
  readonly #segments: Segments;
  readonly #writer: WriterThread;
  readonly #status: Status;
  readonly #watch: FolderWatch;
  readonly #reserve: Reserve;
  /** One port for each worker that has a bootstrap. */
  readonly #controls = new Set<MessagePort>();
  #opens: Promise<unknown> = Promise.resolve();

  private constructor(dir: string, lock: FolderLock, parts: HostParts) {
    this.#dir = dir;
    this.#lock = lock;
    this.#generation = parts.generation;
    this.#fence = parts.fence;
    this.#segments = parts.segments;
    this.#writer = parts.writer;
    this.#status = parts.status;
    this.#watch = parts.watch;
    this.#reserve = parts.reserve;
  }

  static async start(dir: string, lock: FolderLock, log: Log): Promise<EmbeddedHost> {
    const { journal, tables, objects, reserve: reservePath, generation: generationPath } = folders(dir);
    const generation = await openGeneration(dir, generationPath, log);
    await tightenModes(dir, log);
    for (const folder of [journal, objects]) await mkdir(folder, { recursive: true, mode: 0o700 });
    await clearTemporary(objects);
    const status = new Status();
    // Before the first open the tables are empty, and a power loss during their creation may have left them corrupt.
    if (generation.number === 0) await rm(tables, { recursive: true, force: true });
    const found = await soundTables(dir, generation, log);
    await requireRoom(tables);
    await mkdir(tables, { recursive: true, mode: 0o700 });
    const writer = await WriterThread.start(tables, status, found);
    try {
      await syncFile(join(tables, "data.mdb"));
      await syncFolder(tables);
      await syncFolder(dir);
      const { watermarks } = found;
      const recovered = await recoverJournal(journal, generation, watermarks);
      for (const { path, offset } of recovered.torn)
        log(
          `${path} ended in a frame that was being written; it is cut off at offset ${offset}, nothing acknowledged was in it`,
        );
      generation.number = Math.max(generation.number, recovered.epochMax);
      const fence = new Fence(generation.number);
      for (const [shard, head] of recovered.heads.entries()) fence.setHead(shard, head);
      const file = new GenerationFile(generationPath, generation);
      const segments = new Segments(journal, file, watermarks.slice());
      await segments.adopt(recovered.records);
      const watched = { lock: lock.path, tables: join(tables, "data.mdb") };
      const watch = await FolderWatch.start(dir, watched, stopProcess);
      const reserve = await Reserve.start(dir, reservePath, status);
      return new EmbeddedHost(dir, lock, {
        generation: file,
        fence,
        segments,
        writer,
        status,
        watch,
        reserve,
      });
    } catch (error) {
      await writer.close();
      throw error;
    }
  }

  bootstrap(_worker: number): StorageBootstrap {
    const control = new MessageChannel();
    const writer = new MessageChannel();
    this.#addWorker(control.port1);
    this.#writer.addClient(writer.port1);
    const data: EmbeddedBootstrap = {
      engine: "embedded",
      dir: this.#dir,
      control: control.port2,
      writer: writer.port2,
      fence: { base: this.#fence.base, buffer: this.#fence.buffer },
      status: this.#status.buffer,
    };
    return { data, transfer: [control.port2, writer.port2] };
  }

  #addWorker(control: MessagePort): void {
    this.#controls.add(control);
    this.#segments.workerAdded(control);
    serve<ControlRequest>(control, (request) => this.#answer(control, request));
    control.on("close", () => {
      this.#controls.delete(control);
      this.#segments.workerGone(control, (shard) => this.#fence.head(shard));
    });
  }

  #answer(owner: object, request: ControlRequest): unknown {
    switch (request.type) {
      case "open":
        return this.#open(request.shards);
      case "segment":
        return this.#segments.grant(owner, request.starting);
      case "sealed":
        return this.#segments.sealed(request.file, request.end, request.lastSeqs);
      case "trim":
        return this.#segments.trim(request.marks);
      case "reserve":
        return this.#reserve.release();
      case "files":
        return this.#files(request.shard);
      default:
        return unreachable(request);
    }
  }

  /** One open at a time: each is the next generation of the folder, and durable before it is answered. */
  #open(shards: readonly number[]): Promise<OpenedShard[]> {
    const opened = this.#opens.then(() => this.#take(shards));
    this.#opens = opened.catch(() => undefined);
    return opened;
  }

  async #take(shards: readonly number[]): Promise<OpenedShard[]> {
    assert(new Set(shards).size === shards.length, "a list of shards to open has no shard twice");
    const { state: generation } = this.#generation;
    const epoch = ++generation.number;
    // First the fence, then the file: from here on the old owner acknowledges nothing, even if the write of the file
    // fails.
    const opened = shards.map((shard) => {
      assert(shard >= 0 && shard < limits.shardCount, `shard ${shard} exists`);
      return { shard, epoch, head: this.#fence.take(shard, epoch).head };
    });
    for (const { shard, head } of opened) {
      generation.epochs[shard] = epoch;
      generation.heads[shard] = head;
    }
    await this.#generation.write();
    return opened;
  }

  #files(shard: number): JournalFiles {
    const { epochs, heads } = this.#generation.state;
    return { paths: this.#segments.paths(), opened: { epoch: epochs[shard]!, head: heads[shard]! } };
  }

  async health(): Promise<StorageHealth> {
    try {
      const { bavail, bsize } = await statfs(this.#dir);
      const free = `${Math.floor((bavail * bsize) / 2 ** 20)} MiB free in ${this.#dir}`;
      if (this.#status.full)
        return { state: "degraded", detail: `the disk is full, only deletes are taken: ${free}` };
      return { state: "healthy", detail: free };
    } catch (error) {
      return { state: "gone", detail: (error as Error).message };
    }
  }

  /**
   * Another process may own the folder soon. First the ports are closed, so that a worker that is still running gets
   * nothing more of the folder. Then every shard is fenced, so that it cannot write to what it has.
   */
  async close(): Promise<void> {
    for (const control of this.#controls) control.close();
    await this.#opens;
    const epoch = ++this.#generation.state.number;
    for (let shard = 0; shard < limits.shardCount; shard++) this.#fence.take(shard, epoch);
    await this.#segments.close();
    await this.#reserve.close();
    await this.#writer.close();
    this.#watch.close();
    await this.#lock.release();
  }
}

interface HostParts {
  readonly generation: GenerationFile;
  readonly fence: Fence;
  readonly segments: Segments;
  readonly writer: WriterThread;
  readonly status: Status;
  readonly watch: FolderWatch;
  readonly reserve: Reserve;
}

async function openGeneration(dir: string, path: string, log: Log): Promise<Generation> {
  if (!existsSync(path)) {
    if (existsSync(folders(dir).journal))
      throw new StorageError(
        "corrupt",
        `${dir} has a journal and no file ${path}: the owners of the shards are not known; restore the file from a backup`,
      );
    return createGeneration(path);
  }
  const { generation, spoiledSlots } = await readGeneration(path);
  if (spoiledSlots > 0) log(`${path}: one of two slots was being written and is left aside`);
  return generation;
}
