import { rm, stat } from "node:fs/promises";
import { limits } from "#base";
import { Serial } from "../serial.ts";
import { diskFree, ifPresent } from "./durable.ts";
import { pageBytes } from "./pages.ts";
import { fillWithZeros } from "./spares.ts";
import type { Status } from "./status.ts";

/**
 * A file that only occupies room. On a full disk it is removed, and commands that make room (drain, purge, delete) use
 * its blocks; all other commands are refused until it is made again. The host owns it.
 */
export class Reserve {
  readonly #path: string;
  readonly #dir: string;
  readonly #status: Status;
  readonly #timer: NodeJS.Timeout;
  #isKept: boolean;
  #closed = false;
  /** The file is not removed while it is being made. */
  readonly #steps = new Serial();

  private constructor(dir: string, path: string, status: Status, isKept: boolean) {
    this.#dir = dir;
    this.#path = path;
    this.#status = status;
    this.#isKept = isKept;
    // A step that fails is tried again with the next check.
    const look = () => void this.#steps.run(() => this.#look()).catch(() => undefined);
    this.#timer = setInterval(look, limits.reserveLookMs);
    this.#timer.unref();
  }

  /** A file that a crash left half made is removed. */
  static async start(dir: string, path: string, status: Status): Promise<Reserve> {
    const { size } = (await ifPresent(stat(path))) ?? { size: 0 };
    const isKept = size >= limits.reserveBytesMin;
    if (!isKept) await rm(path, { force: true });
    return new Reserve(dir, path, status, isKept);
  }

  /** After this its room is free, unless another process takes it. */
  release(): Promise<void> {
    return this.#steps.run(async () => {
      if (this.#status.reserveInUse) return;
      await rm(this.#path, { force: true });
      this.#isKept = false;
      this.#status.reserveInUse = true;
    });
  }

  /** Waits for the work under way. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#steps.ended();
  }

  async #look(): Promise<void> {
    if (this.#closed) return;
    const free = await diskFree(this.#dir);
    if (!this.#isKept) await this.#make(free);
    // While the journal counts as full no append is tried, so this check has to find out that there is room again.
    if (!this.#status.reserveInUse && free >= limits.tablesFloorBytesMin) this.#status.journalFull = false;
  }

  /** As large as the free room allows, minus what the commands need that are then accepted again. */
  async #make(free: number): Promise<void> {
    const unused = free + this.#status.tablesFreePages * pageBytes;
    const spare = Math.min(free - limits.tablesFloorBytesMin, unused - limits.reserveSparesBytesMin);
    const bytes = Math.min(Math.floor(spare / mebibyte) * mebibyte, limits.reserveBytesMax);
    if (bytes < limits.reserveBytesMin || !(await fillWithZeros(this.#path, bytes))) return;
    this.#isKept = true;
    if (!this.#status.reserveInUse) return;
    this.#status.tablesFull = false;
    this.#status.journalFull = false;
    this.#status.reserveInUse = false;
  }
}

const mebibyte = 1_024 * 1_024;
