/** How a setting is read from text or YAML and shown again. `parse` throws an Error that says what it wanted. */
export interface Kind<T> {
  readonly name: string;
  readonly parse: (raw: unknown) => T;
  readonly print: (value: T) => string;
}

export const text: Kind<string> = {
  name: "text",
  parse: (raw) => (typeof raw === "string" ? raw : fail("a text")),
  print: (value) => value,
};

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

export function oneOf<const T extends string>(...values: readonly T[]): Kind<T> {
  return {
    name: values.join(" | "),
    parse: (raw) => values.find((value) => value === raw) ?? fail(`one of ${values.join(", ")}`),
    print: (value) => value,
  };
}

/** Milliseconds; written `250ms`, `30s`, `5m`, `24h`. */
export const duration: Kind<number> = {
  name: "duration",
  parse(raw) {
    const match = typeof raw === "string" ? /^([0-9]{1,9})(ms|s|m|h)$/.exec(raw) : null;
    if (match === null) return fail("a duration such as 250ms, 30s or 5m");
    return Number(match[1]) * unitsMs[match[2] as keyof typeof unitsMs];
  },
  print(value) {
    for (const unit of ["h", "m", "s"] as const)
      if (value >= unitsMs[unit] && value % unitsMs[unit] === 0) return `${value / unitsMs[unit]}${unit}`;
    return `${value}ms`;
  },
};

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Bytes; a number, or `64KiB`, `4MiB`, `1GiB`. */
export const byteSize: Kind<number> = {
  name: "bytes",
  parse(raw) {
    const match = /^([0-9]{1,15})(KiB|MiB|GiB)?$/.exec(String(raw));
    if (match === null) return fail("a number of bytes such as 4194304 or 4MiB");
    return Number(match[1]) * (match[2] === undefined ? 1 : unitBytes[match[2] as keyof typeof unitBytes]);
  },
  print(value) {
    for (const unit of ["GiB", "MiB", "KiB"] as const)
      if (value >= unitBytes[unit] && value % unitBytes[unit] === 0)
        return `${value / unitBytes[unit]}${unit}`;
    return String(value);
  },
};

const unitBytes = { KiB: 1_024, MiB: 1_024 ** 2, GiB: 1_024 ** 3 } as const;

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

/** `host:port`; without a host, all interfaces; port 0 takes any free one. Empty: not served. */
export const address: Kind<string> = {
  name: "host:port",
  parse(raw) {
    if (raw === "") return "";
    const port =
      typeof raw === "string" ? /^(?:\[[0-9a-fA-F:.]+\]|[^:[\]\s]*):([0-9]{1,5})$/.exec(raw)?.[1] : undefined;
    if (port === undefined || Number(port) > 65_535)
      return fail("an address such as 127.0.0.1:8080, [::1]:8080 or :8080");
    return raw as string;
  },
  print: (value) => value,
};

export function splitAddress(value: string): { host: string; port: number } {
  const colon = value.lastIndexOf(":");
  const host = value.slice(0, colon).replace(/^\[|\]$/g, "");
  return { host: host === "" ? "0.0.0.0" : host, port: Number(value.slice(colon + 1)) };
}

/** All keys under a prefix, e.g. `deprecation.sunset.PoolService.ListPools`. */
export const texts: Kind<Readonly<Record<string, string>>> = {
  name: "text by name",
  parse(raw) {
    if (typeof raw !== "object" || raw === null) return fail("names with a text each");
    const entries = Object.entries(raw);
    return entries.every(([, value]) => typeof value === "string")
      ? Object.fromEntries(entries)
      : fail("a text");
  },
  print: (value) =>
    Object.entries(value)
      .map(([name, item]) => `${name}=${item}`)
      .join(","),
};

function fail(wanted: string): never {
  throw new Error(`must be ${wanted}`);
}
