import test from "ava";
import { Server } from "../crash/server.ts";
import { eventually } from "../support/eventually.ts";
import { AttackProcess } from "./attack-process.ts";
import { type Attackers, allAttacks, isTried, serverSettings } from "./attacks.ts";
import { authSettings, makeKeys } from "./credentials.ts";
import { measure, memoryOf } from "./measure.ts";
import { Probe } from "./probe.ts";

/** The longest wait allowed to other callers on a quiet machine. */
const waitMsMax = 1_000;
/** Memory that an attack may use while it lasts, and that may be left afterwards; garbage is collected later. */
const peakBytesMax = 400e6;
const leftBytesMax = 300e6;

/** One test for every attack and listener, on a service of its own. */
export function attackRows(by: Attackers & { readonly lastsMs: number }): void {
  const { httpServer, hasKeys } = by;
  const server = new Server([
    `server.http_server=${httpServer}`,
    ...serverSettings,
    ...(hasKeys ? authSettings : []),
  ]);
  const probe = new Probe();
  const attacks = new AttackProcess();
  let keys: Awaited<ReturnType<typeof makeKeys>> | undefined;

  test.serial.before(`${httpServer}: the service and its probes start`, async () => {
    await server.start();
    if (hasKeys) keys = await makeKeys(server);
    await probe.watch(server.ports, keys?.other);
    // Waits until every probe has answered once, so that one-time allocations are done.
    await probe.settled();
  });
  test.after.always(`${httpServer}: the service and its probes end`, async () => {
    probe.end();
    attacks.end();
    await server.remove();
  });

  for (const attack of allAttacks)
    for (const listener of attack.listeners) {
      if (!isTried(attack, listener, by)) continue;
      const role = hasKeys ? (attack.role ?? "viewer") : undefined;
      const who = role === undefined ? "" : `, ${role}`;
      test.serial(
        `${httpServer}, ${listener}${who}: ${attack.name}: the service goes on, other callers wait little, and memory is freed`,
        async (t) => {
          const pid = server.pid;
          const lastsMs = attack.testedMs ?? by.lastsMs;
          const apiKey = role && keys![role];
          const where = { listener, lastsMs, ...(apiKey !== undefined && { apiKey }) };
          const measured = await measure({ server, probe, attacks }, attack, where);
          t.is(server.ended, null, server.log);
          t.is(server.pid, pid);
          t.notRegex(server.log, /a worker/);
          t.deepEqual(measured.waits.failures, []);
          const machineMs = measured.notRunMs + measured.yardstickMs;
          t.true(measured.worstWaitMs < waitMsMax + machineMs, JSON.stringify(measured));
          t.true(measured.peakBytes < measured.beforeBytes + peakBytesMax, JSON.stringify(measured));
          await eventually(
            "memory is back",
            () => memoryOf(pid) < measured.beforeBytes + leftBytesMax || undefined,
          );
        },
      );
    }
}
