import type { Fields, Method } from "#protos/surface";
import type { CommandSpec, Flag, Given } from "../command.ts";
import { CliError, exitCodes, verdictCodes } from "../error.ts";
import { redrawn, type Terminal } from "../terminal.ts";
import { type Field, fieldsOf, flagOf, isInAddress } from "./fields.ts";
import { internalFlags, serverFlags } from "./flags.ts";
import { formatOf, formats, rendered } from "./output.ts";
import { eventsOf, perform } from "./perform.ts";
import type { Server } from "./server.ts";
import type { Surface } from "./surface.ts";

/** How a method is called by a command. */
export interface Shape {
  readonly words: string;
  /** Fields by position. */
  readonly args: readonly string[];
  /** Names are taken where ids are asked. */
  readonly takesNames: boolean;
  /** Fields that are set unless a flag says otherwise. */
  readonly preset?: Fields;
}

/** The command of a method: its flags are the fields of its request. */
export function methodCommand(surface: Surface, method: Method, shape: Shape): CommandSpec {
  const fields = fieldsOf(surface, method);
  const placed = shape.args.map((name) => fields.find(({ path }) => path.length === 1 && path[0] === name)!);
  const own = fields.filter((field) => !placed.includes(field) || !isInAddress(method, field)).map(flagOf);
  const taken = new Set(own.map(({ flag }) => longOf(flag)));
  const common = commonFlags(method).filter(({ flag }) => !taken.has(longOf(flag)));
  return {
    words: shape.words,
    about: `${method.comment}${permissionOf(method)}`,
    args: placed.map((field, at) => argOf(method, field, at === placed.length - 1)),
    flags: [...own, ...common.map((flag) => ({ ...flag, common: true }))],
    load: () => (given, terminal) => new Call(surface, method, shape, fields, given, terminal).run(),
  };
}

function permissionOf({ permissions = [] }: Method): string {
  return permissions.length === 0 ? "" : `\n\nPermission: ${permissions.join(", ")}.`;
}

function longOf(flag: string): string {
  return /--[^ ,]+/.exec(flag)![0];
}

/** Only what is part of the address must be there: the rest may come from a file. */
function argOf(method: Method, field: Field, isLast: boolean): string {
  const {
    path: [name = ""],
    schema,
  } = field;
  const shown = schema.ref === undefined ? name : name.replace(/_id$/, "");
  const many = isLast && schema.type === "array" ? "..." : "";
  return isInAddress(method, field) ? `<${shown}${many}>` : `[${shown}${many}]`;
}

function commonFlags(method: Method): readonly Flag[] {
  const isRead = method.repeat === "read" && method.kind === "unary";
  const when = (is: boolean, flag: string, about: string): readonly Flag[] => (is ? [{ flag, about }] : []);
  return [
    ...when(
      method.rest?.body !== undefined,
      "-f, --file <file>",
      "fields of the request, YAML or JSON; `-`: standard input",
    ),
    { flag: "-o, --output <format>", about: "how it is shown", values: formats },
    ...when(method.page !== undefined, "--all", "all pages"),
    ...when(
      isRead,
      "-w, --watch",
      watchers[method.id] === undefined ? "again every two seconds" : "again at every change",
    ),
    ...when(method.sse !== undefined, "--take <n>", "end after this many"),
    ...when(
      method.repeat === "key",
      "--idempotency-key <key>",
      "a second call with it has the effect of one",
    ),
    { flag: "--curl", about: "show the call as curl, and make none" },
    { flag: "--dry-run", about: "show the request, and make none" },
    ...(method.plane === "internal" ? internalFlags : serverFlags),
  ];
}

/** What judges ends with its verdict; one that is not known is `unknown`. */
function exitCodeOf({ id }: Method, data: unknown): number {
  if (id === "OperationalHealthService.GetOperationalHealthReport")
    return verdictCodes[(data as { verdict: string }).verdict] ?? verdictCodes.unknown!;
  return isPartlyRefused(data) ? exitCodes.refused : exitCodes.done;
}

/** A batch is answered result by result. */
function isPartlyRefused(data: unknown): boolean {
  if (typeof data !== "object" || data === null || !("results" in data) || !Array.isArray(data.results))
    return false;
  return data.results.some((one: { error?: unknown } | null) => one?.error !== undefined);
}

/** How often `--watch` looks, at most. */
const watchMs = 2_000;

/** What tells of changes in what a method reads. Other methods are called again and again. */
const watchers: Readonly<
  Record<string, (request: Fields) => { readonly id: string; readonly request: Fields }>
> = {
  "QueueControlService.GetQueueStatus": ({ pool_id }) => ({
    id: "LiveService.WatchPools",
    request: { pool_ids: [pool_id], interval_ms: watchMs },
  }),
  "InboxService.ListInbox": ({ subscriber_id }) => ({
    id: "InboxService.WatchInbox",
    request: { subscriber_id },
  }),
};

/** One call of a command. */
class Call {
  readonly #surface: Surface;
  readonly #method: Method;
  readonly #shape: Shape;
  readonly #fields: readonly Field[];
  readonly #given: Given;
  readonly #terminal: Terminal;
  #exitCode: number = exitCodes.done;

