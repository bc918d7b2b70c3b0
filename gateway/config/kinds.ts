import { createPublicKey } from "node:crypto";
import { isIP } from "node:net";
import { isObject, isZoneName, limits } from "#base";

/** How a setting is read from text or YAML and shown again. `parse` throws an Error that says what it wanted. */
export interface Kind<T> {
  readonly name: string;
  readonly parse: (raw: unknown) => T;
  readonly print: (value: T) => string;
  /** Keys below the setting's own are names in its value. */
  readonly isByName?: true;
}

/** A text that is kept as it was written. */
function textKind(name: string, wanted: string, isOne: (text: string) => boolean): Kind<string> {
  return {
    name,
    parse: (raw) => (typeof raw === "string" && isOne(raw) ? raw : fail(wanted)),
    print: (value) => value,
  };
}

export const text = textKind("text", "a text", () => true);

/** Where empty would mean something the operator did not ask for, such as the working folder. */
export const filled = textKind("text", "a text that is not empty", (raw) => raw.trim() !== "");

export const timeZone = textKind("time zone", "an IANA time zone such as Europe/Berlin", isZoneName);

export const flag: Kind<boolean> = {
  name: "true or false",
  parse(raw) {
    if (raw === true || raw === "true") return true;
    if (raw === false || raw === "false") return false;
    return fail("true or false");
  },
  print: String,
};

export function whole(bounds: { min: number; max: number }): Kind<number> {
  const name = `integer ${bounds.min} to ${bounds.max}`;
  return {
    name,
    parse(raw) {
      const value = typeof raw === "string" && /^-?[0-9]+$/.test(raw) ? Number(raw) : raw;
      if (typeof value !== "number" || !Number.isSafeInteger(value)) return fail(`an ${name}`);
      return value < bounds.min || value > bounds.max ? fail(`an ${name}`) : value;
    },
    print: String,
  };
}

export function decimal({ above, max }: { above: number; max: number }): Kind<number> {
  const name = `number above ${above}, up to ${max}`;
  return {
    name,
    parse(raw) {
      const value = typeof raw === "string" && /^[0-9]+(\.[0-9]+)?$/.test(raw) ? Number(raw) : raw;
      return typeof value === "number" && value > above && value <= max ? value : fail(`a ${name}`);
    },
    print: String,
  };
}

export function oneOf<const T extends string>(...values: readonly T[]): Kind<T> {
  return {
    name: values.join(" | "),
    parse: (raw) => values.find((value) => value === raw) ?? fail(`one of ${values.join(", ")}`),
    print: (value) => value,
  };
}

/** Milliseconds; written `250ms`, `30s`, `5m`, `24h`. A day at most, unless said: Node fires timers beyond 24 days at once. */
export function duration({ min, max = 24 * unitsMs.h }: { min: number; max?: number }): Kind<number> {
  const bounds = { min, max };
  return quantity(
    "duration",
    unitsMs,
    bounds,
    /^([0-9]{1,9})(ms|s|m|h)$/,
    "a duration such as 250ms, 30s or 5m",
  );
}

/** Bytes; a number, or `64KiB`, `4MiB`, `1GiB`. */
export function byteSize(bounds: { min: number; max: number }): Kind<number> {
  const written = /^([0-9]{1,15})(KiB|MiB|GiB|)$/;
  return quantity("bytes", unitBytes, bounds, written, "a number of bytes such as 4194304 or 4MiB");
}

type Units = Readonly<Record<string, number>>;

/** From the largest. */
const unitsMs = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
const unitBytes = { GiB: 1_024 ** 3, MiB: 1_024 ** 2, KiB: 1_024, "": 1 } as const;

function quantity(
  what: string,
  units: Units,
  { min, max }: { min: number; max: number },
  written: RegExp,
  wanted: string,
): Kind<number> {
  const print = (value: number) => inUnits(value, units);
  const bounds = `${print(min)} to ${print(max)}`;
  return {
    name: `${what} ${bounds}`,
    parse(raw) {
      const [, number, unit] = written.exec(String(raw)) ?? [];
      const value = unit === undefined ? -1 : Number(number) * units[unit]!;
      return value < min || value > max ? fail(`${wanted}: ${bounds}`) : value;
    },
    print,
  };
}

function inUnits(value: number, units: Units): string {
  const [unit, size] = Object.entries(units).find(
    ([, size]) => size === 1 || (value >= size && value % size === 0),
  )!;
  return `${value / size}${unit}`;
}

