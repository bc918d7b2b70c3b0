import { type ModuleParts, makeModules } from "#actors";
import { RefusalError, refuse, systemClock } from "#base";
import { accessOf } from "../../gateway/calls/access.ts";
import { loadContract } from "../../gateway/contract/index.ts";
import { createKeyHasher } from "../../gateway/identity/index.ts";

export const testAccess = accessOf(() => loadContract());

/** Parts for tests that call nobody. */
export function testParts(changed: Partial<ModuleParts> = {}): ModuleParts {
  const nobody = () =>
    Promise.reject(new RefusalError(refuse("UNAVAILABLE", "nobody is called in this test")));
  return {
    settings: {},
    clock: systemClock,
    outgoing: { request: nobody, connect: nobody },
    access: testAccess,
    // The least that bcrypt takes.
    keyHasher: createKeyHasher(4),
    call: nobody,
    quotaOperations: () => new Set(["enqueue", "outcome", "route"]),
    metrics: { add: () => {} },
    ...changed,
  };
}

/** All modules, made of those parts. */
export const modules = makeModules(testParts());
