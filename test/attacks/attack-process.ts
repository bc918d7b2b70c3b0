import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface ToRunner {
  readonly name: string;
  readonly port: number;
  readonly lastsMs: number;
  /** Absent: the attacker has no credentials. */
  readonly apiKey?: string;
}

export interface FromRunner {
  readonly bytesSent: number;
  readonly error?: string;
}

/**
 * Attacks run in a separate process with a lower priority (`nice -n 10`). A real attacker has its own machine. On a
 * machine with two cores the attacker would take the processor time that the service needs, and the waits would measure
 * the machine.
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

  /** The bytes that the attack has sent. */
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