/** YAML list, or text with commas. */
export const list: Kind<readonly string[]> = {
  name: "list",
  parse(raw) {
    if (typeof raw === "string")
      return raw
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "");
    if (Array.isArray(raw) && raw.every((item) => typeof item === "string")) return raw;
    return fail("a list, in text separated by commas");
  },
  print: (value) => value.join(","),
};

function listKind(name: string, wanted: string, isOne: (item: string) => boolean): Kind<readonly string[]> {
  return {
    name,
    parse(raw) {
      const items = list.parse(raw);
      return items.every(isOne) ? items : fail(wanted);
    },
    print: list.print,
  };
}

export function listOf(...values: readonly string[]): Kind<readonly string[]> {
  return listKind(`list of ${values.join(", ")}`, `a list of ${values.join(", ")}`, (item) =>
    values.includes(item),
  );
}

/** Keys that signatures are checked with. */
export const publicKeys: Kind<readonly string[]> = {
  name: "list of public keys",
  parse(raw) {
    const items = list.parse(raw);
    return items.length <= limits.evidenceTrustedKeysMax && items.every(isPublicKey)
      ? items
      : fail(
          `at most ${limits.evidenceTrustedKeysMax} Ed25519 or ECDSA public keys, each SPKI (DER) in base64`,
        );
  },
  print: list.print,
};

function isPublicKey(text: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" });
    return key.asymmetricKeyType === "ed25519" || key.asymmetricKeyType === "ec";
  } catch {
    return false;
  }
}

/** What browsers send as `Origin`: anything else, a slash at the end even, would match no page and say nothing. */
export const origins = listKind(
  "list of origins",
  "origins such as https://app.example.com, without a path or a slash at the end, or *",
  (item) => item === "*" || (URL.canParse(item) && new URL(item).origin === item),
);

/** An address of the web, a path of this server where that makes sense, or nothing where that does. */
export function link(also: "path" | "empty"): Kind<string> {
  const orPath = also === "path" ? ", https://… or a path that begins with /" : " or https://…";
  return textKind("URL", `http://…${orPath}`, (raw) => {
    if (also === "path" ? /^\/(?!\/)\S*$/.test(raw) : raw === "") return true;
    return /^https?:\/\/[^\s/]/.test(raw) && URL.canParse(raw);
  });
}

const takenPaths = [
  ...["api", "auth", "connect", "console", "docs", "health", "metrics", "notifications", "openapi", "ready"],
  ...["scim", "workspaces"],
];

/** A path of its own: none that other doors have, now or later. */
export const freePath = textKind(
  "path",
  `a path such as /mcp, that does not begin with ${takenPaths.map((name) => `/${name}`).join(", ")}`,
  (raw) => /^(\/[a-z0-9_-]+)+$/.test(raw) && !takenPaths.some((name) => raw.split("/")[1]!.startsWith(name)),
);

const addressWanted = "an address such as 127.0.0.1:8080, [::1]:8080 or :8080";

/** `host:port`; without a host, all interfaces; port 0 takes any free one. */
export const address = textKind("host:port", addressWanted, isAddress);

/** An address that may also be empty: then it is not served. */
export const optionalAddress = textKind("host:port", addressWanted, (raw) => raw === "" || isAddress(raw));

function isAddress(raw: string): boolean {
  const [, port] = /^(?:\[[0-9a-fA-F:.]+\]|[^:[\]\s]*):([0-9]{1,5})$/.exec(raw) ?? [];
  return port !== undefined && Number(port) <= 65_535;
}

export function splitAddress(value: string): { host: string; port: number } {
  const colon = value.lastIndexOf(":");
  const host = value.slice(0, colon).replace(/^\[|\]$/g, "");
  return { host: host === "" ? "0.0.0.0" : host, port: Number(value.slice(colon + 1)) };
}

/**
 * All keys under a prefix, e.g. `deprecation.sunset.PoolService.ListPools`; in one text `Name=date`, separated by
 * semicolons, because dates of HTTP have commas.
 */
