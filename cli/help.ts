export const help = `Switchyard routes work items to recipients.

  service dev            run everything on 127.0.0.1, without authentication, for development
    --ephemeral          keep nothing: a folder of its own, removed at the end
    --random-ports       take free ports instead of 8080, 50051, 50052, 50053, 9090
    --ports-file FILE    write the ports as JSON when ready
  service start          run for production; refuses unsafe combinations
  service config         print every setting in force and where it comes from (--markdown: the table of all)
  service config check   find out whether \`service start\` would accept the settings
  service storage migrate  make or update the tables of the configured storage
  service data verify    read all of the data folder and check it
  service shards list    show the shards of a running node: owner, position, what waits
  service actors list    show entities that are in memory
    --failing            only those that failed lately or are isolated
    --kind K, --tenant T only of this kind, of this tenant
    --limit N            how many at most (50; up to 1000)
    --addr HOST:PORT     of the node's internal plane (default: server.internal_addr of the settings)
    --token TOKEN        service token, or SERVICE_TOKEN in the environment; \`service dev\` needs none
    --json               for programs
  service help           this text, also --help behind any command
  service --version      the version

Settings: --config FILE (default service.yaml, if it is there), SERVICE_… in the environment, --set key=value; the later
one wins. docs/configuration.md lists all of them.
`;
