import { fileURLToPath } from "node:url";
import type { Stats } from "./bench.ts";
import { loadFrom } from "./http-load.ts";

export interface GrpcLoad {
  readonly port: number;
  readonly connections: number;
  readonly callsPerConnection: number;
  /** Answers before counting begins, and counted answers. */
  readonly warmCalls: number;
  readonly calls: number;
  readonly path: string;
  readonly messageBase64: string;
  /** A shorter answer ends the run with an error. */
  readonly answerBytesMin: number;
}

/** Loads a gRPC server of this process from another process. */
export function loadGrpc(load: GrpcLoad): Promise<Stats> {
  return loadFrom(fileURLToPath(new URL("./grpc-client.ts", import.meta.url)), load);
}
