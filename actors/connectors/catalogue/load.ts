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
}

/** The files that are shipped, and the operator's. Throws with file, line and path of what is wrong. */
export function loadCatalogue({ folder, disabled }: CatalogueSettings): Catalogue {
  const files = new Map<string, ProviderFile>();
  for (const file of shipped()) files.set(file.key, file);
  if (folder)
    for (const path of filesIn(folder)) {
      const file = readFile(path);
      files.set(file.key, file);
    }
  return catalogueOf([...files.values()], disabled);
}

function catalogueOf(files: readonly ProviderFile[], disabled: readonly string[] = []): Catalogue {
  const sorted = [...files].sort((a, b) => (a.key < b.key ? -1 : 1));
  const providers = new Map(sorted.map((file) => [file.key, providerOf(file)]));
  const actions: Action[] = [];
  const triggers: Trigger[] = [];
  for (const provider of providers.values()) {
    for (const file of provider.file.actions) actions.push(actionOf(provider, file, new Set(disabled)));
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

function actionOf(provider: Provider, file: ActionFile, disabled: ReadonlySet<string>): Action {
  const key = `${provider.key}.${file.key}`;
  const [runtimeStatus, runtimeReason] =
    file.request === undefined
      ? (["catalog_only", "NO_REQUEST"] as const)
      : disabled.has(key)
        ? (["disabled", "OPERATOR"] as const)
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

function sortedByKey<T extends { readonly key: string }>(list: readonly T[]): T[] {
  return [...list].sort((a, b) => (a.key < b.key ? -1 : 1));
}
