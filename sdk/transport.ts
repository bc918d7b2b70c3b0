import { systemClock } from "./clock.ts";
import { connectionLost, errorOf, notJson, SwitchyardError } from "./errors.ts";
import type { Answer, Bytes } from "./fetch.ts";
import { contractSha256 } from "./generated.ts";
import { repeated } from "./retry.ts";
import type { Settings } from "./settings.ts";

/** What a caller may say of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Default: a new one. Give one of your own to repeat a call from another process. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Outgoing {
  readonly verb: string;
  /** With its query. */
  readonly path: string;
  readonly body?: Bytes;
  readonly headers?: Readonly<Record<string, string>>;
  /** Why a second one does no harm: it reads, it has a key, or a token; `none`: it is sent once. */
  readonly repeat: Repeat;
  /** How long the server itself may wait before it answers. */
  readonly waitMs?: number;
}

export type Repeat = "read" | "key" | "token" | "none";

/** Requests to one server. The only place that sends any. */
export class Transport {
  readonly settings: Settings;
  #hasWarned = false;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Sends until there is an answer, by the one retry rule; `read` takes what is needed of it. */
  async send<T>(request: Outgoing, options: CallOptions, read: (answer: Answer) => Promise<T>): Promise<T> {
    const timeoutMs =
      options.timeoutMs ?? Math.max(this.settings.timeoutMs, (request.waitMs ?? 0) + waitMoreMs);
    const overall = AbortSignal.timeout(timeoutMs);
    const signal = options.signal === undefined ? overall : AbortSignal.any([overall, options.signal]);
    const key = request.repeat === "key" ? (options.idempotencyKey ?? newKey()) : undefined;
    const attempt = async () => {
      try {
        return await read(
          await this.open(request, { signal, headers: together(keyHeader(key), options.headers) }),
        );
      } catch (error) {
        if (error instanceof SwitchyardError) throw error;
        if (options.signal?.aborted) throw cancelled(options.signal.reason);
        if (overall.aborted) throw timedOut(timeoutMs);
        throw error instanceof SyntaxError ? notJson(error) : connectionLost(error);
      }
    };
    return repeated(attempt, {
      isRepeatable: request.repeat !== "none",
      retries: this.settings.retries,
      deadlineMs: systemClock.now() + timeoutMs,
      signal,
    });
  }

  /** One request, answered with success; its body is still to be read. */
  async open({ verb, path, body, headers: own }: Outgoing, { signal, headers }: Opening): Promise<Answer> {
    const target = await within(signal, this.settings.target());
    const response = await target.fetch(target.url + path, {
      method: verb,
      headers: together({ ...target.headers, "x-contract": contractId, ...own }, headers),
      signal,
      // To another address the platform would send a key along: it takes back no header but `authorization`.
      redirect: "manual",
      ...(body !== undefined && { body }),
    });
    this.#compare(response.headers.get("x-contract"));
    if (response.ok) return response;
    if (response.type === "opaqueredirect" || redirects.has(response.status)) throw redirected(response);
    throw errorOf(await response.json().catch(() => undefined), response.status);
  }

  /** The server names its contract where it is another one. Said once. */
  #compare(served: string | null): void {
    if (served === null || this.#hasWarned) return;
    this.#hasWarned = true;
    this.settings.warn(
      `switchyard: the server has the contract ${served}, this client was made from ${contractId}; fields and methods may differ`,
    );
  }
}

const contractId = contractSha256.slice(0, 12);

interface Opening {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The caller's count, however they write the names: of two the platform would send both as one value. */
export function together(ours: CallOptions["headers"], own: CallOptions["headers"] = {}) {
  const named = Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...ours, ...Object.fromEntries(named) };
}

/** What the server adds to its own wait before it gives up. */
const waitMoreMs = 5_000;

/** Browsers have `randomUUID` only on pages of https and of their own machine. */
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function redirected({ status, headers }: Answer): SwitchyardError {
  const to = headers.get("location");
  const where = to !== null && URL.canParse(to) ? ` to ${new URL(to).origin}` : "";
  const detail = `the server redirects${where}, where no credential is sent: give the client the address itself`;
  return new SwitchyardError({ code: "UNAVAILABLE", reason: "REDIRECTED", detail, status });
}

/** A token comes from a function of the caller, which may never answer. */
function within<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const done = () => signal.removeEventListener("abort", abort);
    promise.then(resolve, reject).then(done, done);
  });
}

const keyHeader = (key: string | undefined) => (key === undefined ? {} : { "idempotency-key": key });

function cancelled(cause: unknown): SwitchyardError {
  return new SwitchyardError({ code: "CANCELLED", detail: "the call was aborted by its caller", cause });
}

function timedOut(ms: number): SwitchyardError {
  const detail = `no answer within ${ms} ms; whether it was done is not known`;
  return new SwitchyardError({ code: "TIMEOUT", detail, retryable: true });
}
