import { type ModuleParts, makeModules } from "#actors";
import { RefusalError, refuse, systemClock } from "#base";

/** Parts for tests that call nobody. */
function testParts(changed: Partial<ModuleParts> = {}): ModuleParts {
  const nobody = () =>
    Promise.reject(new RefusalError(refuse("UNAVAILABLE", "nobody is called in this test")));
  return {
    settings: {},
    clock: systemClock,
    outgoing: { request: nobody, connect: nobody },
    call: nobody,
    ...changed,
  };
}

/** All modules, made of those parts. */
export const modules = makeModules(testParts());
