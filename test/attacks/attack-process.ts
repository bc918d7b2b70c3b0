import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface ToRunner {
  readonly name: string;
  readonly port: number;
  readonly lastsMs: number;
}

export interface FromRunner {
  readonly bytesSent: number;
  readonly error?: string;
}

/**
 * Attacks from a process of its own with a lower priority (`nice -n 10`). A real attacker has its own machine: on one of two
 * cores it would take the time that the service needs to answer others, and the wait would be that of the machine.
 */
export class AttackProcess {
  readonly #process: ChildProcess = spawn(
    "nice",
    [
      "-n",
      "10",
      process.execPath,
      ...process.execArgv,
      fileURLToPath(new URL("./attack-runner.ts", import.meta.url)),
    ],
    { stdio: ["ignore", "inherit", "inherit", "ipc"] },
  );

  /** The bytes it has sent. */
  async run(attack: ToRunner): Promise<number> {
    const told = once(this.#process, "message");
    this.#process.send(attack);
    const [{ bytesSent, error }] = (await told) as [FromRunner];
    if (error !== undefined) throw new Error(`${attack.name}: ${error}`);
    return bytesSent;
  }

  end(): void {
    this.#process.kill("SIGKILL");
  }
}
