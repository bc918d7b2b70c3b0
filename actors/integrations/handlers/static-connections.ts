import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { asError, type Clock, isObject, limits, refusalError } from "#base";
import type { JsonObject, OutboundConnection } from "../../notify/outbound/types.ts";

/** The name of a static connection in an integration. */
export const staticPrefix = "static:";

/**
 * Connections of a file that the operator keeps: by tenant and name, with `provider`, `config` and `credential`. `${NAME}` in a text is
 * an environment variable. The file is read again when it is asked for and 10 s have passed; one that cannot be read leaves what
 * was read before.
 */
export class StaticConnections {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #readAt = Number.NEGATIVE_INFINITY;
  #read: Promise<Connections> | undefined;
  #good: Connections | undefined;

  constructor(file: string, clock: Clock, environment = process.env) {
    this.#file = file;
    this.#clock = clock;
    this.#environment = environment;
  }

  /** `undefined`: the tenant has no such connection. Throws a refusal where the file was never readable. */
  async get(tenant: string, name: string): Promise<OutboundConnection | undefined> {
    if (this.#file === "") return undefined;
    const now = this.#clock.now();
    if (this.#read === undefined || now - this.#readAt >= limits.connectionsFileMs) {
      this.#readAt = now;
      this.#read = this.#load();
    }
    const connections = await this.#read;
    return connections.get(`${tenant} ${name}`);
  }

  async #load(): Promise<Connections> {
    try {
      this.#good = connectionsOf(parse(await readFile(this.#file, "utf8")), this.#environment);
      return this.#good;
    } catch (error) {
      if (this.#good) return this.#good;
      this.#read = undefined;
      throw refusalError("FAILED_PRECONDITION", `notification.connections_file: ${asError(error).message}`, {
        reason: "CONNECTIONS_FILE",
      });
    }
  }
}

type Connections = ReadonlyMap<string, OutboundConnection>;

function connectionsOf(
  file: unknown,
  environment: Readonly<Record<string, string | undefined>>,
): Connections {
  const found = new Map<string, OutboundConnection>();
  const { tenants } = objectOf(file, "the file");
  for (const [tenant, names] of Object.entries(objectOf(tenants, "tenants")))
    for (const [name, given] of Object.entries(objectOf(names, tenant))) {
      const { provider, config = {}, credential = {} } = objectOf(given, `${tenant}.${name}`);
      if (typeof provider !== "string") throw new Error(`${tenant}.${name}.provider must be a text`);
      found.set(`${tenant} ${name}`, {
        providerKey: provider,
        config: filledMembers(objectOf(config, `${tenant}.${name}.config`), environment),
        credential: filledMembers(objectOf(credential, `${tenant}.${name}.credential`), environment),
      });
    }
  return found;
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (!isObject(value)) throw new Error(`${what} must be an object`);
  return value;
}

type Environment = Readonly<Record<string, string | undefined>>;

function filledMembers(members: JsonObject, environment: Environment): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, one]) => [name, filled(one, environment)]));
}

function filled(value: unknown, environment: Environment): unknown {
  if (typeof value === "string")
    return value.replaceAll(/\$\{([A-Z][A-Z0-9_]*)\}/g, (_, name: string) => {
      const text = environment[name];
      if (text === undefined) throw new Error(`the environment variable ${name} is not set`);
      return text;
    });
  if (Array.isArray(value)) return value.map((one) => filled(one, environment));
  return isObject(value) ? filledMembers(value, environment) : value;
}
