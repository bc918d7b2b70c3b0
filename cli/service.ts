#!/usr/bin/env node
import { runCli } from "./run.ts";
import { processTerminal } from "./terminal.ts";

const code = await runCli(process.argv.slice(2), processTerminal);
process.exitCode = code;
// A start that failed may leave threads behind; nobody is served by a process that only stands there.
if (code !== 0) setTimeout(() => process.exit(code), 5_000).unref();
