import { randomFillSync } from "node:crypto";
import { assert } from "#base";

/** Drawn from the operating system at once: a draw of its own for each secret costs ten times as much. */
const poolBytes = 4_096;

/** Secrets from the operating system's generator; none is handed out twice, and none is kept. */
export class SecretSource {
  readonly #pool = Buffer.alloc(poolBytes);
  #used = poolBytes;

  /** In base64url. */
  text(bytes: number): string {
    return this.#draw(bytes, (from, to) => this.#pool.toString("base64url", from, to));
  }

  uint32(): number {
    return this.#draw(4, (from) => this.#pool.readUInt32LE(from));
  }

  #draw<T>(bytes: number, read: (from: number, to: number) => T): T {
    assert(bytes > 0 && bytes <= poolBytes, `a secret has 1 to ${poolBytes} bytes`);
    if (this.#used + bytes > poolBytes) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += bytes;
    const drawn = read(from, this.#used);
    this.#pool.fill(0, from, this.#used);
    return drawn;
  }
}
