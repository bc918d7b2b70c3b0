import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { RefusalError } from "#base";
import { testParts } from "../../../test/support/module-parts.ts";
import { startModules } from "../../../test/support/modules.ts";
import { orchestrate } from "../../../test/support/orchestrate.ts";
import { makeProviders } from "../../notify/outbound/providers.ts";
import { integrationMethods } from "./integrations.ts";
import { StaticConnections } from "./static-connections.ts";

test("an integration takes only a connection of its provider, stored or static", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "integrations-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const { context } = await startModules(t);
  const call = context();
  const file = join(folder, "connections.yaml");
  writeFileSync(
    file,
    `tenants: { "${call.caller.tenant}": { sms: { provider: twilio }, mail: { provider: smtp } } }`,
  );
  const methods = integrationMethods({
    files: new StaticConnections(file, call.clock),
    call: async (_, request) => ({ provider_key: (request as { connection_id: string }).connection_id }),
    providers: makeProviders(testParts()),
  });
  const create = async (provider_key: string, connection_id: string, condition = "") => {
    const request = { channel: "email", name: connection_id, provider_key, connection_id, condition };
    try {
      return await orchestrate(methods["IntegrationService.CreateIntegration"]!, request, call);
    } catch (error) {
      if (error instanceof RefusalError) return error.refusal;
      throw error;
    }
  };
  t.like(await create("smtp", "static:sms"), {
    code: "INVALID_ARGUMENT",
    fields: [
      {
        field: "connection_id",
        reason: "the connection static:sms is of twilio: the integration needs one of smtp",
      },
    ],
  });
  t.like(await create("smtp", "stripe"), { code: "INVALID_ARGUMENT", fields: [{ field: "connection_id" }] });
  t.like(await create("smtp", "static:mail"), { provider_key: "smtp" });
  t.like(await create("smtp", "smtp"), { provider_key: "smtp" });
  t.like(await create("smtp", "static:mail", "'yes'"), { fields: [{ field: "condition" }] });
});
