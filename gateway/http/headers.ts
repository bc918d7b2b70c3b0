import { limits, type Refusal, refuse } from "#base";

/** Request headers by lower-case name; repeated ones are joined with a comma, as HTTP allows. */
export class HeaderTable {
  readonly #values = new Map<string, string>();
  #count = 0;
  #bytes = 0;
  #bodyLength = 0;
  #refusal: Refusal | undefined;

  add(name: string, value: string): void {
    this.#count++;
    this.#bytes += name.length + value.length;
    if (value.length > limits.headerBytesMax)
      this.#refusal ??= refuse("HEADERS_TOO_LARGE", `a header may hold ${limits.headerBytesMax} bytes`);
    const before = this.#values.get(name);
    if (before === undefined) {
      this.#values.set(name, value);
      return;
    }
    if (once.has(name)) this.#refusal ??= refuse("INVALID_ARGUMENT", `the header ${name} may be sent once`);
    this.#values.set(name, name === "cookie" ? `${before}; ${value}` : `${before}, ${value}`);
  }

  /** The server found something wrong before the headers. */
  spoil(refusal: Refusal): void {
    this.#refusal ??= refusal;
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries();
  }

  /** What is wrong with the request's framing; such a connection cannot be used further. */
  check(): Refusal | undefined {
    if (this.#count > limits.headerCountMax)
      return refuse("HEADERS_TOO_LARGE", `at most ${limits.headerCountMax} headers are taken`);
    if (this.#bytes > limits.headersBytesMax)
      return refuse("HEADERS_TOO_LARGE", `at most ${limits.headersBytesMax} bytes of headers are taken`);
    if (this.#refusal !== undefined) return this.#refusal;
    return this.#checkFraming();
  }

  #checkFraming(): Refusal | undefined {
    const encoding = this.#values.get("transfer-encoding");
    const length = this.#values.get("content-length");
    if (encoding !== undefined) {
      if (encoding.toLowerCase() !== "chunked")
        return refuse("INVALID_ARGUMENT", "the only transfer encoding taken is chunked");
      if (length !== undefined)
        return refuse("INVALID_ARGUMENT", "content-length and transfer-encoding exclude each other");
      // Where trailers stand, uWS reads the next request, and fails after this one was applied.
      if (this.#values.has("trailer"))
        return refuse("INVALID_ARGUMENT", "trailers are not taken: send what they say as headers");
    }
    if (length !== undefined) {
      if (!digits.test(length)) return refuse("INVALID_ARGUMENT", "content-length is not a number");
      this.#bodyLength = Number(length);
    } else if (encoding !== undefined) this.#bodyLength = -1;
    if (!this.#values.has("host")) return refuse("INVALID_ARGUMENT", "the header host is missing");
    return undefined;
  }

  /** Declared length, -1 for a chunked body, 0 for none; known once the framing is checked. */
  get bodyLength(): number {
    return this.#bodyLength;
  }
}

const digits = /^[0-9]{1,15}$/;

/** A second one of these changes what the first one meant, so both are refused rather than one believed. */
const once = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "content-type",
  "content-encoding",
  "authorization",
  "x-api-key",
  "x-tenant-id",
  "x-environment",
  "x-request-id",
  "idempotency-key",
  "api-version",
  "connect-timeout-ms",
  "origin",
]);
