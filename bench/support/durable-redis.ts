import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../test/support/free-port.ts";
import { inFolder } from "./folder.ts";

/** A separate Redis that syncs every write before it answers. */
export function onDurableRedis<Result>(use: (port: number) => Promise<Result>): Promise<Result> {
  return inFolder(async (dir) => {
    const port = await freePort();
    const redis = spawn(
      "redis-server",
      ["--port", String(port), "--dir", dir, "--save", "", "--appendonly", "yes", "--appendfsync", "always"],
      { stdio: "ignore" },
    );
    await sleep(500);
    const result = await use(port);
    redis.kill("SIGKILL");
    await once(redis, "exit");
    return result;
  });
}

/** `XADD stream * d <value>`, this many times, as one write. */
export function xadds(count: number, value: string): Buffer {
  const parts = ["XADD", "stream", "*", "d", value].map((part) => `$${part.length}\r\n${part}\r\n`);
  return Buffer.from(`*5\r\n${parts.join("")}`.repeat(count));
}

/** A connection that counts the returned ids, with as little work as possible. */
export class RedisLane {
  readonly #socket: Socket;
  #lines = 0;
  #wanted = 0;
  #done: (error?: Error) => void = () => {};

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (chunk: Buffer) => {
      if (chunk[0] === 45 || chunk.includes("\n-")) this.#done(new Error(chunk.toString()));
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.#lines++;
      if (this.#lines >= this.#wanted) this.#done();
    });
  }

  /** Resolves when all `commands` of the write are answered. */
  send(write: Buffer, commands: number): Promise<void> {
    // An id takes two lines: its length and itself.
    this.#wanted = commands * 2;
    this.#lines = 0;
    return new Promise((resolve, reject) => {
      this.#done = (error) => (error ? reject(error) : resolve());
      this.#socket.write(write);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
