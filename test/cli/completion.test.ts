/** Real shells complete groups, verbs, flags and the names of pools that the service has. */
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { test } from "../api/support.ts";
import { runCommand } from "../support/cli.ts";
import { needing } from "../support/needing.ts";

const run = promisify(execFile);
const entry = new URL("../../dist/cli/service.js", import.meta.url).pathname;

/** A shell that loads the script, and prints what it offers for a line. */
const shells = {
  bash: (line: string) => [
    "-c",
    `eval "$(service completion bash)"; COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _service; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (line: string) => [
    "-f",
    "-c",
    `compdef() { :; }; compadd() { shift; print -l -- \${(P)2:-\${(P)1}}; }; eval "$(service completion zsh)"; words=(${line}); CURRENT=$#words; _service`,
  ],
  fish: (line: string) => [
    "--no-config",
    "-c",
    `service completion fish | source; complete -C "${line.replace(/ ''$/, " ")}"`,
  ],
} as const;

for (const [shell, words] of Object.entries(shells))
  needing(test, "shells")(`${shell}: groups, verbs, flags, values and names are completed`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "shell-"));
    t.teardown(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "service"), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`);
    chmodSync(join(folder, "service"), 0o755);
    const SWITCHYARD_URL = `http://127.0.0.1:${t.context.service.ports.http}`;
    const name = `pool-of-${shell}`;
    t.is((await runCommand(["pools", "create", name], { SWITCHYARD_URL })).code, 0);
    const env = { ...process.env, SWITCHYARD_URL, PATH: `${folder}:${process.env.PATH}`, HOME: folder };
    const offered = async (line: string) => {
      const { stdout } = await run(shell, words(line), { env });
      return stdout.trim().split(/\s+/);
    };
    t.deepEqual(await offered("service experiment-"), ["experiment-groups"]);
    t.deepEqual(await offered("service pools cre"), ["create", "create-version"]);
    t.deepEqual(await offered(`service pools get ${name.slice(0, -1)}`), [name]);
    t.deepEqual(await offered("service pools create --strategy round"), ["round_robin"]);
    t.true((await offered("service pools create --config.lease")).includes("--config.lease-seconds"));
  });
