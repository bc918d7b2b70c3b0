import { limits } from "#base";
import type { ContractMethod } from "../contract/method.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The ids a call is about: the variables of its REST path, from the request, and the id of what it made. */
export function targetOf(
  method: ContractMethod,
  request: unknown,
  response: unknown,
): Record<string, string> | undefined {
  const { inPath, inAnswer } = namesOf(method);
  let target: Record<string, string> | undefined;
  for (const name of inPath) note(name, textIn(request, name));
  for (const name of inAnswer) note(name, textIn(response, name) ?? textInside(response, name));
  return target;

  function note(name: string, value: string | undefined): void {
    if (value === undefined) return;
    target ??= {};
    target[name] = value;
  }
}

/** Callers write these texts: a long one is cut. */
export function textIn(source: unknown, name: string): string | undefined {
  if (!isObject(source) || !Object.hasOwn(source, name)) return undefined;
  const value = source[name];
  return typeof value === "string" && value !== "" ? value.slice(0, limits.auditTextMax) : undefined;
}

function textInside(source: unknown, name: string): string | undefined {
  if (!isObject(source)) return undefined;
  return Object.values(source)
    .map((wrapped) => textIn(wrapped, name))
    .find((value) => value !== undefined);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

interface Names {
  readonly inPath: readonly string[];
  readonly inAnswer: readonly string[];
}

const known = new WeakMap<ContractMethod, Names>();

function namesOf(method: ContractMethod): Names {
  let names = known.get(method);
  if (names === undefined) {
    const template = method.rest[0]?.template ?? "";
    names = {
      inPath: [...template.matchAll(/\{([a-z_]+)/g)].map(([, name]) => name!),
      // Texts of the path, and between each two of them the name of a field.
      inAnswer: (method.creates ?? []).filter((_, i) => i % 2 === 1),
    };
    known.set(method, names);
  }
  return names;
}
