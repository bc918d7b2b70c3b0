/** A process that runs attacks one after the other: its parent names the attack, and it reports what it has sent. */

import type { FromRunner, ToRunner } from "./attack-process.ts";
import { Attacker } from "./attacker.ts";
import { http1Attacks } from "./http1.ts";
import { http2Attacks } from "./http2.ts";

const attacks = new Map([...http1Attacks, ...http2Attacks].map((attack) => [attack.name, attack]));

process.on("disconnect", () => process.exit());
process.on("message", ({ name, port, lastsMs }: ToRunner) => {
  const attacker = new Attacker(port, lastsMs);
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
