/** Where a command writes and what it may know of its surroundings. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  environment: process.env,
};
