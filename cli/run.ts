import { existsSync, readFileSync } from "node:fs";
import { CliError } from "./error.ts";
import { help } from "./help.ts";
import type { Terminal } from "./terminal.ts";

/** Returns the exit code: 0 done, 1 refused or failed, 2 not understood. A command's code is loaded when it is named. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const [command = "help", second] = args;
    if (args.includes("--help") || args.includes("-h")) {
      terminal.out(help);
      return 0;
    }
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
      case "audit":
        if (second === "verify")
          return await (await import("./audit.ts")).auditVerify(args.slice(2), terminal);
        return unknown(args, terminal);
      case "shards":
        if (second === "list") return await (await import("./stats.ts")).shardsList(args.slice(2), terminal);
        return unknown(args, terminal);
      case "cluster":
        if (second === "status")
          return await (await import("./cluster.ts")).clusterStatus(args.slice(2), terminal);
        if (second === "drain")
          return await (await import("./cluster.ts")).clusterDrain(args.slice(2), terminal);
        return unknown(args, terminal);
      case "actors":
        if (second === "list") return await (await import("./stats.ts")).actorsList(args.slice(2), terminal);
        return unknown(args, terminal);
      case "streams": {
        const streams = await import("./streams.ts");
        if (second === "append") return await streams.streamsAppend(args.slice(2), terminal);
        if (second === "tail") return await streams.streamsTail(args.slice(2), terminal);
        if (second === "ack") return await streams.streamsAck(args.slice(2), terminal);
        return unknown(args, terminal);
      }
      case "connector":
        if (second === "check")
          return (await import("./connector.ts")).connectorCheck(args.slice(2), terminal);
        if (second === "rotate")
          return await (await import("./connector.ts")).connectorRotate(args.slice(2), terminal);
        return unknown(args, terminal);
      case "workflows":
        if (second === "check" || second === "publish") {
          const commands = await import("./workflows.ts");
          return await commands[second](args.slice(2), terminal);
        }
        return unknown(args, terminal);
      case "runs":
        if (second === "start" || second === "watch" || second === "retry") {
          const commands = await import("./runs.ts");
          return await commands[second](args.slice(2), terminal);
        }
        return unknown(args, terminal);
      case "bootstrap":
        return await (await import("./bootstrap.ts")).bootstrap(args.slice(1), terminal);
      case "token":
        return await (await import("./token.ts")).token(args.slice(1), terminal);
      case "whoami":
        return await (await import("./whoami.ts")).whoami(args.slice(1), terminal);
      case "evidence":
        if (second === "verify")
          return (await import("./evidence.ts")).evidenceVerify(args.slice(2), terminal);
        return unknown(args, terminal);
      case "conformance":
        if (second === "run")
          return await (await import("./conformance.ts")).conformanceRun(args.slice(2), terminal);
        return unknown(args, terminal);
      case "experiments":
        return await (await import("./experiments.ts")).experiments(args.slice(1), terminal);
      case "notify":
        return await (await import("./notify.ts")).notify(args.slice(1), terminal);
      case "promotions":
        return await (await import("./promotions.ts")).promotions(args.slice(1), terminal);
      case "help":
        terminal.out(help);
        return 0;
      case "--version":
      case "version":
        terminal.out(`${version()}\n`);
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

/** The commands that take a second word, and which; the others say themselves what they take. */
const groups = new Map([
  ["storage", "migrate"],
  ["data", "verify"],
  ["audit", "verify"],
  ["shards", "list"],
  ["actors", "list"],
  ["cluster", "status|drain"],
  ["streams", "append|tail|ack"],
  ["connector", "check|rotate"],
  ["workflows", "check|publish"],
  ["runs", "start|watch|retry"],
  ["evidence", "verify"],
  ["conformance", "run"],
]);
const single = [
  "dev",
  "start",
  "config",
  "bootstrap",
  "token",
  "whoami",
  "experiments",
  "notify",
  "promotions",
  "help",
];

function unknown(args: readonly string[], terminal: Terminal): number {
  const [group = ""] = args;
  const only = groups.get(group);
  const near = nearest(group, [...groups.keys(), ...single]);
  const hint =
    only !== undefined
      ? `there is "${group} ${only}"`
      : `${near === undefined ? "" : `did you mean "${near}"? `}service --help lists them`;
  terminal.err(`service: there is no command "${args.slice(0, 2).join(" ")}"; ${hint}\n`);
  return 2;
}

/** The name that takes the fewest changes of a letter, where it is at most two and most of it stays. */
function nearest(given: string, names: readonly string[]): string | undefined {
  const most = Math.min(2, given.length - 2);
  const [best] = names
    .map((name) => ({ name, changes: changesBetween(given, name) }))
    .filter(({ changes }) => changes <= most)
    .sort((a, b) => a.changes - b.changes);
  return best?.name;
}

/** Levenshtein's distance. */
function changesBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let at = 0; at < b.length; at++)
      next.push(Math.min(row[at + 1]! + 1, next[at]! + 1, row[at]! + (letter === b[at] ? 0 : 1)));
    row = next;
  }
  return row.at(-1)!;
}

/** Stands beside the sources, and one folder further up from what is built of them. */
function version(): string {
  const [file] = ["../package.json", "../../package.json"]
    .map((path) => new URL(path, import.meta.url))
    .filter((url) => existsSync(url));
  return (JSON.parse(readFileSync(file!, "utf8")) as { version: string }).version;
}
