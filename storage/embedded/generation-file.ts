import { asError } from "#base";
import { Serial } from "../serial.ts";
import { fullError, isFull, stopProcess } from "./durable.ts";
import { type Generation, writeGeneration } from "./generation.ts";

/** The generation in memory, and the only way to store it: one write at a time, each of the whole state. */
export class GenerationFile {
  readonly path: string;
  readonly state: Generation;
  readonly #writes = new Serial();

  constructor(path: string, state: Generation) {
    this.path = path;
    this.state = state;
  }

  /** Durable when it resolves. */
  write(): Promise<void> {
    return this.#writes.run(() => this.#write());
  }

  async #write(): Promise<void> {
    try {
      await writeGeneration(this.path, this.state);
    } catch (error) {
      if (isFull(error)) throw fullError(error);
      // For example too many open files. Nothing was written.
      if (asError(error).syscall === "open") throw error;
      stopProcess(`${this.path} could not be written: ${String(error)}`);
    }
  }
}
