import { join } from "node:path";
import type { Config } from "../config/index.ts";

/** Where a node keeps what belongs to its audit log. */
export interface AuditPaths {
  readonly log: string;
  /** The signed position of the chain: shows that the end of the log was cut off. */
  readonly head: string;
  readonly signingKey: string;
  readonly publicKey: string;
}

export function auditPaths(config: Config): AuditPaths {
  const inFolder = (name: string) => join(config["storage.dir"], name);
  return {
    log: config["audit.file"] || inFolder("audit.log"),
    head: inFolder("audit.head"),
    signingKey: config["audit.signing_key_file"] || inFolder("audit-signing.key"),
    publicKey: inFolder("audit-signing.pub"),
  };
}
