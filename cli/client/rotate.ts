import type { Given } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { Client } from "./client.ts";
import { internalServer } from "./internal.ts";

interface Rotated {
  readonly rotated: number;
  readonly unchanged: number;
  readonly unreadable: number;
  readonly next_page_token: string;
}

/** Within this time one page may be tried again: a slow one among a hundred does not end a rotation. */
const pageMs = 300_000;

/** Page by page until nothing of the tenant is sealed under another key; it can be stopped and run again. */
export async function connectorRotate({ flags }: Given, terminal: Terminal): Promise<number> {
  const client = new Client(await internalServer(flags, terminal));
  const total = { rotated: 0, unchanged: 0, unreadable: 0 };
  let page_token = "";
  do {
    const page = await client.call<Rotated>("ConnectorService.RotateCredentials", { page_token }, pageMs);
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