function byName(what: string, isOne: (value: unknown) => boolean, wanted: string): Named {
  return {
    name: `${what} by name`,
    isByName: true,
    parse(raw) {
      const named = typeof raw === "string" ? raw.split(";").map((part) => part.trim()) : raw;
      if (typeof named !== "object" || named === null) return fail(`names with a ${what} each`);
      const entries = Array.isArray(named)
        ? named.filter((part) => part !== "").map((part) => pairOf(part as string, what))
        : Object.entries(named);
      return entries.every(([, value]) => isOne(value)) ? Object.fromEntries(entries) : fail(wanted);
    },
    print: (value) =>
      Object.entries(value)
        .map(([name, item]) => `${name}=${item}`)
        .join("; "),
  };
}

type Named = Kind<Readonly<Record<string, string>>>;

export const datesByName = byName("HTTP date", isHttpDate, "a date such as Mon, 01 Jan 2029 00:00:00 GMT");
export const keysByName = byName("key", isKey, "32 bytes in base64 for each key id");

/** What a client certificate stands for. */
export interface Identity {
  readonly roles: readonly string[];
  /** Absent: what the roles grant is not narrowed. */
  readonly scopes?: readonly string[];
  /** Absent: a platform principal. */
  readonly tenant?: string;
}

/** In YAML a map by name; in one text the same as JSON. Names have dots, so what comes member by member ends with its name. */
export const identitiesByName: Kind<Readonly<Record<string, Identity>>> = {
  name: "identity by name",
  isByName: true,
  parse(raw) {
    const named = typeof raw === "string" ? identitiesText(raw) : raw;
    if (!isObject(named)) return fail(identityWanted);
    const found: Record<string, Identity> = {};
    for (const [name, value] of Object.entries(named)) {
      const [, member] = /\.(roles|scopes|tenant)$/.exec(name) ?? [];
      const isWhole = isObject(value);
      if (!isWhole && member === undefined) return fail(identityWanted);
      const of = isWhole ? name : name.slice(0, -member!.length - 1);
      found[of] = identityOf(found[of], isWhole ? (value as object) : { [member!]: value });
    }
    return found;
  },
  print: (value) => (Object.keys(value).length === 0 ? "" : JSON.stringify(value)),
};

const identityWanted = 'names with roles, scopes and tenant, as text {"spiffe://…": {"roles": ["operator"]}}';

function identitiesText(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return fail(identityWanted);
  }
}

function identityOf(before: Identity | undefined, given: object): Identity {
  const { roles, scopes, tenant, ...more } = { ...before, ...given } as Record<string, unknown>;
  if (Object.keys(more).length > 0 || (tenant !== undefined && typeof tenant !== "string"))
    return fail(identityWanted);
  return {
    roles: list.parse(roles ?? []),
    ...(scopes !== undefined && { scopes: list.parse(scopes) }),
    ...(tenant !== undefined && { tenant }),
  };
}

/** 32 bytes in base64, or empty. */
export const optionalKey = textKind(
  "32 bytes in base64",
  "32 bytes in base64 (44 characters)",
  (raw) => raw === "" || isKey(raw),
);

/** The name of a key is part of what it seals. */
export const keyId = textKind("key id", "1 to 32 letters, digits, _ or -", (raw) =>
  /^[a-zA-Z0-9_-]{1,32}$/.test(raw),
);

/** `10.1.0.0/16`, `fd00::/8`, or a single address. */
export const networks = listKind("list of networks", "networks such as 10.1.0.0/16 or fd00::/8", isNetwork);

/** `api.example.com`, or `*.example.com` for every name below it. */
export const domains: Kind<readonly string[]> = {
  name: "list of domain names",
  parse(raw) {
    const items = list.parse(raw).map((item) => item.toLowerCase());
    const isDomain = (item: string) => /^(\*\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9-]+$/.test(item);
    return items.every(isDomain) ? items : fail("domain names such as api.example.com or *.example.com");
  },
  print: list.print,
};

function isNetwork(item: string): boolean {
  const [address, bits, more] = item.split("/");
  const family = isIP(address!);
  if (family === 0 || more !== undefined) return false;
  return bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function isKey(value: unknown): boolean {
  return typeof value === "string" && /^[A-Za-z0-9+/]{43}=$/.test(value);
}

function pairOf(text: string, what: string): [string, string] {
  const mark = text.indexOf("=");
  return mark <= 0
    ? fail(`Name=${what}, several with semicolons`)
    : [text.slice(0, mark), text.slice(mark + 1)];
}

function isHttpDate(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const date = new Date(value);
  return !Number.isNaN(date.getTime()) && date.toUTCString() === value;
}

function fail(wanted: string): never {
  throw new Error(`must be ${wanted}`);
}
