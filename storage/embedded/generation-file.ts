import { fullError, isFull, stopProcess } from "./durable.ts";
import { type Generation, writeGeneration } from "./generation.ts";

/** The generation in memory, and the only way to store it: one write at a time, each of the whole state. */
export class GenerationFile {
  readonly path: string;
  readonly state: Generation;
  #writes: Promise<unknown> = Promise.resolve();

  constructor(path: string, state: Generation) {
    this.path = path;
    this.state = state;
  }

  /** Durable when it resolves. */
  write(): Promise<void> {
    const written = this.#writes.then(() => this.#write());
    this.#writes = written.catch(() => undefined);
    return written;
  }

  async #write(): Promise<void> {
    try {
      await writeGeneration(this.path, this.state);
    } catch (error) {
      if (isFull(error)) throw fullError(error);
      // For example too many open files. Nothing was written.
      if ((error as NodeJS.ErrnoException).syscall === "open") throw error;
      stopProcess(`${this.path} could not be written: ${String(error)}`);
    }
  }
}
