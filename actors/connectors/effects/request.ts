import { isObject, limits } from "#base";
import { TemplateError } from "../../cel/template.ts";
import { webhookHeaders } from "../../notify/outbound/webhook-signature.ts";
import { evaluate, type Rendering, render, rendering } from "../catalogue/template.ts";
import type { Action, AuthFile, JsonSchema, Mutation } from "../catalogue/types.ts";

export interface Values {
  readonly input: unknown;
  readonly config: unknown;
  readonly now: number;
}

/** A request as the catalogue says, without credentials. */
export interface Prepared {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Names of the headers that hold credentials. */
  readonly secretHeaders?: readonly string[];
  /** Of smtp: what the body says, as it is. */
  readonly mail?: unknown;
}

/** Properties that are not given have their default, or null: expressions may name them. */
function withDefaults(schema: JsonSchema, value: unknown): unknown {
  if (!isObject(value)) return value;
  return { ...defaultsOf(schema), ...value };
}

const noSchema: JsonSchema = {};
const known = new WeakMap<JsonSchema, Readonly<Record<string, unknown>>>();

function defaultsOf(schema: JsonSchema): Readonly<Record<string, unknown>> {
  let defaults = known.get(schema);
  if (defaults === undefined) {
    const properties = (schema.properties ?? {}) as Record<string, { default?: unknown } | boolean>;
    defaults = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        (typeof property === "object" ? property.default : undefined) ?? null,
      ]),
    );
    known.set(schema, defaults);
  }
  return defaults;
}

export function valuesOf(action: Action, values: Values): Values {
  return {
    input: withDefaults(action.file.input, values.input),
    config: withDefaults(action.provider.file.config ?? noSchema, values.config),
    now: values.now,
  };
}

/** Throws a TemplateError. */
export function mutationOf(action: Action, given: Values): Mutation {
  const { mutation } = action.file;
  if (mutation === "none" || mutation === "idempotent" || mutation === "non_idempotent") return mutation;
  const value = evaluate(mutation, rendering("request", { ...valuesOf(action, given) }));
  if (value === "none" || value === "idempotent") return value;
  return "non_idempotent";
}

/** Throws a TemplateError. */
export function prepare(action: Action, given: Values): Prepared {
  const at = rendering("request", { ...valuesOf(action, given) });
  const { request = {}, transport } = action.file;
  const body = request.body === undefined ? undefined : render(request.body, at);
  if (transport === "smtp") return { method: "", url: "", headers: {}, mail: body };
  const url = urlOf(action, at);
  const query = request.query === undefined ? {} : (render(request.query, at) ?? {});
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  const headers = headersOf(request.headers === undefined ? {} : render(request.headers, at));
  const encoded = body === undefined || body === null ? undefined : encode(body, request.encoding ?? "json");
  return {
    method: String(request.method === undefined ? "GET" : render(request.method, at)).toUpperCase(),
    url: url.href,
    headers:
      encoded && headers["content-type"] === undefined
        ? { ...headers, "content-type": encoded.type }
        : headers,
    ...(encoded && { body: encoded.text }),
  };
}

function urlOf(action: Action, at: Rendering): URL {
  const { base_url: template = "" } = action.provider.file;
  const { path, url } = action.file.request ?? {};
  const base = asUrl(String(render(template, at) ?? ""), "base_url");
  if (url !== undefined) {
    const made = asUrl(String(render(url, at)), "url", base);
    if (made.origin !== base.origin) throw new TemplateError(`url must be at ${base.origin}`);
    return made;
  }
  const encodedPath = String(render(path ?? "", { ...at, encode: encodeURIComponent }));
  // A value may not climb out of its place.
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(encodedPath)) throw new TemplateError("the path holds . or ..");
  return asUrl(base.href.replace(/\/$/, "") + encodedPath, "path");
}

function asUrl(text: string, what: string, base?: URL): URL {
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    throw new TemplateError(`${what} is not a URL`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new TemplateError(`${what} must be http or https`);
  if (url.username !== "" || url.password !== "")
    throw new TemplateError(`${what} must not hold credentials`);
  return url;
}

/** Those that frame the message are the client's. */
const framing = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "upgrade",
  "te",
  "trailer",
  "expect",
  "keep-alive",
  "proxy-authorization",
]);

