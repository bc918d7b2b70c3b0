import type { EventEmitter } from "node:events";
import { drainingRefusal } from "#runtime";
import { grpcErrorOf } from "../errors/grpc.ts";

/** Streams of the standard services, which pass no pipeline. They have no end of their own: a server that stops ends them. */
export class OpenStreams {
  readonly #streams = new Set<EventEmitter>();
  #ended = false;

  add(stream: EventEmitter): void {
    if (this.#ended) {
      stop(stream);
      return;
    }
    this.#streams.add(stream);
    // Told at the end of every call, however it ends.
    stream.once("cancelled", () => this.#streams.delete(stream));
  }

  end(): void {
    this.#ended = true;
    for (const stream of this.#streams) stop(stream);
  }
}

function stop(stream: EventEmitter): void {
  stream.emit("error", grpcErrorOf(drainingRefusal(), ""));
}
