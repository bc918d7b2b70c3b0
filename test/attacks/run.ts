/**
 * Runs every attack for longer against a real service, once where everybody is an administrator and once with keys of a tenant: `npm run attack -- [--seconds 20] [--match text] [--settle 60]`.
 * Prints for each attack what was sent, the longest wait of other callers, and the memory before, at its peak and after
 * `--settle` seconds.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Server } from "../crash/server.ts";
import { AttackProcess } from "./attack-process.ts";
import { type Attackers, allAttacks, isTried, serverSettings } from "./attacks.ts";
import { authSettings, makeKeys } from "./credentials.ts";
import { measure, memoryOf } from "./measure.ts";
import { Probe } from "./probe.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "20" },
    settle: { type: "string", default: "60" },
    match: { type: "string", default: "" },
    server: { type: "string", default: "uws,node" },
  },
});

for (const httpServer of values.server.split(",")) {
  await attacked({ httpServer, hasKeys: false });
  await attacked({ httpServer, hasKeys: true });
}

async function attacked(by: Attackers): Promise<void> {
  const { httpServer, hasKeys } = by;
  const server = new Server([
    `server.http_server=${httpServer}`,
    ...serverSettings,
    ...(hasKeys ? authSettings : []),
  ]);
  const probe = new Probe();
  const attacks = new AttackProcess();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      probe.end();
      attacks.end();
      server
        .remove()
        .catch(() => undefined)
        .finally(() => process.exit(1));
    });
  try {
    await server.start();
    const keys = hasKeys ? await makeKeys(server) : undefined;
    await probe.watch(server.ports, keys?.other);
    await sleep(1_000);
    for (const attack of allAttacks)
      for (const listener of attack.listeners) {
        if (!isTried(attack, listener, by)) continue;
        const role = attack.role ?? "viewer";
        const name = `${httpServer}, ${listener}${keys ? `, ${role}` : ""}: ${attack.name}`;
        if (!name.includes(values.match)) continue;
        const lastsMs = Number(values.seconds) * 1_000;
        const where = { listener, lastsMs, ...(keys && { apiKey: keys[role] }) };
        const measured = await measure({ server, probe, attacks }, attack, where);
        await sleep(Number(values.settle) * 1_000);
        const { worst, failures } = measured.waits;
        const at = worst.find(([, ms]) => ms === measured.worstWaitMs)?.[0];
        console.log(
          `${name}\n  sent ${mb(measured.bytesSent)}, worst wait ${Math.round(measured.worstWaitMs)} ms (${at}; a bare server ${Math.round(measured.yardstickMs)} ms, not run for ${Math.round(measured.notRunMs)} ms), memory ${mb(measured.beforeBytes)}, peak ${mb(measured.peakBytes)}, after ${values.settle} s ${mb(memoryOf(server.pid))}`,
        );
        for (const failure of failures) console.log(`  a probe failed: ${failure}`);
        if (server.ended !== null || server.log.includes("a worker"))
          throw new Error(`the service ended during the attack:\n${server.log}`);
      }
  } finally {
    probe.end();
    attacks.end();
    await server.remove();
  }
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
