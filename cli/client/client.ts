import type { Fields } from "#protos/surface";
import type { Given } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import type { Server } from "./http.ts";
import { withIds } from "./names.ts";
import { perform } from "./perform.ts";
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
  async call<Data>(id: string, request: Fields): Promise<Data> {
    const method = this.surface.method(id)!;
    const asked = await withIds(this.surface, method, request, this.server);
    const answered = await perform(method, asked, { server: this.server, all: true });
    return ("bytes" in answered ? answered.bytes : answered.data) as Data;
  }
}
