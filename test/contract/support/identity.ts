import { apiKeyRevokedTopic } from "#actors";
import { systemClock } from "#base";
import type { Runtime } from "#runtime";
import type { Providers } from "../../../gateway/calls/stages/stage.ts";
import { ApiKeys, createKeyHasher } from "../../../gateway/identity/index.ts";
import { testProviders } from "./auth.ts";

/** Real API keys beside the named bearer tokens of the tests. */
export function apiKeyProviders(runtime: Runtime): { external: Providers; internal: Providers } {
  const apiKey = new ApiKeys({ asker: runtime, hasher: createKeyHasher(4), clock: systemClock });
  runtime.onBroadcast((topic, payload) => {
    if (topic === apiKeyRevokedTopic) apiKey.revoked((payload as { id: string }).id);
  });
  return { external: { bearer: testProviders.bearer!, apiKey }, internal: { bearer: testProviders.bearer! } };
}
