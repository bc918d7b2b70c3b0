import type { ServerDuplexStream, ServerWritableStream } from "@grpc/grpc-js";
import { drainingRefusal } from "#runtime";
import { grpcErrorOf } from "../errors/grpc.ts";

export type StandardStream = ServerWritableStream<unknown, unknown> | ServerDuplexStream<unknown, unknown>;

/** Streams of the standard services, which pass no pipeline. They have no end of their own: a server that stops ends them. */
export class OpenStreams {
  readonly #streams = new Set<StandardStream>();
  #ended = false;

  add(stream: StandardStream): void {
    if (this.#ended) {
      stop(stream);
      return;
    }
    this.#streams.add(stream);
    // Told at the end of every call, however it ends.
    (stream as ServerDuplexStream<unknown, unknown>).once("cancelled", () => this.#streams.delete(stream));
  }

  end(): void {
    this.#ended = true;
    for (const stream of this.#streams) stop(stream);
  }
}

function stop(stream: StandardStream): void {
  (stream as ServerDuplexStream<unknown, unknown>).emit("error", grpcErrorOf(drainingRefusal(), ""));
}
