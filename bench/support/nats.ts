import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../test/support/free-port.ts";
import { natsPath } from "../../test/support/parts.ts";
import { inFolder } from "./folder.ts";

/** A separate NATS server whose JetStream syncs every write before it answers, with one stream on files. */
export function onDurableNats<Result>(use: (port: number) => Promise<Result>): Promise<Result> {
  return inFolder(async (dir) => {
    const port = await freePort();
    const settings = join(dir, "nats.conf");
    const text = `host: 127.0.0.1\nport: ${port}\njetstream { store_dir: "${dir}/data", sync_interval: always }\n`;
    await writeFile(settings, text);
    const server = spawn(natsPath()!, ["-c", settings], { stdio: "ignore" });
    await once(server, "spawn");
    await sleep(1_000);
    const lane = new NatsLane(port, "made");
    const stream = {
      name: "bench",
      subjects: ["bench"],
      storage: "file",
      num_replicas: 1,
      allow_atomic: true,
    };
    await lane.send(lane.publish("$JS.API.STREAM.CREATE.bench", Buffer.from(JSON.stringify(stream))), 1);
    lane.close();
    const result = await use(port);
    server.kill("SIGKILL");
    await once(server, "exit");
    return result;
  });
}

/** A connection that counts the acknowledgements, with as little work as possible. */
export class NatsLane {
  readonly #socket: Socket;
  readonly #inbox: string;
  #text = "";
  #left = 0;
  #done: (error?: Error) => void = () => {};

  constructor(port: number, name: string) {
    this.#inbox = `_INBOX.${name}`;
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.setEncoding("latin1");
    this.#socket.write(`CONNECT {"verbose":false,"headers":true}\r\nSUB ${this.#inbox} 1\r\n`);
    this.#socket.on("data", (chunk: string) => this.#read(chunk));
  }

  /** Bytes that publish a message and ask for its acknowledgement. */
  publish(subject: string, body: Buffer): Buffer {
    return Buffer.concat([
      Buffer.from(`PUB ${subject} ${this.#inbox} ${body.length}\r\n`),
      body,
      Buffer.from("\r\n"),
    ]);
  }

  /** Bytes that publish one message of an atomic batch; the last one commits it and is acknowledged. */
  publishOf(batch: string, index: number, { body, isLast }: { body: Buffer; isLast: boolean }): Buffer {
    const commit = isLast ? "Nats-Batch-Commit: 1\r\n" : "";
    const head = `NATS/1.0\r\nNats-Batch-Id: ${batch}\r\nNats-Batch-Sequence: ${index + 1}\r\n${commit}\r\n`;
    const reply = isLast ? ` ${this.#inbox}` : "";
    return Buffer.concat([
      Buffer.from(`HPUB bench${reply} ${head.length} ${head.length + body.length}\r\n${head}`),
      body,
      Buffer.from("\r\n"),
    ]);
  }

  /** Resolves when this many acknowledgements have arrived. */
  send(write: Buffer, acknowledgements: number): Promise<void> {
    this.#left = acknowledgements;
    return new Promise((resolve, reject) => {
      this.#done = (error) => (error ? reject(error) : resolve());
      this.#socket.write(write);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#text += chunk;
    for (let end = this.#text.indexOf("\r\n"); end >= 0; end = this.#text.indexOf("\r\n")) {
      const line = this.#text.slice(0, end);
      if (line === "PING") this.#socket.write("PONG\r\n");
      let next = end + 2;
      if (line.startsWith("MSG") || line.startsWith("HMSG")) {
        next += Number(line.slice(line.lastIndexOf(" ") + 1)) + 2;
        if (this.#text.length < next) return;
        const body = this.#text.slice(end + 2, next - 2);
        if (body.includes('"error"') || line.startsWith("HMSG")) this.#done(new Error(body));
        else if (--this.#left === 0) this.#done();
      } else if (line.startsWith("-ERR")) this.#done(new Error(line));
      this.#text = this.#text.slice(next);
    }
  }
}
