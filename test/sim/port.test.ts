import { MessageChannel, type MessagePort } from "node:worker_threads";
import test from "ava";
import { eventually } from "../support/eventually.ts";
import { connect } from "./port.ts";
import type { Process } from "./process.ts";

const process = { receive: (_label, _delayMs, act) => void setImmediate(act) } as Pick<Process, "receive">;

function simulated(): [MessagePort, MessagePort] {
  const [one, other] = connect(process as Process, process as Process, () => 0);
  return [one.asPort, other.asPort];
}

function real(): [MessagePort, MessagePort] {
  const { port1, port2 } = new MessageChannel();
  return [port1, port2];
}

for (const [kind, open] of Object.entries({ simulated, real }))
  for (const closing of ["one end closes", "both ends close"])
    test(`a ${kind} port, ${closing}: each end is told once`, async (t) => {
      const ports = open();
      const told = [0, 0];
      for (const [end, port] of ports.entries()) {
        port.on("message", () => undefined);
        port.on("close", () => told[end]!++);
      }
      ports[0].close();
      if (closing === "both ends close") ports[1].close();
      await eventually("both are told", () => told.every((count) => count > 0) || undefined);
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      t.deepEqual(told, [1, 1]);
    });
