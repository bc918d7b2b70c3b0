import type { Fields } from "#protos/surface";
import type { Given } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { withIds } from "./names.ts";
import { eventsOf, perform } from "./perform.ts";
import type { Server } from "./server.ts";
import { serverOf } from "./settings.ts";
import { type Surface, surface } from "./surface.ts";

/** For commands of several calls: methods by name, with names where ids are asked. */
export class Client {
  readonly server: Server;
  readonly surface: Surface = surface();

  constructor(server: Server) {
    this.server = server;
  }

  static async of({ flags }: Given, terminal: Terminal): Promise<Client> {
    return new Client(await serverOf(flags, terminal));
  }

  /** `data` of the answer; of a list the rows of all pages. */
  async call<Data>(id: string, request: Fields, timeoutMs?: number): Promise<Data> {
    const method = this.surface.method(id)!;
    const asked = await withIds(this.surface, method, request, this.server);
    const { data } = await perform(method, asked, { server: this.server, timeoutMs, all: true });
    return data as Data;
  }

  /** Messages of a stream; a lost connection is opened again, and told of. */
  events(
    id: string,
    request: Fields,
    how: { readonly signal?: AbortSignal; readonly onLost: (message: string) => void },
  ): AsyncIterable<unknown> {
    return eventsOf(this.surface.method(id)!, request, { server: this.server, ...how });
  }
}
