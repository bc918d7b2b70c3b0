import { EventEmitter } from "node:events";
import type { Server } from "@grpc/grpc-js";
import test from "ava";
import { addHealth } from "./health.ts";
import { OpenStreams } from "./open-streams.ts";

test("a watch that has ended leaves nothing behind, whether its name is known or not", (t) => {
  let watch!: (stream: WatchStream) => void;
  const server = {
    addService: (_definition: unknown, implementation: { watch: typeof watch }) => {
      watch = implementation.watch;
    },
  };
  const streams = new OpenStreams();
  const health = addHealth(server as unknown as Server, ["a.Service"], streams);
  const open = (service: string) => {
    const stream = new WatchStream(service);
    watch(stream);
    return stream;
  };
  const ended = ["a.Service", "nobody"].map(open);
  const staying = ["a.Service", "nobody"].map(open);
  for (const stream of ended) stream.emit("cancelled");
  health.stop();
  streams.end();
  t.deepEqual(
    [...ended, ...staying].map(({ told, errors }) => [told, errors]),
    [
      [["SERVING"], 0],
      [["SERVICE_UNKNOWN"], 0],
      [["SERVING", "NOT_SERVING"], 1],
      [["SERVICE_UNKNOWN"], 1],
    ],
  );
  for (const stream of ended) t.is(stream.listenerCount("cancelled"), 0);
});

class WatchStream extends EventEmitter {
  readonly request: { readonly service: string };
  readonly told: string[] = [];
  errors = 0;

  constructor(service: string) {
    super();
    this.request = { service };
    this.on("error", () => this.errors++);
  }

  write({ status }: { readonly status: string }): boolean {
    this.told.push(status);
    return true;
  }
}
