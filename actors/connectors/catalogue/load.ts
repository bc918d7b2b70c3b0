import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { packageRoot } from "#protos";
import { catalogueFolder, checkFile, validatorOf } from "./check.ts";
import type { Action, ActionFile, Catalogue, Provider, ProviderFile, Trigger } from "./types.ts";

export interface CatalogueSettings {
  /** More files; one with the key of another replaces it. */
  readonly folder?: string | undefined;
  /** Keys of actions that the operator switched off. */
  readonly disabled: readonly string[];
  /** Whether the egress guard refuses every call to this host. */
  readonly denies?: (host: string) => boolean;
}

/** The files that are shipped, and the operator's. Throws with file, line and path of what is wrong. */
export function loadCatalogue({ folder, disabled, denies = () => false }: CatalogueSettings): Catalogue {
  const files = new Map<string, ProviderFile>();
  for (const file of shipped()) files.set(file.key, file);
  if (folder)
    for (const path of filesIn(folder)) {
      const file = readFile(path);
      files.set(file.key, file);
    }
  return catalogueOf([...files.values()], { disabled: new Set(disabled), denies });
}

interface Switches {
  readonly disabled: ReadonlySet<string>;
  readonly denies: (host: string) => boolean;
}

function catalogueOf(files: readonly ProviderFile[], switches: Switches): Catalogue {
  const sorted = [...files].sort((a, b) => (a.key < b.key ? -1 : 1));
  const providers = new Map(sorted.map((file) => [file.key, providerOf(file)]));
  const actions: Action[] = [];
  const triggers: Trigger[] = [];
  for (const provider of providers.values()) {
    for (const file of provider.file.actions) actions.push(actionOf(provider, file, switches));
    for (const file of provider.file.triggers ?? [])
      triggers.push({
        key: `${provider.key}.${file.key}`,
        provider,
        file,
        validateConfig: validatorOf(file.config ?? nothing),
      });
  }
  return {
    providers,
    actions: new Map(sortedByKey(actions).map((action) => [action.key, action])),
    triggers: new Map(sortedByKey(triggers).map((trigger) => [trigger.key, trigger])),
  };
}

/** Checked by the tests of this folder, so not again at every start. */
function shipped(): ProviderFile[] {
  const paths = filesIn(join(packageRoot(), catalogueFolder));
  return paths.map((path) => parse(readFileSync(path, "utf8")) as ProviderFile);
}

function filesIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
  return names.sort().map((name) => join(folder, name));
}

function readFile(path: string): ProviderFile {
  const checked = checkFile(readFileSync(path, "utf8"));
  if ("file" in checked) return checked.file;
  const { line, column, path: place, reason } = checked.problems[0]!;
  throw new Error(`${path}:${line}:${column}: ${place === "" ? "" : `${place}: `}${reason}`);
}

/** Takes an object without properties. */
const nothing = { type: "object", additionalProperties: false };

function providerOf(file: ProviderFile): Provider {
  const { rps = 10, burst = 10, concurrency = 10 } = file.limits ?? {};
  const fields = Object.entries(file.auth).map(([name, auth]) => [name, validatorOf(auth.fields ?? nothing)]);
  return {
    key: file.key,
    file,
    limits: { rps, burst, concurrency },
    validateConfig: validatorOf(file.config ?? nothing),
    validateFields: Object.fromEntries(fields) as Provider["validateFields"],
  };
}

function actionOf(provider: Provider, file: ActionFile, { disabled, denies }: Switches): Action {
  const key = `${provider.key}.${file.key}`;
  const [runtimeStatus, runtimeReason] =
    file.request === undefined
      ? (["catalog_only", "NO_REQUEST"] as const)
      : disabled.has(key)
        ? (["disabled", "OPERATOR"] as const)
        : isDenied(provider.file.base_url, denies)
          ? (["blocked", "EGRESS_DENIED"] as const)
          : (["executable", ""] as const);
  return {
    key,
    provider,
    file,
    runtimeStatus,
    runtimeReason,
    validateInput: validatorOf(file.input),
    validateOutput: file.output && validatorOf(file.output),
  };
}

/** One that depends on the config is known only when it is called. */
function isDenied(baseUrl: string | undefined, denies: (host: string) => boolean): boolean {
  return baseUrl !== undefined && URL.canParse(baseUrl) && denies(new URL(baseUrl).hostname);
}

function sortedByKey<T extends { readonly key: string }>(list: readonly T[]): T[] {
  return [...list].sort((a, b) => (a.key < b.key ? -1 : 1));
}
