import type { Method } from "#protos/surface";
import { methodCommand, type Shape } from "./client/method-command.ts";
import { streamCommand } from "./client/stream-command.ts";
import { surface } from "./client/surface.ts";
import type { CommandSpec } from "./command.ts";
import { commands } from "./commands.ts";

interface Found {
  readonly spec: CommandSpec;
  readonly rest: readonly string[];
}

/** The command that words begin with. */
export function find(args: readonly string[]): Found | undefined {
  const [first = "", second = ""] = args;
  const named = (words: string) =>
    commands.find((spec) => spec.words === words && !isPlainEnqueue(spec, args));
  const ofTwo = named(`${first} ${second}`) ?? ofMethod(first, second);
  if (ofTwo !== undefined) return { spec: ofTwo, rest: args.slice(2) };
  const ofOne = named(first) ?? ofMethod(first, undefined);
  return ofOne === undefined ? undefined : { spec: ofOne, rest: args.slice(1) };
}

/** `items enqueue` is one call unless `--batch` makes it several. */
function isPlainEnqueue({ words }: CommandSpec, args: readonly string[]): boolean {
  return words === "items enqueue" && !args.some((word) => word.startsWith("--batch"));
}

/** Names that commands had before. */
const earlier: Readonly<Record<string, { readonly method: string; readonly preset?: Shape["preset"] }>> = {
  "experiments show": { method: "ExperimentService.GetExperiment" },
  "promotions show": { method: "PromotionService.GetCandidate" },
  "notify preview": { method: "SubscriberService.PreviewPreferences" },
  "notify sink": {
    method: "IntegrationService.CreateIntegration",
    preset: { name: "sink", provider_key: "sink" },
  },
};

function ofMethod(group: string, verb: string | undefined): CommandSpec | undefined {
  const words = verb === undefined ? group : `${group} ${verb}`;
  if (group === "api" && verb !== undefined) return rawCommand(verb);
  const before = Object.hasOwn(earlier, words) ? earlier[words] : undefined;
  if (before !== undefined) {
    const method = surface().method(before.method)!;
    return commandOf(method, words, before.preset);
  }
  const method = surface()
    .group(group)
    .find(({ cli }) => cli?.verb === verb);
  return method === undefined ? undefined : commandOf(method, words);
}

export function commandOf(method: Method, words: string, preset?: Shape["preset"]): CommandSpec {
  const shape = { words, args: method.cli?.args ?? [], takesNames: true, ...(preset && { preset }) };
  return methodCommand(surface(), method, shape);
}

/** `service api PoolService.GetPool --pool-id ID`: every field is a flag, and an id is an id. */
function rawCommand(id: string): CommandSpec | undefined {
  const method = surface().method(id);
  if (method?.kind === "bidi_streaming") return streamCommand(method);
  if (method?.rest === undefined) return undefined;
  return methodCommand(surface(), method, { words: `api ${id}`, args: [], takesNames: false });
}
