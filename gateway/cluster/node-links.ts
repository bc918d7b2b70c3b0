import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Logger } from "pino";
import { limits } from "#base";
import type { FramePort, Member } from "#runtime";
import type { Config } from "../config/index.ts";
import { readCertificates } from "../http/certificates.ts";
import { isNodeToken, makeNodeToken } from "./node-token.ts";
import { StreamPort } from "./stream-port.ts";

/** Where a node takes the links of others: a path of its internal plane. */
export const nodeLinkPath = "/_cluster/link";

const nodeHeader = "x-switchyard-node";

/** Opens a stream to the internal plane of another node, in both directions, for as long as both live. */
export async function dialNode(config: Config, self: string, { address }: Member): Promise<FramePort> {
  const session = openSession(config, address);
  const secret = config["internal.token_secret"];
  const stream = session.request({
    ":method": "POST",
    ":path": nodeLinkPath,
    [nodeHeader]: self,
    ...(secret === "" ? {} : { authorization: `Bearer ${makeNodeToken(secret, self)}` }),
  });
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (error?: unknown) => reject(error ?? new Error(`no link to ${address}`));
      const timer = setTimeout(fail, limits.nodeDialAnswerMs);
      session.once("error", fail);
      stream.once("error", fail);
      stream.once("close", fail);
      stream.once("response", (headers) => {
        clearTimeout(timer);
        stream.off("close", fail);
        if (headers[":status"] === 200) resolve();
        else fail(new Error(`${address} answered ${headers[":status"]}`));
      });
    });
  } catch (error) {
    session.destroy();
    throw error;
  }
  session.on("error", () => session.destroy());
  return new StreamPort(stream, () => session.destroy());
}

function openSession(config: Config, address: string): ClientHttp2Session {
  if (!config["server.internal_require_mtls"]) return connect(`http://${address}`);
  const tls = readCertificates({
    ca: config["server.internal_tls_ca_file"],
    cert: config["server.internal_tls_cert_file"],
    key: config["server.internal_tls_key_file"],
  });
  return connect(`https://${address}`, tls);
}

export interface NodeDoor {
  readonly config: Config;
  readonly log: Logger;
  readonly accept: (node: string, port: FramePort) => void;
}

/** Takes the link of another node, if it can show that it is one. */
export function acceptNodeLink(
  { config, log, accept }: NodeDoor,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): void {
  stream.on("error", () => undefined);
  const node = String(headers[nodeHeader] ?? "");
  if (node === "" || !isNode(config, node, headers.authorization ?? "")) {
    log.warn({ node }, "the link of a node was refused: it has no token of internal.token_secret");
    stream.respond({ ":status": 401 }, { endStream: true });
    return;
  }
  stream.respond({ ":status": 200 });
  accept(node, new StreamPort(stream));
}

function isNode(config: Config, node: string, authorization: string): boolean {
  const secrets = [config["internal.token_secret"], config["internal.token_secret_previous"]];
  const known = secrets.filter((secret) => secret !== "");
  if (known.length === 0) return !config["auth.enabled"];
  return isNodeToken(authorization.replace(/^Bearer /, ""), known, node);
}
