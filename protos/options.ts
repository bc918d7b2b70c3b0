import {
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescOneof,
  type DescService,
  type FileRegistry,
  getOption,
  hasOption,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";

/** What holds for every RPC of a service that does not say otherwise. */
interface GovernanceDefaults {
  readonly lifecycle?: string;
  readonly audience?: string;
  readonly authentication_required?: boolean;
  readonly authorization_required?: boolean;
  readonly internal_only?: boolean;
}

export interface GovernanceOptions extends GovernanceDefaults {
  readonly resource?: string;
  readonly action?: string;
  readonly scopes?: readonly string[];
  readonly roles?: readonly string[];
}

/** In which environment an RPC acts; `open`: why credentials that are limited to some may call it although it has none. */
export interface EnvironmentOptions {
  readonly from?: string;
  readonly open?: string;
}

/** The options of one service as ProtoJSON with proto names; a member that was not written is absent. */
interface ServiceOptions {
  readonly governance?: GovernanceDefaults;
  readonly capabilities?: readonly CapabilityOptions[];
  readonly environment?: EnvironmentOptions;
}

interface CapabilityOptions {
  readonly id?: string;
  readonly name?: string;
  readonly needs?: readonly string[];
  readonly enabled_by?: string;
  readonly requires?: readonly string[];
}

/** The options of one RPC, likewise. */
export interface MethodOptions {
  readonly http?: HttpRule;
  readonly method?: {
    readonly governance?: GovernanceOptions;
    readonly actor?: {
      readonly kind?: string;
      readonly handle_of?: string;
      readonly child_of?: string;
      readonly whole?: string;
      readonly constant?: string;
    };
    readonly repeat?: string;
    readonly rate_cost?: number;
    readonly pagination?: { readonly convention?: string; readonly items_field?: string };
    readonly wait?: { readonly field?: string; readonly ms?: number };
    readonly audit?: string;
    readonly successor?: string;
    readonly envelope?: string;
    readonly creates?: string;
    readonly media_type?: string;
    readonly example?: string;
    readonly quota?: {
      readonly operation?: string;
      readonly length_of?: string;
      readonly amount_of?: string;
    };
    readonly entitlement?: string;
    readonly sse?: SseOptions;
    readonly raw?: boolean;
    /** ProtoJSON has it as text. */
    readonly max_body?: string;
    readonly environment?: EnvironmentOptions;
    readonly headers?: readonly string[];
    readonly cli?: string;
    readonly columns?: string;
    readonly named?: { readonly by?: string; readonly ids?: readonly string[] };
    readonly mcp?: string;
  };
}

/** How an answer becomes an event: `oneof`, or `data` and perhaps `event`; paths of fields. */
export interface SseOptions {
  readonly oneof?: string;
  readonly event?: string;
  readonly data?: string;
  readonly id?: string;
  /** The field of the request that Last-Event-ID sets. */
  readonly resume?: string;
  /** The event after which nothing comes. */
  readonly last?: string;
}

export interface HttpRule {
  readonly get?: string;
  readonly put?: string;
  readonly post?: string;
  readonly delete?: string;
  readonly patch?: string;
  readonly body?: string;
  readonly response_body?: string;
  readonly additional_bindings?: readonly HttpRule[];
}

export function serviceOptions(registry: FileRegistry, service: DescService): ServiceOptions {
  return (optionJson(registry, service, "service.options.service") ?? {}) as ServiceOptions;
}

/** The service's defaults with what the RPC says over them. */
export function governanceOf(registry: FileRegistry, method: DescMethod): GovernanceOptions {
  return {
    ...serviceOptions(registry, method.parent).governance,
    ...methodOptions(registry, method).method?.governance,
  };
}

/** What the RPC says, else what its service does. */
export function environmentOf(registry: FileRegistry, method: DescMethod): EnvironmentOptions {
  return (
    methodOptions(registry, method).method?.environment ??
    serviceOptions(registry, method.parent).environment ??
    {}
  );
}

export function methodOptions(registry: FileRegistry, method: DescMethod): MethodOptions {
  return {
    ...member("http", optionJson(registry, method, "google.api.http") as MethodOptions["http"]),
    ...member("method", optionJson(registry, method, "service.options.method") as MethodOptions["method"]),
  };
}

export interface FieldOptions {
  readonly outputOnly: boolean;
  readonly replayOmit: boolean;
  readonly sensitive: boolean;
  /** Its values are the names of `eventKinds`. */
  readonly eventKind: boolean;
  /** REST bindings of the calls that change it, where no update does. */
  readonly changedBy: readonly string[];
  /** What the absence of a number means. */
  readonly defaultNumber?: number;
  /** `buf.validate.FieldRules`. */
  readonly rules?: Readonly<Record<string, JsonValue>>;
}

export function fieldOptions(registry: FileRegistry, field: DescField): FieldOptions {
  const behavior = optionJson(registry, field, "google.api.field_behavior") as readonly string[] | undefined;
  const own = optionJson(registry, field, "service.options.field") as
    | {
        replay_omit?: boolean;
        sensitive?: boolean;
        event_kind?: boolean;
        changed_by?: readonly string[];
        /** ProtoJSON has it as text. */
        default_number?: string;
      }
    | undefined;
  const rules = optionJson(registry, field, "buf.validate.field") as Record<string, JsonValue> | undefined;
  return {
    outputOnly: behavior?.includes("OUTPUT_ONLY") ?? false,
    replayOmit: own?.replay_omit ?? false,
    sensitive: own?.sensitive ?? false,
    eventKind: own?.event_kind ?? false,
    changedBy: own?.changed_by ?? [],
    ...(own?.default_number !== undefined && { defaultNumber: Number(own.default_number) }),
    ...member("rules", rules),
  };
}

export function oneofRequired(registry: FileRegistry, oneof: DescOneof): boolean {
  const rules = optionJson(registry, oneof, "buf.validate.oneof") as { required?: boolean } | undefined;
  return rules?.required ?? false;
}

/** One option of ours, by the full name of its extension. */
export function optionJson(
  registry: FileRegistry,
  of: DescFile | DescMessage | DescService | DescMethod | DescField | DescOneof,
  typeName: string,
): JsonValue | undefined {
  const extension = registry.getExtension(typeName);
  if (extension === undefined || !hasOption(of, extension)) return undefined;
  const value = getOption(of, extension);
  if (extension.fieldKind === "message") {
    return toJson(extension.message, value as Message, { registry, useProtoFieldName: true });
  }
  return enumNames(extension, value);
}

function enumNames(extension: DescExtension, value: unknown): JsonValue {
  if (extension.fieldKind !== "list" || extension.listKind !== "enum") return value as JsonValue;
  const names = extension.enum;
  return (value as readonly number[]).map((number) => names.value[number]?.name ?? String(number));
}

function member<K extends string, V>(key: K, value: V | undefined): { readonly [k in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [k in K]: V });
}