function headersOf(value: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, text] of Object.entries(value ?? {})) {
    const lower = name.toLowerCase();
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(lower) || framing.has(lower))
      throw new TemplateError(`the header ${JSON.stringify(name)} cannot be set`);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(String(text)))
      throw new TemplateError(`the header ${name} holds characters that headers cannot`);
    headers[lower] = String(text);
  }
  return headers;
}

function encode(
  body: unknown,
  encoding: "json" | "form" | "text",
): { readonly type: string; readonly text: string } {
  switch (encoding) {
    case "json":
      return { type: "application/json", text: JSON.stringify(body) };
    case "form":
      return { type: "application/x-www-form-urlencoded", text: formOf(body) };
    case "text":
      return {
        type: "text/plain; charset=utf-8",
        text: typeof body === "string" ? body : JSON.stringify(body),
      };
  }
}

/** `a[b]=c`, as Stripe and PHP read it; lists as `a[0]=…`. */
function formOf(body: unknown): string {
  const form = new URLSearchParams();
  const add = (name: string, value: unknown): void => {
    if (value === null || value === undefined) return;
    if (typeof value === "object")
      for (const [key, member] of Object.entries(value)) add(name === "" ? key : `${name}[${key}]`, member);
    else form.append(name, String(value));
  };
  add("", body);
  return form.toString();
}

export interface Credential {
  readonly [field: string]: unknown;
}

interface Applied {
  readonly credential: Credential;
  readonly config: unknown;
  readonly now: number;
  /** The same in every attempt. */
  readonly key: string;
}

/** The request with its credentials. Throws a TemplateError that names no secret. */
export function withCredential(
  prepared: Prepared,
  auth: AuthFile,
  { credential, config, now, key }: Applied,
): Prepared {
  const { headers, query } = auth.apply ?? defaultApply(auth);
  const at = rendering("apply", { credential: credentialValues(credential), config, now });
  let rendered: { headers: Record<string, string>; query: Record<string, unknown> };
  try {
    rendered = {
      headers: headersOf(render(headers ?? {}, at)),
      query: render(query ?? {}, at) as Record<string, unknown>,
    };
  } catch {
    throw new TemplateError("the credentials do not have what auth.apply of the catalogue names");
  }
  const url = new URL(prepared.url);
  for (const [name, value] of Object.entries(rendered.query)) url.searchParams.set(name, String(value));
  const signed = auth.apply?.sign
    ? webhookHeaders(String(credential.secret), { id: key, now, body: prepared.body ?? "" })
    : {};
  return {
    ...prepared,
    url: url.href,
    headers: { ...prepared.headers, ...rendered.headers, ...signed },
    secretHeaders: Object.keys(rendered.headers),
  };
}

function defaultApply({ type }: AuthFile): NonNullable<AuthFile["apply"]> {
  return type.startsWith("oauth2_")
    ? { headers: { authorization: `Bearer $\{credential.access_token}` } }
    : {};
}

/** With what has to be computed: `basic` is what the scheme of that name sends. */
function credentialValues(credential: Credential): Credential {
  const { username, password } = credential;
  if (typeof username !== "string" || typeof password !== "string") return credential;
  return { ...credential, basic: Buffer.from(`${username}:${password}`).toString("base64") };
}

/** Takes every text of the credentials out of what a provider sent back: an echo must not be stored. */
export function scrubbed<T>(value: T, credential: Credential): T {
  const secrets = Object.values(credentialValues(credential)).filter(
    (text): text is string => typeof text === "string" && text.length >= secretLengthMin,
  );
  if (secrets.length === 0) return value;
  const scrub = (one: unknown): unknown => {
    if (typeof one === "string")
      return secrets.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), one);
    if (Array.isArray(one)) return one.map(scrub);
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).map(([name, member]) => [scrub(name) as string, scrub(member)]),
    );
  };
  return scrub(value) as T;
}

/** Shorter ones are in every text by chance. */
const secretLengthMin = 6;

export function shortened(text: string): string {
  return text.length > limits.executionErrorLengthMax
    ? `${text.slice(0, limits.executionErrorLengthMax)}…`
    : text;
}
