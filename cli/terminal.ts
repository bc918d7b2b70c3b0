/** Where a command writes and what it may know of its surroundings. */
export interface Terminal {
  out(text: string | Uint8Array): void;
  err(text: string): void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What is written is read by a person, and not by a program or a file. */
  readonly isTerminal?: boolean;
  /** Standard input to its end. */
  readonly input?: () => Promise<Buffer>;
  /** Its lines as they come, until its end or the signal. */
  readonly lines?: (signal: AbortSignal) => AsyncIterable<string>;
}

export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  environment: process.env,
  isTerminal: process.stdout.isTTY === true,
  async input() {
    const parts: Buffer[] = [];
    for await (const part of process.stdin) parts.push(part);
    return Buffer.concat(parts);
  },
  async *lines(signal) {
    const { createInterface } = await import("node:readline");
    const lines = createInterface({ input: process.stdin, signal });
    try {
      yield* lines;
    } finally {
      lines.close();
      process.stdin.destroy();
    }
  },
};

/** In place of what the screen shows: line by line, so that it does not flicker. */
export function redrawn(text: string): string {
  return `\x1b[H${text.replaceAll("\n", "\x1b[K\n")}\x1b[J`;
}
