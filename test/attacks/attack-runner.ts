/** A process that runs attacks one after the other: its parent names the attack, and it reports what it has sent. */

import type { FromRunner, ToRunner } from "./attack-process.ts";
import { Attacker } from "./attacker.ts";
import { allAttacks } from "./attacks.ts";

const attacks = new Map(allAttacks.map((attack) => [attack.name, attack]));

process.on("disconnect", () => process.exit());
process.on("message", ({ name, port, lastsMs, apiKey }: ToRunner) => {
  const attacker = new Attacker(port, lastsMs, apiKey);
  attacks
    .get(name)!
    .run(attacker)
    .then(
      () => tell({ bytesSent: attacker.bytesSent }),
      (error: unknown) => tell({ bytesSent: attacker.bytesSent, error: String(error) }),
    )
    .finally(() => attacker.close());
});

function tell(message: FromRunner): void {
  process.send!(message);
}
