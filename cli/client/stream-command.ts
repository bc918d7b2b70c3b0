import type { Method } from "#protos/surface";
import type { SwitchyardError } from "#sdk";
import type { CommandSpec, Given } from "../command.ts";
import { exitCodes, misunderstood } from "../error.ts";
import type { Terminal } from "../terminal.ts";
import { serverFlags } from "./flags.ts";
import { formatOf, formats } from "./output.ts";

/** `service api RoutingService.RouteStream`: a line of JSON in for each message, a line of JSON out for each answer. */
export function streamCommand(method: Method): CommandSpec {
  const about = `${method.comment}\n\nEach line of standard input is a message as JSON; each answer is a line of JSON.`;
  const flags = [
    { flag: "-o, --output <format>", about: "how a refusal is shown: json, or a sentence", values: formats },
    { flag: "--take <n>", about: "end after this many answers; without it when the service has ended" },
    ...serverFlags,
  ];
  const common = flags.map((flag) => ({ ...flag, common: true }));
  return {
    words: `api ${method.id}`,
    about,
    flags: common,
    load: () => (given, terminal) => stream(method, given, terminal),
  };
}

async function stream({ id }: Method, { flags }: Given, terminal: Terminal): Promise<number> {
  const take = Number(flags.take ?? Number.POSITIVE_INFINITY);
  if (!(take > 0)) throw misunderstood("--take is a number from 1 on");
  formatOf(flags.output);
  const { serverOf } = await import("./settings.ts");
  const { told } = await import("./server.ts");
  const { Switchyard } = await import("#sdk");
  const server = await serverOf(flags, terminal);
  let left = take;
  const ended = new AbortController();
  const end = new Promise<SwitchyardError | undefined>((resolve) => {
    const socket = new Switchyard({}, server.transport).open(id.replace(".", "/") as "QueueService/Work", {
      message(answer) {
        if (left === 0) return;
        terminal.out(`${JSON.stringify(answer)}\n`);
        if (--left === 0) socket.close();
      },
      closed(error) {
        ended.abort();
        resolve(error);
      },
    });
    void send();

    async function send(): Promise<void> {
      for await (const line of terminal.lines!(ended.signal)) {
        if (line.trim() === "") continue;
        socket.send(line);
        await socket.ready();
      }
      if (take === Number.POSITIVE_INFINITY) socket.end();
    }
  });
  const error = await end;
  if (error !== undefined) throw told(error, server);
  return exitCodes.done;
}
