import type { Flag } from "../command.ts";

/** Which service is asked, and as whom. */
export const serverFlags: readonly Flag[] = [
  { flag: "--url <url>", about: "of the service; also SWITCHYARD_URL (http://127.0.0.1:8080)" },
  { flag: "--context <name>", about: "of `service contexts`; also SWITCHYARD_CONTEXT" },
  { flag: "--key-file <file>", about: "the API key; also SWITCHYARD_API_KEY, SWITCHYARD_TOKEN" },
  { flag: "--tenant <id>", about: "also SWITCHYARD_TENANT" },
  { flag: "--environment <name>", about: "also SWITCHYARD_ENVIRONMENT" },
  { flag: "-H, --header <line>", about: "of the request: `name: value`", many: true },
];

/** The same of the internal plane. */
export const internalFlags: readonly Flag[] = [
  {
    flag: "--addr <host:port>",
    about: "of the node's internal plane (default: server.internal_addr of the settings)",
  },
  {
    flag: "--token <token>",
    about: "service token; also SERVICE_TOKEN (default: signed with internal.token_secret)",
  },
  { flag: "--cert <file>", about: "client certificate, where server.internal_require_mtls is set" },
  { flag: "--key <file>", about: "its key" },
  { flag: "--ca <file>", about: "who signed the node's certificate" },
  { flag: "--tenant <id>", about: "as X-Tenant-ID" },
  { flag: "-H, --header <line>", about: "of the request: `name: value`", many: true },
  { flag: "--config <file>", about: "the settings" },
  { flag: "--set <key=value>", about: "a setting", many: true },
];
