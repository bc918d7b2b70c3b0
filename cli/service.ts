#!/usr/bin/env node
import { runCli } from "./run.ts";
import { processTerminal } from "./terminal.ts";

const code = await runCli(process.argv.slice(2), processTerminal);
process.exitCode = code;
// A process that only stands there serves no caller: after a failed start threads may be left, and after a stop
// everything taken has been answered and stored.
setTimeout(() => {
  console.error(`service: ended although these were left: ${process.getActiveResourcesInfo().join(", ")}`);
  process.exit(code);
}, 5_000).unref();
