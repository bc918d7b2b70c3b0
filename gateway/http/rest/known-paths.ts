import { limits } from "#base";
import type { RouteMatch } from "./routes.ts";

type Found = Extract<RouteMatch, { type: "found" }>;

/**
 * Where paths led that came before. A client that works on one pool asks for the same few paths for ever, and looking
 * one up spares taking it apart. Paths of single items are not kept: they hardly come twice.
 */
export class KnownPaths {
  readonly #byPath = new Map<string, { readonly verb: string; readonly found: Found }>();

  find(verb: string, path: string): Found | undefined {
    const known = this.#byPath.get(path);
    return known !== undefined && known.verb === verb ? known.found : undefined;
  }

  keep(verb: string, path: string, found: Found): void {
    if (found.values.length > 1 || path.length > limits.knownPathLengthMax) return;
    // Rarer than a purge by age would be worth: everything is found again the slow way, once.
    if (this.#byPath.size >= limits.knownPathsMax) this.#byPath.clear();
    this.#byPath.set(path, { verb, found });
  }
}
