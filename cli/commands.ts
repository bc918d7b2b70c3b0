import { internalFlags, serverFlags } from "./client/flags.ts";
import type { CommandSpec, Flag } from "./command.ts";

/** What every command that reads the settings takes. */
const settingFlags: readonly Flag[] = [
  { flag: "--config <file>", about: "the settings (default service.yaml, if it is there)", common: true },
  {
    flag: "--set <key=value>",
    about: "a setting; it wins over file and environment",
    many: true,
    common: true,
  },
];

const asked = serverFlags.map((flag) => ({ ...flag, common: true }));
const internal = internalFlags.map((flag) => ({ ...flag, common: true }));
const output: Flag = { flag: "-o, --output <format>", about: "table or json", common: true };

/** Commands by hand: those of a server, those that need none, and those of more than one call. */
export const commands: readonly CommandSpec[] = [
  {
    words: "dev",
    about: "Runs everything on 127.0.0.1, without authentication, for development.",
    flags: [
      { flag: "--ephemeral", about: "keep nothing: a folder of its own, removed at the end" },
      { flag: "--random-ports", about: "take free ports instead of 8080, 50051, 50052, 50053, 9090" },
      { flag: "--ports-file <file>", about: "write the ports as JSON when ready" },
      ...settingFlags,
    ],
    load: async () => (await import("./dev.ts")).dev,
  },
  {
    words: "start",
    about: "Runs for production; refuses unsafe combinations.",
    flags: settingFlags,
    load: async () => (await import("./start.ts")).start,
  },
  {
    words: "bootstrap",
    about: "Makes the first tenant and its first admin key, by way of the internal plane.",
    flags: [
      { flag: "--tenant <name>", about: "of the tenant: dev, system, an id, or a name, which is made" },
      {
        flag: "--if-absent",
        about: "make nothing where the tenant has a key already, which is refused otherwise",
      },
      { flag: "--again", about: "make one more key; it belongs to the subject of --token, or to cli" },
      { flag: "--key-file <file>", about: "write the key there, for its owner only, instead of printing it" },
      { flag: "--save-context <name>", about: "save the key as a context, and use it from now on" },
      { flag: "--url <url>", about: "of the context: where the service takes requests" },
      ...internal.filter(({ flag }) => !flag.startsWith("--tenant")),
    ],
    load: async () => (await import("./client/bootstrap.ts")).bootstrap,
  },
  {
    words: "token",
    about: "Prints a token for the internal plane, signed with internal.token_secret.",
    flags: [
      { flag: "--subject <subject>", about: "whose it is (operator)" },
      { flag: "--tenant <id>", about: "for one tenant only" },
      { flag: "--seconds <n>", about: "how long it holds, 300 at most" },
      ...settingFlags,
    ],
    load: async () => (await import("./token.ts")).token,
  },
  {
    words: "contexts list",
    about: "Lists the services that are known by name, and which one is used.",
    load: async () => (await import("./client/contexts-command.ts")).contextsList,
  },
  {
    words: "contexts add",
    about: "Adds a service by name, or changes what is known of it. The first one is used from then on.",
    args: ["<name>"],
    flags: [
      { flag: "--url <url>", about: "of the service" },
      { flag: "--tenant <id>", about: "as X-Tenant-ID" },
      { flag: "--environment <name>", about: "as X-Environment" },
      { flag: "--api-key-file <file>", about: "the key is copied from there; `-`: standard input" },
      { flag: "--api-key-command <command>", about: "a shell runs it for every command; it prints the key" },
      { flag: "--key-file <file>", about: "the key is read from there for every command" },
      { flag: "--ca-file <file>", about: "who signed the certificate of the service (PEM)" },
    ],
    load: async () => (await import("./client/contexts-command.ts")).contextsAdd,
  },
  {
    words: "contexts use",
    about: "Uses a service from now on.",
    args: ["<name>"],
    load: async () => (await import("./client/contexts-command.ts")).contextsUse,
  },
  {
    words: "contexts remove",
    about: "Forgets a service.",
    args: ["<name>"],
    load: async () => (await import("./client/contexts-command.ts")).contextsRemove,
  },
  {
    words: "streams tail",
    about: "Prints the records of a stream as lines of JSON.",
    args: ["<run_id>", "<stream_id>"],
    flags: [
      { flag: "--after <sequence>", about: "only those after it" },
      { flag: "--follow", about: "until the stream is closed" },
      ...asked,
    ],
    load: async () => (await import("./client/streams.ts")).tail,
  },
  {
    words: "workflows check",
    about: "Finds the problems of a workflow (YAML or JSON), without a service.",
    args: ["<file>"],
    load: async () => (await import("./workflows.ts")).check,
  },
  {
    words: "workflows publish",
    about: "Makes a file the draft of a definition, and publishes it.",
    args: ["<file>"],
    flags: [
      {
        flag: "--key <key>",
        about: "of the definition, which is created where there is none (default: the name of the file)",
      },
      ...asked,
    ],
    load: async () => (await import("./client/publish.ts")).publish,
  },
  {
    words: "runs watch",
    about: "Shows a run until it has ended. Exit code 1 unless it succeeded.",
    args: ["<run_id>"],
    flags: asked,
    load: async () => (await import("./client/runs.ts")).watch,
  },
  {
    words: "conformance run",
    about: "Tests the service by its own suites. Exit code 0 where it is conformant.",
    flags: [
      { flag: "--suite <id>", about: "all (default), or one" },
      { flag: "--mode <mode>", about: "sandbox (default) or dry_run" },
      { flag: "--pack <id>", about: "an evidence pack that gets the receipt" },
      output,
      ...asked,
    ],
    load: async () => (await import("./client/conformance.ts")).conformanceRun,
  },
  {
    words: "items enqueue",
    about: "Enqueues an item; with --batch one for each line of a file.",
    args: ["<pool>"],
    flags: [{ flag: "--batch <file>", about: "a line of JSON for each item; `-`: standard input" }, ...asked],
    load: async () => (await import("./client/batch.ts")).enqueueBatch,
  },
  {
    words: "jobs follow",
    about: "Shows a job until it has ended. Exit code 1 unless it is completed.",
    args: ["<pool>", "<operation_id>"],
    flags: asked,
    load: async () => (await import("./client/jobs.ts")).follow,
  },
  {
    words: "work",
    about:
      "Runs a command for each item of a pool: the payload is its standard input, its standard output the result. Exit code 0 completes the item, 65 rejects it, 75 releases it, any other fails it with the end of standard error.",
    args: ["<pool>", "<command...>"],
    flags: [
      {
        flag: "--recipient <name>",
        about: "who takes the items; made where it is missing (the name of the host)",
      },
      { flag: "--concurrency <n>", about: "how many at a time (1)" },
      { flag: "--items <n>", about: "end after this many" },
      ...asked,
    ],
    load: async () => (await import("./client/work.ts")).work,
  },
  {
    words: "top",
    about: "Shows the queues, those with most items first, again and again.",
    flags: [
      { flag: "--interval <seconds>", about: "between two changes of the screen, 1 to 60 (2)" },
      { flag: "--limit <n>", about: "how many queues, 50 at most (20)" },
      ...asked,
    ],
    load: async () => (await import("./client/top.ts")).top,
  },
  {
    words: "open",
    about: "Opens the reference of the service in a browser.",
    flags: asked,
    load: async () => (await import("./client/open.ts")).open,
  },
  {
    words: "completion",
    about: "Prints what a shell reads to complete commands: bash, zsh or fish.",
    args: ["<shell>"],
    load: async () => (await import("./client/completion.ts")).completion,
  },
  {
    words: "evidence verify",
    about: "Checks the signature of an export, without a service.",
    args: ["<file>"],
    flags: [{ flag: "--keys <file>", about: "the keys, as `service evidence keys -o json` prints them" }],
    load: async () => (await import("./evidence.ts")).evidenceVerify,
  },
  {
    words: "config",
    about: "Prints every setting in force and where it comes from.",
    flags: [{ flag: "--markdown", about: "the table of all settings" }, ...settingFlags],
    load: async () => (await import("./config.ts")).configPrint,
  },
  {
    words: "config check",
    about: "Finds out whether `service start` would accept the settings.",
    flags: settingFlags,
    load: async () => (await import("./config.ts")).configCheck,
  },
  {
    words: "storage migrate",
    about: "Makes or updates the tables of the configured storage.",
    flags: settingFlags,
    load: async () => (await import("./storage.ts")).storageMigrate,
  },
  {
    words: "data verify",
    about:
      "Reads all of the data folder and checks it. Exit code 1 where anything is wrong, 3 where there is no data.",
    flags: settingFlags,
    load: async () => (await import("./data.ts")).dataVerify,
  },
  {
    words: "audit verify",
    about: "Checks the audit log: changed and missing entries, a missing beginning, a cut-off end.",
    flags: [
      {
        flag: "--file <file>",
        about: "the log (default: that of the settings); rotated ones each with its own --file, oldest first",
        many: true,
      },
      { flag: "--head <file>", about: "of the node (default: in storage.dir)" },
      { flag: "--public-key <file>", about: "of the node (default: in storage.dir)" },
      { flag: "--begins-at <n>", about: "the first entry that is kept (1)" },
      ...settingFlags,
    ],
    load: async () => (await import("./audit.ts")).auditVerify,
  },
  {
    words: "connector check",
    about: "Says what is wrong with a provider file of the connector catalogue.",
    args: ["<file>"],
    load: async () => (await import("./connector.ts")).connectorCheck,
  },
  {
    words: "connector rotate",
    about: "Seals a tenant's stored credentials anew under connector.encryption_key.",
    flags: internal,
    load: async () => (await import("./client/rotate.ts")).connectorRotate,
  },
  {
    words: "cluster status",
    about:
      "Shows the nodes of a cluster, the shards each holds, and what is on the move. Exit code 1 while a shard has no holder.",
    flags: [output, ...internal],
    load: async () => (await import("./client/cluster.ts")).clusterStatus,
  },
];
