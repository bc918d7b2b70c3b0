import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import test from "ava";
import { needing } from "./needing.ts";
import { type Host, Network } from "./network.ts";

const onNamespaces = needing(test.serial, "namespaces");

/** Runs on a host: answers on port 9000, and connects to the address it is sent, for up to a second. */
const program = `
const net = require("node:net");
net.createServer((socket) => socket.end("here")).listen(9000, "0.0.0.0", () => process.send("up"));
process.on("message", (address) => {
  const socket = net.connect(9000, address, () => socket.on("data", () => end(true)));
  const end = (isReached) => { socket.destroy(); clearTimeout(timer); process.send(isReached); };
  const timer = setTimeout(() => end(false), 1000);
  socket.on("error", () => end(false));
});
`;

async function start({ command }: Host): Promise<ChildProcess> {
  const [first = "ip", ...rest] = [...command, process.execPath, "-e", program];
  const child = spawn(first, rest, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await once(child, "message");
  return child;
}

async function reaches(child: ChildProcess, address: string): Promise<boolean> {
  child.send(address);
  return (await once(child, "message"))[0] as boolean;
}

function clientReaches(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(9000, address, () => socket.on("data", () => resolve(true)));
    socket.on("error", () => resolve(false));
  });
}

onNamespaces(
  "a host that is cut off from its peers or the store cannot reach them, and clients can still reach it",
  async (t) => {
    const network = new Network();
    t.teardown(() => network.close());
    const [a, b] = [network.add(), network.add()];
    const [onA, onB] = await Promise.all([start(a), start(b)]);
    t.teardown(() => [onA, onB].map((child) => child.kill("SIGKILL")));
    t.true(await reaches(onA, b.address));
    for (const direction of ["both", "sending", "receiving"] as const) {
      network.cutFromPeers(a, direction);
      t.deepEqual(await Promise.all([reaches(onA, b.address), reaches(onB, a.address)]), [false, false]);
      t.true(await clientReaches(a.address), direction);
      network.heal();
      t.deepEqual(await Promise.all([reaches(onA, b.address), reaches(onB, a.address)]), [true, true]);
    }
    const store = createServer((socket) => socket.end("here")).listen(9000, network.storeAddress);
    t.teardown(() => store.close());
    await once(store, "listening");
    for (const direction of ["both", "sending", "receiving"] as const) {
      t.true(await reaches(onA, network.storeAddress));
      network.cutFromStore(a, direction);
      t.false(await reaches(onA, network.storeAddress), direction);
      t.true(await reaches(onA, b.address), direction);
      network.heal();
    }
  },
);
