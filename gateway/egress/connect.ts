import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type OutgoingConnection, OutgoingError } from "#actors";
import type { EgressGuard } from "./guard.ts";

/** A connection to the address that the guard has checked; of TLS, the certificate must be that of the name. */
export async function connect(guard: EgressGuard, target: OutgoingConnection): Promise<Socket> {
  const { host, port, tls, signal, timeoutMs } = target;
  const address = await guard.addressOf({ host, port });
  return new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const socket =
      tls === undefined
        ? connectTcp({ host: address, port })
        : connectTls({ host: address, port, ...servername, ...tls });
    const end = (error: OutgoingError) => {
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => end(new OutgoingError("timeout", `${host}:${port} took longer than ${timeoutMs} ms to connect`)),
      timeoutMs,
    );
    const aborted = () => end(new OutgoingError("aborted", "the caller went away"));
    signal?.addEventListener("abort", aborted, { once: true });
    let reached = false;
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    };
    socket.once("connect", () => {
      reached = true;
    });
    socket.once(tls === undefined ? "connect" : "secureConnect", () => {
      done();
      socket.removeListener("error", failed);
      resolve(socket);
    });
    const failed = (error: Error) => {
      done();
      end(
        new OutgoingError(reached ? "tls" : "connect", `${host}:${port}: ${error.message}`, { cause: error }),
      );
    };
    socket.once("error", failed);
    if (signal?.aborted) aborted();
  });
}
