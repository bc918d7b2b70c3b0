import type { Context, Variables } from "./contexts.ts";
import { SwitchyardError, unusable } from "./errors.ts";
import type { Fetch } from "./fetch.ts";
import type { Pem } from "./node-fetch.ts";

/** How a client finds its server, and who it is. What is not given comes from the environment (`SWITCHYARD_URL`, …). */
export interface SwitchyardOptions {
  /** `http://127.0.0.1:8080` where nothing says otherwise. */
  readonly url?: string;
  readonly apiKey?: string;
  /** Asked before every request and connection, so that it may renew what it returns. */
  readonly token?: () => string | Promise<string>;
  readonly tenant?: string;
  readonly environment?: string;
  /** One of `service contexts`, in Node: where the server is and as whom it is called. It goes before the environment. */
  readonly context?: string;
  /** Of a whole call with its retries. */
  readonly timeoutMs?: number;
  readonly retries?: number;
  /** Default: that of the platform. */
  readonly fetch?: Fetch;
  /** Takes what may be wrong and stops nothing. Default: `console.warn`. */
  readonly warn?: (message: string) => void;
}

export interface Settings {
  readonly timeoutMs: number;
  readonly retries: number;
  warn(message: string): void;
  /** Asked before every request and connection. */
  target(): Promise<Target>;
}

interface Target {
  /** Without a slash at its end. */
  readonly url: string;
  /** Credential, tenant and environment. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  /** Who signed the certificate of the server, where that is an authority of one's own. */
  readonly ca?: Pem;
}

export interface Surroundings {
  readonly variables?: Variables;
  /** Without a name of a context, the one that `service contexts use` has named. */
  readonly usesCurrent?: boolean;
}

export function settingsOf(
  options: SwitchyardOptions,
  { variables = processVariables(), usesCurrent = false }: Surroundings = {},
): Settings {
  if (options.apiKey !== undefined && options.token !== undefined)
    throw new TypeError("give apiKey or token, not both");
  for (const url of [options.url, variables.SWITCHYARD_URL]) if (url) addressOf(url);
  if (options.apiKey !== undefined) sendable(options.apiKey);
  let found: Promise<Identity> | undefined;
  return {
    timeoutMs: options.timeoutMs ?? 30_000,
    retries: options.retries ?? 5,
    warn: options.warn ?? ((message) => console.warn(message)),
    async target() {
      found ??= identityOf(options, variables, usesCurrent);
      const { url, fetch, headers, token, ca } = await found.catch((error: unknown) => {
        found = undefined;
        throw error;
      });
      const own = token && `Bearer ${sendable(await token(), "what token() returned", "UNAUTHENTICATED")}`;
      const all = { ...headers, ...(own !== undefined && { authorization: own }) };
      return { url, fetch, headers: all, ...(ca !== undefined && { ca }) };
    },
  };
}

interface Identity extends Target {
  readonly token?: () => string | Promise<string>;
}

/** Options, then the environment, then the context. A context that an option names goes before the environment. */
async function identityOf(
  options: SwitchyardOptions,
  variables: Variables,
  usesCurrent: boolean,
): Promise<Identity> {
  const own = ofEnvironment(variables);
  const name = options.context ?? own.context;
  const stored = name !== undefined || usesCurrent ? await storedUnder(name, variables) : undefined;
  const { context = {} } = stored ?? {};
  const isFirst = options.context !== undefined;
  const sources: readonly Place[] = isFirst ? [options, context, own] : [options, own, context];
  const first = (field: keyof Place) => sources.map((source) => source[field]).find(Boolean);
  const url = addressOf(first("url") ?? usualUrl);
  const [tenant, environment] = [first("tenant"), first("environment")];
  // A credential replaces those of later places, whatever their kind.
  const given = [options, isFirst ? {} : own].find(
    ({ apiKey, token }) => apiKey !== undefined || token !== undefined,
  );
  // The key of a context is sent to the service of that context only.
  const isItsService = url === addressOf(context.url ?? usualUrl);
  const key = given === undefined && isItsService ? await stored?.key() : given?.apiKey;
  const ca = stored?.ca();
  return {
    url,
    fetch:
      options.fetch ??
      (ca === undefined ? platformFetch : (await import("./node-fetch.ts")).nodeFetch({ ca })),
    headers: {
      ...(key !== undefined && { "x-api-key": sendable(key) }),
      ...(tenant !== undefined && { "x-tenant-id": tenant }),
      ...(environment !== undefined && { "x-environment": environment }),
    },
    ...(key === undefined && given?.token !== undefined && { token: given.token }),
    ...(ca !== undefined && { ca }),
  };
}

type Place = Pick<SwitchyardOptions, "url" | "tenant" | "environment">;

async function storedUnder(name: string | undefined, variables: Variables) {
  const { contextNamed, keyOf, pathOf, readText } = await import("./contexts.ts");
  const context: Context = await contextNamed(name, variables);
  const file = context.ca_file === undefined ? undefined : pathOf(context.ca_file);
  const ca = () => (file === undefined ? undefined : { file, text: readText(file) });
  return { context, key: () => keyOf(context), ca };
}

const usualUrl = "http://127.0.0.1:8080";

const platformFetch: Fetch = (url, init) => fetch(url, init);

/** Without a slash at its end. */
export function addressOf(given: string): string {
  if (!/^https?:\/\//.test(given) || !URL.canParse(given))
    throw unusable(`${given} is not an address such as https://service.example.com`, "ADDRESS");
  return new URL(given).href.replace(/\/+$/, "");
}

function processVariables(): Variables {
  return typeof process === "undefined" ? {} : process.env;
}

/** What is not would be in the message of the platform's own error. */
function sendable(given: string, what = "the API key", code = "INVALID_ARGUMENT"): string {
  const credential = given.trim();
  if (/^[\x21-\x7e]+$/.test(credential)) return credential;
  const detail = `${what} is empty, or has a character that no header may have`;
  throw new SwitchyardError({ code, detail });
}

function ofEnvironment(variables: Variables): SwitchyardOptions {
  const { SWITCHYARD_URL: url, SWITCHYARD_API_KEY: apiKey, SWITCHYARD_TOKEN: token } = variables;
  const {
    SWITCHYARD_TENANT: tenant,
    SWITCHYARD_ENVIRONMENT: environment,
    SWITCHYARD_CONTEXT: context,
  } = variables;
  return {
    ...(url && { url }),
    ...(apiKey && { apiKey }),
    ...(token && { token: () => token }),
    ...(tenant && { tenant }),
    ...(environment && { environment }),
    ...(context && { context }),
  };
}
