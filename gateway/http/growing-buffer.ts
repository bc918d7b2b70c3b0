import { limits } from "#base";
import type { HeldBytes } from "./bounds.ts";

/**
 * Pieces of a body, joined as they come. A list of them would cost more than a hundred bytes for each, and callers choose
 * how many there are. What is allocated is counted in the thread's memory for requests.
 */
export class GrowingBuffer {
  readonly #memory: HeldBytes;
  #bytes: Buffer = nothing;
  #length = 0;
  #pieces = 0;
  #counted = 0;

  constructor(memory: HeldBytes) {
    this.#memory = memory;
  }

  get length(): number {
    return this.#length;
  }

  /** Came in more pieces than an honest sender makes of it. */
  get isCrumbled(): boolean {
    return isCrumbled({
      pieces: this.#pieces,
      bytes: this.#length,
      pieceBytesMin: limits.pieceBytesMin,
    });
  }

  /** `piece` belongs to this buffer from here on. False: there is no memory for it, and nothing is held any more. */
  add(piece: Uint8Array): boolean {
    const length = this.#length + piece.byteLength;
    if (this.#length === 0 && 2 * piece.byteLength >= piece.buffer.byteLength) {
      // Nearly every body is one piece: it is kept as it is.
      if (!this.#count(piece.byteLength)) return false;
      this.#bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    } else {
      if (length > this.#bytes.byteLength && !this.#grow(length)) return false;
      this.#bytes.set(piece, this.#length);
    }
    this.#length = length;
    this.#pieces++;
    return true;
  }

  /** The first bytes, which stay. */
  peek(length: number): Buffer {
    return this.#bytes.subarray(0, Math.min(length, this.#length));
  }

  /** All that has come, and an empty buffer after it. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#bytes = nothing;
    this.#length = 0;
    this.#pieces = 0;
    this.#memory.give(this.#counted);
    this.#counted = 0;
  }

  #grow(lengthMin: number): boolean {
    const length = Math.max(lengthMin, 2 * this.#bytes.byteLength, bytesMin);
    if (!this.#count(length)) return false;
    const larger = Buffer.allocUnsafeSlow(length);
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
    return true;
  }

  #count(bytes: number): boolean {
    if (this.#memory.take(bytes - this.#counted)) {
      this.#counted = bytes;
      return true;
    }
    this.clear();
    return false;
  }
}

/** More pieces than an honest sender makes of so many bytes: each costs as much as a large one. */
export function isCrumbled(sent: { pieces: number; bytes: number; pieceBytesMin: number }): boolean {
  return sent.pieces > limits.piecesMax + sent.bytes / sent.pieceBytesMin;
}

const nothing = Buffer.alloc(0);
/** The first allocation: most bodies that come in pieces are larger. */
const bytesMin = 1_024;
