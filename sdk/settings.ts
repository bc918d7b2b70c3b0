/** How a client finds its server, and who it is. What is not given comes from the environment (`SWITCHYARD_URL`, …). */
export interface SwitchyardOptions {
  /** `http://127.0.0.1:8080` where nothing says otherwise. */
  readonly url?: string;
  readonly apiKey?: string;
  /** Asked before every request and connection, so that it may renew what it returns. */
  readonly token?: () => string | Promise<string>;
  readonly tenant?: string;
  readonly environment?: string;
  /** Of a whole call with its retries. */
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly fetch?: typeof fetch;
  /** Takes what may be wrong and stops nothing. Default: `console.warn`. */
  readonly warn?: (message: string) => void;
}

export interface Settings {
  /** Without a slash at its end. */
  readonly url: string;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly fetch: typeof fetch;
  warn(message: string): void;
  /** Credential, tenant and environment as headers. */
  headers(): Promise<Record<string, string>>;
}

export function settingsOf(options: SwitchyardOptions): Settings {
  const given = { ...environmentOptions(), ...options };
  if (options.apiKey !== undefined && options.token !== undefined)
    throw new TypeError("give apiKey or token, not both");
  const { url = "http://127.0.0.1:8080", apiKey, token, tenant, environment } = given;
  // A credential that is given as an option replaces the one of the environment, whatever its kind.
  const key = options.token === undefined ? apiKey : undefined;
  return {
    url: new URL(url).href.replace(/\/+$/, ""),
    timeoutMs: options.timeoutMs ?? 30_000,
    retries: options.retries ?? 5,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    warn: options.warn ?? ((message) => console.warn(message)),
    async headers() {
      return {
        ...(key !== undefined && { "x-api-key": key }),
        ...(key === undefined && token !== undefined && { authorization: `Bearer ${await token()}` }),
        ...(tenant !== undefined && { "x-tenant-id": tenant }),
        ...(environment !== undefined && { "x-environment": environment }),
      };
    },
  };
}

function environmentOptions(): SwitchyardOptions {
  const variables = typeof process === "undefined" ? {} : process.env;
  const { SWITCHYARD_URL: url, SWITCHYARD_API_KEY: apiKey, SWITCHYARD_TOKEN: token } = variables;
  const { SWITCHYARD_TENANT: tenant, SWITCHYARD_ENVIRONMENT: environment } = variables;
  return {
    ...(url && { url }),
    ...(apiKey && { apiKey }),
    ...(token && { token: () => token }),
    ...(tenant && { tenant }),
    ...(environment && { environment }),
  };
}
