import { type Server, type ServerWritableStream, type sendUnaryData, status } from "@grpc/grpc-js";
import { service as healthDefinition } from "grpc-health-check";
import type { OpenStreams } from "./open-streams.ts";

export interface Health {
  /** Says NOT_SERVING from here on, to those that watch too. */
  stop(): void;
}

interface HealthRequest {
  readonly service: string;
}
interface HealthResponse {
  readonly status: "SERVING" | "NOT_SERVING" | "SERVICE_UNKNOWN";
}

/**
 * The standard health service, open to everyone: probes have no credentials. Its package brings one, too, which keeps every
 * name that anybody has ever watched.
 */
export function addHealth(server: Server, services: readonly string[], streams: OpenStreams): Health {
  const known = new Set(["", ...services]);
  const watching = new Set<(response: HealthResponse) => void>();
  let current: HealthResponse = { status: "SERVING" };

  server.addService(healthDefinition, {
    check({ request }: { request: HealthRequest }, callback: sendUnaryData<HealthResponse>) {
      if (known.has(request.service)) callback(null, current);
      else callback({ code: status.NOT_FOUND, details: "there is no such service here" });
    },
    watch(stream: ServerWritableStream<HealthRequest, HealthResponse>) {
      streams.add(stream);
      if (!known.has(stream.request.service)) {
        stream.write({ status: "SERVICE_UNKNOWN" });
        return;
      }
      const tell = (response: HealthResponse) => void stream.write(response);
      watching.add(tell);
      stream.once("cancelled", () => watching.delete(tell));
      tell(current);
    },
    list(_: unknown, callback: sendUnaryData<unknown>) {
      callback(null, { statuses: Object.fromEntries([...known].map((name) => [name, current])) });
    },
  });
  return {
    stop() {
      current = { status: "NOT_SERVING" };
      for (const tell of watching) tell(current);
    },
  };
}
