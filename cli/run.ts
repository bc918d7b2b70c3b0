import { CliError } from "./error.ts";
import { help } from "./help.ts";
import type { Terminal } from "./terminal.ts";

/** Returns the exit code: 0 done, 1 refused or failed, 2 not understood. A command's code is loaded when it is named. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const [command = "--help", second] = args;
    switch (command) {
      case "dev":
        return await (await import("./dev.ts")).dev(args.slice(1), terminal);
      case "start":
        return await (await import("./start.ts")).start(args.slice(1), terminal);
      case "config":
        if (second === "check")
          return await (await import("./config.ts")).configCheck(args.slice(2), terminal);
        return (await import("./config.ts")).configPrint(args.slice(1), terminal);
      case "storage":
        if (second === "migrate")
          return await (await import("./storage.ts")).storageMigrate(args.slice(2), terminal);
        return unknown(args, terminal);
      case "data":
        if (second === "verify") return await (await import("./data.ts")).dataVerify(args.slice(2), terminal);
        return unknown(args, terminal);
      case "shards":
        if (second === "list")
          return await (await import("./insight.ts")).shardsList(args.slice(2), terminal);
        return unknown(args, terminal);
      case "actors":
        if (second === "list")
          return await (await import("./insight.ts")).actorsList(args.slice(2), terminal);
        return unknown(args, terminal);
      case "help":
      case "--help":
      case "-h":
        terminal.out(help);
        return 0;
      default:
        return unknown(args, terminal);
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    terminal.err(`${error.message}\n`);
    return error.exitCode;
  }
}

function unknown(args: readonly string[], terminal: Terminal): number {
  terminal.err(`service: there is no command "${args.slice(0, 2).join(" ")}"; service --help lists them\n`);
  return 2;
}
