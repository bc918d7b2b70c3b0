import type { ErrorObject } from "ajv";

export type JsonSchema = Readonly<Record<string, unknown>>;
/** Compiled when it is first used. */
export interface Validate {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
}

export type Mutation = "none" | "idempotent" | "non_idempotent";
export type AuthType = "oauth2_code" | "oauth2_client" | "api_key" | "basic" | "none";
type Templates = Readonly<Record<string, unknown>>;

/** One file of the catalogue, as it is written. */
export interface ProviderFile {
  readonly schema: 1;
  readonly key: string;
  readonly version: string;
  readonly name: string;
  readonly base_url?: string;
  readonly config?: JsonSchema;
  readonly auth: Readonly<Record<string, AuthFile>>;
  readonly verify?: string;
  readonly limits?: { readonly rps?: number; readonly burst?: number; readonly concurrency?: number };
  readonly errors?: ErrorsFile;
  readonly actions: readonly ActionFile[];
  readonly triggers?: readonly TriggerFile[];
}

export interface AuthFile {
  readonly type: AuthType;
  /** Templates over `config`. */
  readonly authorization_url?: string;
  readonly token_url?: string;
  readonly revocation_url?: string;
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  readonly scope_separator?: string;
  readonly pkce?: "S256" | "none";
  readonly client_auth?: "basic" | "post" | "none";
  readonly params?: Readonly<Record<string, string>>;
  /** JSON pointers into the token answer, by what is there. */
  readonly token?: Readonly<Record<"access_token" | "refresh_token" | "expires_in" | "scope", string>>;
  /** Errors of the token endpoint that mean what `invalid_grant` means: a person has to connect again. */
  readonly rejected?: readonly string[];
  readonly refresh_lifetime_seconds?: number;
  readonly fields?: JsonSchema;
  readonly apply?: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly sign?: "standard_webhooks";
  };
}

/** Expressions over `response`. */
interface ErrorsFile {
  /** Whether an answer is a failure, besides every status from 400 on. */
  readonly failed?: string;
  /** Whether the provider surely has not acted. */
  readonly not_executed?: readonly string[];
  /** Seconds to wait, or the time in seconds since the epoch; the first that has a value. */
  readonly retry_after?: readonly string[];
  readonly message?: string;
}

export interface ActionFile {
  readonly key: string;
  readonly title: string;
  readonly description?: string;
  /** Or an expression over `input`. */
  readonly mutation: string;
  readonly scopes?: { readonly any_of: readonly (readonly string[])[] };
  readonly permissions?: readonly string[];
  readonly related?: readonly string[];
  readonly input: JsonSchema;
  readonly output?: JsonSchema;
  readonly transport?: "http" | "smtp";
  readonly request?: RequestFile;
  readonly idempotency?: { readonly header: string };
  /** A template over `response`. */
  readonly result?: unknown;
}

interface RequestFile {
  readonly method?: string;
  /** Its expressions are percent-encoded. */
  readonly path?: string;
  /** Instead of the path: as it is, at the origin of `base_url`. */
  readonly url?: string;
  readonly query?: unknown;
  readonly headers?: unknown;
  readonly encoding?: "json" | "form" | "text";
  readonly body?: unknown;
}

export interface TriggerFile {
  readonly key: string;
  readonly title: string;
  readonly kind: "webhook" | "polling";
  readonly event?: JsonSchema;
  readonly config?: JsonSchema;
  /** An expression over `event` and, of a webhook, `headers`. */
  readonly event_id: string;
  /** As `event_id`: what kind of event it is, for filters and targets; unset: the key of the trigger. */
  readonly event_type?: string;
  readonly verify?: VerifyFile;
  /** Expressions over `event`: where `when` holds, `answer` is sent and nothing else happens. */
  readonly challenge?: { readonly when: string; readonly answer: string };
  readonly action?: string;
  /** Of the action: over `input.config`, the subscription's own, and `input.cursor`, null at first. */
  readonly input?: Templates;
  /** Expressions over the output of the action as `response`. */
  readonly items?: string;
  readonly cursor?: string;
}

export interface VerifyFile {
  readonly type: "hmac" | "standard_webhooks" | "twilio" | "secret_header";
  /** Of the signature, or of the secret itself. */
  readonly header?: string;
  readonly algorithm?: "sha256" | "sha1";
  readonly encoding?: "hex" | "base64";
  /** What stands before the signature: `sha256=`, `v0=`. */
  readonly prefix?: string;
  /** What is signed, with `{timestamp}` and `{body}`; unset: the body. */
  readonly signed?: string;
  readonly timestamp_header?: string;
  /** Stripe: the header is a list of `t=…,v1=…`. */
  readonly list?: boolean;
}

export interface Provider {
  readonly key: string;
  readonly file: ProviderFile;
  readonly limits: { readonly rps: number; readonly burst: number; readonly concurrency: number };
  readonly validateConfig: Validate;
  readonly validateFields: Readonly<Record<string, Validate>>;
}

export interface Action {
  readonly key: string;
  readonly provider: Provider;
  readonly file: ActionFile;
  readonly runtimeStatus: "executable" | "catalog_only" | "disabled" | "blocked";
  readonly runtimeReason: string;
  readonly validateInput: Validate;
  readonly validateOutput: Validate | undefined;
}

export interface Trigger {
  readonly key: string;
  readonly provider: Provider;
  readonly file: TriggerFile;
  readonly validateConfig: Validate;
}

export interface Catalogue {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly actions: ReadonlyMap<string, Action>;
  readonly triggers: ReadonlyMap<string, Trigger>;
}