  constructor(
    surface: Surface,
    method: Method,
    shape: Shape,
    fields: readonly Field[],
    given: Given,
    terminal: Terminal,
  ) {
    this.#surface = surface;
    this.#method = method;
    this.#shape = shape;
    this.#fields = fields;
    this.#given = given;
    this.#terminal = terminal;
  }

  async run(): Promise<number> {
    const { flags } = this.#given;
    const format = formatOf(flags.output);
    const server = await this.#server();
    const request = await this.#request(server);
    if (flags.curl === true || flags["dry-run"] === true) return await this.#show(server, request);
    if (this.#method.sse !== undefined) return await this.#follow(server, request);
    this.#terminal.out(await this.#once(server, request, format));
    if (flags.watch === true) await this.#watch(server, request, format);
    return this.#exitCode;
  }

  async #server(): Promise<Server> {
    const { flags } = this.#given;
    if (this.#method.plane === "internal")
      return (await import("./internal.ts")).internalServer(flags, this.#terminal);
    const own = new Set(this.#fields.map(({ name }) => name));
    // A command that names an environment is about that one, whatever the context names.
    const free = Object.entries(flags).filter(([name]) => name === "environment" || !own.has(name));
    return (await import("./settings.ts")).serverOf(Object.fromEntries(free), this.#terminal);
  }

  /** The file, then what is given by position, then flags. */
  async #request(server: Server): Promise<Fields> {
    const { given, fields } = { given: this.#given, fields: this.#fields };
    const { requestOf } = await import("./given.ts");
    const { args, takesNames, preset } = this.#shape;
    const asked = { ...preset, ...(await requestOf(this.#method, { given, fields, args }, this.#terminal)) };
    const hasNames =
      takesNames && fields.some(({ schema, path }) => schema.ref && typeof asked[path[0]!] === "string");
    if (!hasNames) return asked;
    return (await import("./names.ts")).withIds(this.#surface, this.#method, asked, server);
  }

  async #show(server: Server, request: Fields): Promise<number> {
    const { flags } = this.#given;
    const text =
      flags.curl === true
        ? (await import("./curl.ts")).curlOf(server, this.#method, request, {
            flags,
            ...this.#keyOf(request),
          })
        : (await import("./request.ts")).dryRun(this.#method, request);
    this.#terminal.out(text);
    return exitCodes.done;
  }

  async #once(
    server: Server,
    request: Fields,
    format: ReturnType<typeof formatOf>,
  ): Promise<string | Uint8Array> {
    const { flags } = this.#given;
    const { data, more } = await perform(this.#method, request, {
      server,
      ...this.#keyOf(request),
      all: flags.all === true,
    });
    if (data instanceof Uint8Array || (this.#method.media_type !== undefined && typeof data === "string"))
      return data;
    this.#exitCode = exitCodeOf(this.#method, data);
    if (more && format === "table") this.#terminal.err("service: there are more; --all shows them\n");
    if (Array.isArray(data) && data.length === 0 && format === "table") this.#sayNone();
    return rendered(this.#surface, this.#method, data, format);
  }

  #keyOf(request: Fields): { readonly key?: string } {
    const key = this.#given.flags["idempotency-key"];
    return typeof key === "string" && !("idempotency_key" in request) ? { key } : {};
  }

  /** Tells a person that a list is empty, and how it would not be. */
  #sayNone(): void {
    if (this.#terminal.isTerminal !== true) return;
    const { group } = this.#method.cli!;
    const make = this.#surface.group(group).find(({ cli }) => cli?.verb === "create");
    this.#terminal.err(
      `service: there are none${make === undefined ? "" : `; service ${group} create makes one`}\n`,
    );
  }

  /** Goes on while there is no answer. */
  async #watch(server: Server, request: Fields, format: ReturnType<typeof formatOf>): Promise<void> {
    let last: string | Uint8Array = "";
    for await (const _ of this.#changes(server, request))
      try {
        const shown = await this.#once(server, request, format);
        if (String(shown) === String(last)) continue;
        this.#terminal.out(this.#terminal.isTerminal ? redrawn(String(shown)) : shown);
        last = shown;
      } catch (error) {
        if (!(error instanceof CliError) || error.exitCode !== exitCodes.noAnswer) throw error;
        this.#lost(error.message);
      }
  }

  async *#changes(server: Server, request: Fields): AsyncGenerator<unknown> {
    const watcher = watchers[this.#method.id]?.(request);
    if (watcher !== undefined)
      yield* eventsOf(this.#surface.method(watcher.id)!, watcher.request, { server, onLost: this.#lost });
    else for (;;) yield await new Promise((resolve) => setTimeout(resolve, watchMs));
  }

  readonly #lost = (message: string) => this.#terminal.err(`${message}; trying again\n`);

  async #follow(server: Server, request: Fields): Promise<number> {
    let left = Number(this.#given.flags.take ?? Number.POSITIVE_INFINITY);
    if (!(left > 0)) throw new CliError("service: --take is a number from 1 on", exitCodes.notUnderstood);
    for await (const event of eventsOf(this.#method, request, { server, onLost: this.#lost })) {
      this.#terminal.out(`${JSON.stringify(event)}\n`);
      if (--left === 0) break;
    }
    return exitCodes.done;
  }
}
