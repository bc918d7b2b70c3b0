/** The adapter as a program: hands what Twilio says to `RecordObservations` of the internal plane. */
import { once } from "node:events";
import { type Observation, twilioAdapter } from "./adapter.ts";

const {
  PORT = "8090",
  PUBLIC_URL = `http://127.0.0.1:${PORT}/twilio`,
  SERVICE_INTERNAL_URL = "http://127.0.0.1:50053",
  SERVICE_TOKEN,
  SWITCHYARD_TENANT,
  TWILIO_AUTH_TOKEN = "",
} = process.env;
if (TWILIO_AUTH_TOKEN === "") throw new Error("TWILIO_AUTH_TOKEN is not set: anybody could sign");

interface Recorded {
  readonly outcome: string;
  readonly error?: { readonly detail: string };
}

/** What it throws makes Twilio call again. */
async function record(observation: Observation): Promise<void> {
  const answer = await fetch(`${SERVICE_INTERNAL_URL}/api/v2/notifications/observations`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(SERVICE_TOKEN && { authorization: `Bearer ${SERVICE_TOKEN}` }),
      ...(SWITCHYARD_TENANT && { "x-tenant-id": SWITCHYARD_TENANT }),
    },
    body: JSON.stringify({ observations: [observation] }),
  });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  const { data } = (await answer.json()) as { readonly data: { readonly results: readonly Recorded[] } };
  for (const { outcome, error } of data.results)
    console.log(`${observation.kind} of ${observation.delivery_id}: ${error?.detail ?? outcome}`);
}

const told = async (observation: Observation) => {
  try {
    await record(observation);
  } catch (error) {
    console.error(error);
    throw error;
  }
};
const server = twilioAdapter({ authToken: TWILIO_AUTH_TOKEN, publicUrl: PUBLIC_URL, record: told });
server.listen(Number(PORT), "127.0.0.1", () => console.log(`Twilio's callbacks are taken for ${PUBLIC_URL}`));
await once(process, "SIGTERM");
server.close();
