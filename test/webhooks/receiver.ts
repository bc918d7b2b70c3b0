import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly id: string; readonly data: Record<string, unknown> };
}

type Answer = (received: Received, response: ServerResponse) => void;

/** Takes webhooks; what it answers may change. */
export class Receiver {
  readonly received: Received[] = [];
  answer: Answer = (_received, response) => response.writeHead(204).end();
  readonly #server = createServer(async (request, response) => {
    let text = "";
    try {
      for await (const chunk of request) text += chunk;
    } catch {
      return;
    }
    const received = { path: request.url!, headers: request.headers, text, body: JSON.parse(text) };
    this.received.push(received);
    this.answer(received, response);
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  url(path = "/"): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  at(path: string): readonly Received[] {
    return this.received.filter((one) => one.path === path);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
