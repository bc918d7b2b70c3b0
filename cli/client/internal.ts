import type { Pem } from "#sdk/calls";
import type { Given } from "../command.ts";
import { misunderstood } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { type Server, serverAt } from "./server.ts";
import { headersOf, read, textOf } from "./settings.ts";

/**
 * The internal plane that `--addr` or the settings name, with the token that `--token` or SERVICE_TOKEN is, or one that is
 * signed with internal.token_secret of the settings.
 */
export async function internalServer(flags: Given["flags"], terminal: Terminal): Promise<Server> {
  // Not a setting of the service: it is taken out before the settings are read, or they would warn of it.
  const { SERVICE_TOKEN: ofEnvironment, ...environment } = terminal.environment;
  const [addr, token = ofEnvironment] = [textOf(flags.addr), textOf(flags.token)];
  const isGiven = addr !== undefined && token !== undefined;
  const settings = isGiven
    ? undefined
    : await (await import("../internal-settings.ts")).internalSettings(flags, { ...terminal, environment });
  const bearer = token ?? settings?.token;
  const tls = tlsOf(flags);
  const tenant = textOf(flags.tenant);
  const headers = {
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(tenant !== undefined && { "x-tenant-id": tenant }),
    ...headersOf(flags.header),
  };
  const url = urlOf(tls === undefined ? "http" : "https", addr ?? settings!.addr);
  return serverAt({ url, headers, warn: terminal.err, isInternal: true, ...(tls && { tls }) });
}

/** A certificate and its key are given together; `--ca` alone is for a node whose certificate an authority of its own signed. */
function tlsOf({ cert, key, ca }: Given["flags"]): Server["tls"] | undefined {
  if ((cert === undefined) !== (key === undefined))
    throw misunderstood("--cert and --key are given together");
  if (cert === undefined && ca === undefined) return undefined;
  return {
    ...(cert !== undefined && { cert: pemIn(String(cert)), key: pemIn(String(key)) }),
    ...(ca !== undefined && { ca: pemIn(String(ca)) }),
  };
}

function pemIn(file: string): Pem {
  return { file, text: read(file).toString() };
}

function urlOf(scheme: string, address: string): string {
  const [, host, port] = /^(.*):(\d+)$/.exec(address) ?? [];
  if (port === undefined) throw misunderstood(`${address} is not host:port`);
  return `${scheme}://${host === "" ? "127.0.0.1" : host}:${port}`;
}
