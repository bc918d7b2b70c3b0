import { inSandbox, reading, suite } from "./case.ts";
import { expect, NotApplicable } from "./failures.ts";
import type { Tester } from "./tester.ts";

const providers = "ConnectorService.ListProviders";
const create = "ProviderConfigService.CreateProviderConfig";
const get = "ProviderConfigService.GetProviderConfig";
const activate = "ProviderConfigService.ActivateProviderConfig";
const disable = "ProviderConfigService.DisableProviderConfig";
const archive = "ProviderConfigService.ArchiveProviderConfig";

/** A config of the provider that needs no account. */
async function configured(t: Tester): Promise<string> {
  const { providers: found } = await t.ok(providers, { page_size: 100 });
  if (!(found as { key: string }[]).some(({ key }) => key === "http"))
    throw new NotApplicable("the catalogue has no provider http");
  const config = { base_url: "https://example.com" };
  return (await t.ok(create, { provider_key: "http", auth: "none", name: "conformance", config })).id;
}

/** Providers, and a provider config from its draft to its archive. */
export const connectorLifecycle = suite({
  id: "connector_lifecycle",
  title: "Providers, and provider configs from draft to archive",
  capability: "connectors",
  cases: {
    providers: reading(
      "providers are listed, and each can be read",
      [providers, "ConnectorService.GetProvider"],
      async (t) => {
        const { providers: found } = await t.ok(providers, {});
        expect(Array.isArray(found) && found.length > 0, "there are none");
        const one = await t.ok("ConnectorService.GetProvider", { key: found[0].key });
        expect(one.key === found[0].key, "another one was read");
      },
    ),
    actions: reading(
      "actions say whether they can be executed",
      ["ConnectorService.ListActions"],
      async (t) => {
        const { actions } = await t.ok("ConnectorService.ListActions", {});
        const told = (actions as { runtime_status?: string }[]).every(({ runtime_status }) => runtime_status);
        expect(told, "an action has no runtime_status");
      },
    ),
    "unknown-provider": reading(
      "an unknown provider is not found",
      ["ConnectorService.GetProvider"],
      async (t) => {
        await t.refused("ConnectorService.GetProvider", { key: "no_such_provider" }, "NOT_FOUND");
      },
    ),
    "config-states": inSandbox(
      "a config goes from draft to active, disabled and archived",
      [providers, create, get, activate, disable, archive],
      async (t) => {
        const provider_config_id = await configured(t);
        const statuses = [];
        for (const step of [get, activate, disable, archive])
          statuses.push((await t.ok(step, { provider_config_id })).status);
        expect(statuses.join() === "draft,active,disabled,archived", `it was ${statuses.join()}`);
      },
    ),
    "archived-stays": inSandbox(
      "an archived config is not activated again",
      [providers, create, activate, archive],
      async (t) => {
        const provider_config_id = await configured(t);
        await t.ok(archive, { provider_config_id });
        const outcome = await t.call(activate, { provider_config_id });
        expect(outcome.code !== 0, "it was activated");
      },
    ),
  },
});
