import { setTimeout as sleep } from "node:timers/promises";
import type { Given } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";
import { RefusedError } from "./http.ts";
import { internalServer } from "./internal.ts";

interface Rotated {
  readonly rotated: number;
  readonly unchanged: number;
  readonly unreadable: number;
  readonly next_page_token: string;
}

/** Page by page until nothing of the tenant is sealed under another key; it can be stopped and run again. */
export async function connectorRotate({ flags }: Given, terminal: Terminal): Promise<number> {
  const client = new Client(await internalServer(flags, terminal));
  const total = { rotated: 0, unchanged: 0, unreadable: 0 };
  let page_token = "";
  do {
    const page = await pageOf(client, page_token);
    total.rotated += page.rotated;
    total.unchanged += page.unchanged;
    total.unreadable += page.unreadable;
    page_token = page.next_page_token;
  } while (page_token !== "");
  terminal.out(
    `${total.rotated} sealed anew, ${total.unchanged} unchanged, ${total.unreadable} cannot be opened\n`,
  );
  return total.unreadable === 0 ? 0 : 1;
}

const pageAttemptsMax = 10;
const pagePauseMs = 1_000;
/** A node that is busy says these; what it has done of a page already is found to be unchanged. */
const passing = new Set(["TIMEOUT", "UNAVAILABLE", "RATE_LIMITED"]);

/** One slow page among a hundred does not end a rotation. */
async function pageOf(client: Client, page_token: string): Promise<Rotated> {
  for (let attempt = 1; ; attempt++)
    try {
      return await client.call<Rotated>("ConnectorService.RotateCredentials", { page_token });
    } catch (error) {
      const isPassing = error instanceof RefusedError && passing.has(error.errorCode);
      if (!isPassing || attempt === pageAttemptsMax) throw error;
      await sleep(pagePauseMs);
    }
}
