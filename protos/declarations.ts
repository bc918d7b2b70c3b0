import type { DescMessage, FileRegistry } from "@bufbuild/protobuf";
import { optionJson, serviceOptions } from "./options.ts";

/** The options of one file as ProtoJSON with proto names; a member that was not written is absent. */
interface FileOptions {
  readonly roles?: readonly RoleOptions[];
}

export interface RoleOptions {
  readonly name?: string;
  readonly includes?: readonly string[];
  readonly grants?: readonly string[];
  readonly except?: readonly string[];
  readonly platform_grants?: readonly string[];
  readonly by_scopes?: boolean;
}

/** The roles that the files of these packages declare. */
export function roleOptions(registry: FileRegistry, packages: readonly string[]): readonly RoleOptions[] {
  return [...registry.files]
    .filter((file) => packages.includes(file.proto.package))
    .flatMap((file) => (optionJson(registry, file, "service.options.file") as FileOptions)?.roles ?? []);
}

/** A feature that a service brings along. */
export interface DeclaredCapability {
  readonly id: string;
  readonly name: string;
  readonly needs: readonly string[];
  readonly enabledBy?: string;
  readonly requires: readonly string[];
  /** Of an internal-only service. */
  readonly internal: boolean;
}

/** The capabilities that the services of these packages declare. */
export function declaredCapabilities(
  registry: FileRegistry,
  packages: readonly string[],
): DeclaredCapability[] {
  const services = [...registry.files]
    .filter((file) => packages.includes(file.proto.package))
    .flatMap((file) => file.services);
  return services.flatMap((service) => {
    const { capabilities = [], governance } = serviceOptions(registry, service);
    return capabilities.map(({ id = "", name = "", needs = [], requires = [], enabled_by: enabledBy }) => ({
      id,
      name,
      needs,
      ...(enabledBy === undefined ? {} : { enabledBy }),
      requires,
      internal: governance?.internal_only ?? false,
    }));
  });
}

/** The messages that are payloads of events, by kind. A kind that is declared twice has its first message. */
export function eventMessages(registry: FileRegistry): ReadonlyMap<string, DescMessage> {
  const found = new Map<string, DescMessage>();
  for (const { kind, message } of declaredEvents(registry)) if (!found.has(kind)) found.set(kind, message);
  return found;
}

/** Every kind of event as often as it is declared. */
export function declaredEvents(registry: FileRegistry): { kind: string; message: DescMessage }[] {
  return [...registry].flatMap((message) => {
    if (message.kind !== "message") return [];
    const own = optionJson(registry, message, "service.options.event") as { kinds?: string[] } | undefined;
    return (own?.kinds ?? []).map((kind) => ({ kind, message }));
  });
}
