import { runCli } from "../../cli/run.ts";

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Both, in order. */
  readonly said: string;
}

/** Runs a command of the service in this process. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = "",
): Promise<Said> {
  const heard = { out: "", err: "", said: "" };
  const hear = (stream: "out" | "err") => (given: string | Uint8Array) => {
    const text = typeof given === "string" ? given : Buffer.from(given).toString("latin1");
    heard[stream] += text;
    heard.said += text;
  };
  const code = await runCli(args, {
    out: hear("out"),
    err: hear("err"),
    environment: { XDG_CONFIG_HOME: "/nonexistent", ...environment },
    input: async () => Buffer.from(input),
    async *lines() {
      yield* input.split("\n");
    },
  });
  return { code, ...heard };
}
