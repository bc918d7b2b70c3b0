import type { Runtime } from "#runtime";
import { OpenCalls } from "../../../gateway/calls/open-calls.ts";
import type { Providers } from "../../../gateway/calls/stages/stage.ts";
import { openApiKeys } from "../../../gateway/doors/providers.ts";
import { createKeyHasher } from "../../../gateway/identity/index.ts";
import { testProviders } from "./auth.ts";

/** Real API keys beside the named bearer tokens of the tests. */
export function apiKeyProviders(
  runtime: Runtime,
  openCalls = new OpenCalls(),
): { external: Providers; internal: Providers } {
  const apiKey = openApiKeys({ asker: runtime, hasher: createKeyHasher(4), openCalls });
  return { external: { bearer: testProviders.bearer!, apiKey }, internal: { bearer: testProviders.bearer! } };
}
