import { type Case, nobody } from "./case.ts";
import type { World } from "./world.ts";

let made = 0;
const settings = () => ({
  channel: "in_app",
  name: `an integration ${new Date(made++).toISOString()}`,
  provider_key: "inbox",
});

async function integration(world: World): Promise<{ integration_id: string }> {
  const { id } = await world.call<{ id: string }>("IntegrationService.CreateIntegration", settings());
  return { integration_id: id };
}

const one = (method: string, request: Case["request"]): Case => ({ method, claim: "one", request });
const bad = (
  method: string,
  claim: string,
  request: object,
  refused: NonNullable<Case["refused"]>,
): Case => ({
  method,
  claim,
  request: () => request,
  refused,
});
const unknown = (method: string, more: object = {}): Case =>
  bad(method, "an unknown one is not found", { integration_id: nobody, ...more }, "NOT_FOUND");
const whole = { name: "another", provider_key: "inbox" };

export const cases: readonly Case[] = [
  one("IntegrationService.CreateIntegration", settings),
  bad(
    "IntegrationService.CreateIntegration",
    "a provider that does not send the channel is refused",
    { channel: "sms", name: "x", provider_key: "smtp", connection_id: "static:mail" },
    "INVALID_ARGUMENT",
  ),
  bad(
    "IntegrationService.CreateIntegration",
    "a header that adds a recipient is refused",
    {
      channel: "email",
      name: "x",
      provider_key: "smtp",
      connection_id: "static:mail",
      metadata: { headers: { Bcc: "a@example.com" } },
    },
    "INVALID_ARGUMENT",
  ),
  bad(
    "IntegrationService.CreateIntegration",
    "a condition that is not CEL is refused",
    { channel: "in_app", name: "x", provider_key: "inbox", condition: "payload." },
    "INVALID_ARGUMENT",
  ),
  bad(
    "IntegrationService.CreateIntegration",
    "a connection that is not there is refused",
    { channel: "sms", name: "x", provider_key: "twilio", connection_id: nobody },
    "FAILED_PRECONDITION",
  ),
  one("IntegrationService.GetIntegration", integration),
  unknown("IntegrationService.GetIntegration"),
  one("IntegrationService.ListIntegrations", async (world) => {
    await integration(world);
    await integration(world);
    return { page_size: 1 };
  }),
  bad(
    "IntegrationService.ListIntegrations",
    "a cursor of another list is refused",
    { page_token: "none" },
    "INVALID_ARGUMENT",
  ),
  one("IntegrationService.UpdateIntegration", async (world) => ({
    ...(await integration(world)),
    name: settings().name,
    provider_key: "inbox",
    priority: 5,
    condition: "payload.n == 1",
    rate: { per_second: 10 },
  })),
  {
    method: "IntegrationService.UpdateIntegration",
    claim: "an old version is refused",
    request: async (world) => ({ ...(await integration(world)), ...whole, record_version: 7 }),
    refused: "VERSION_CONFLICT",
  },
  unknown("IntegrationService.UpdateIntegration", whole),
  one("IntegrationService.DeleteIntegration", integration),
  unknown("IntegrationService.DeleteIntegration"),
];

export const decided = `
IntegrationService.CreateIntegration | POST /api/v2/notification/integrations | notification:write | | I
IntegrationService.GetIntegration    | GET /api/v2/notification/integrations/{integration_id} | notification:read | | R
IntegrationService.ListIntegrations  | GET /api/v2/notification/integrations | notification:read | | R C
IntegrationService.UpdateIntegration | PUT /api/v2/notification/integrations/{integration_id} | notification:write | | I
IntegrationService.DeleteIntegration | DELETE /api/v2/notification/integrations/{integration_id} | notification:write | | I
`;
