export const help = `Switchyard routes work items to recipients.

  service dev            run everything on 127.0.0.1, without authentication, for development
    --ephemeral          keep nothing: a folder of its own, removed at the end
    --random-ports       take free ports instead of 8080, 50051, 50052, 50053, 9090
    --ports-file FILE    write the ports as JSON when ready
  service start          run for production; refuses unsafe combinations
  service bootstrap      make the first tenant and its first admin key, by way of the internal plane
    --tenant NAME        of the tenant
    --if-absent          make nothing where the tenant has a key already, which is refused otherwise
    --again              make one more key; it belongs to the subject of --token, or to cli
    --key-file FILE      write the key there, for its owner only, instead of printing it
  service token          print a token for the internal plane, signed with internal.token_secret
    --subject S, --tenant T, --seconds N   whose it is, for one tenant only, how long (300 at most)
  service whoami         show how a running service knows the caller
    --url URL            of the service (default http://127.0.0.1:8080)
    --key-file FILE      the API key, or SERVICE_CLI_KEY in the environment
    --tenant T, --environment E            as X-Tenant-ID and X-Environment
    --json               for programs
  service streams append append records to a workflow stream (--run R, --stream S, the client options of whoami)
    --data JSON          a record; again for the next one
    --kind K             data (default), input or control
  service streams tail   print records as lines of JSON
    --after N, --follow  after this sequence; until the stream is closed
  service streams ack    acknowledge records (--consumer C, --sequence N)
  service experiments list | show ID | create | start ID | pause ID | complete ID | stop ID | assign ID | score ID | results ID
                         with the options of whoami, and
    --status S           of list: only those in this state
    --file FILE          of create: the experiment as JSON
    --winner V, --reason R                 of complete and of stop
    --unit U, --attributes JSON            of assign
    --unit U, --metric M, --value N, --score-id S   of score
  service notify trigger | preview | deliveries | dead-letters | redrive ID… | sink   with the options of whoami, and
    --workflow KEY, --payload JSON, --channel C   of trigger and preview: what is sent, on which channels (again for the next one)
    --to EXTERNAL_ID | --subscriber ID | --topic KEY   whom trigger reaches; preview takes --subscriber, and --topic as context
    --transaction T      of trigger: repeats have the same outcome; of deliveries: those of this trigger (or --subscriber ID)
    --status S, --channel C   of dead-letters
    --accept-duplicate   of redrive: send again what may have been sent
                         sink gives every channel that has no integration (or --channel C) one that sends nothing
  service promotions list | show ID   with the options of whoami, and
    --state S            of list: only those in this state
  service evidence verify FILE --keys FILE  check the signature of an export, without a service (keys: /api/rollout-evidence/keys)
  service conformance run  test the service by its own suites (with the options of whoami); exit code 0 where it is conformant
    --suite S            all (default) or the name of one
    --mode M             sandbox (default) or dry_run; --environment E (default staging)
    --pack ID            an evidence pack that gets the receipt
  service config         print every setting in force and where it comes from (--markdown: the table of all)
  service config check   find out whether \`service start\` would accept the settings
  service storage migrate  make or update the tables of the configured storage
  service data verify    read all of the data folder and check it
  service audit verify   check the audit log: changed and missing entries, a missing beginning, a cut-off end
    --file FILE          the log (default: that of the settings); rotated ones each with its own --file, oldest first
    --head FILE, --public-key FILE         of the node (default: in storage.dir)
    --begins-at N        the first entry that is kept (default 1)
  service connector check FILE  say what is wrong with a provider file of the connector catalogue
  service connector rotate  seal a tenant's stored credentials anew under connector.encryption_key
    --tenant T           whose
  service cluster status show the nodes of a cluster, the shards each holds, and what is on the move
  service cluster drain NODE  have a node give its shards to the others
  service shards list    show the shards: owner, position, what waits
  service actors list    show entities that are in memory
    --failing            only those that failed lately or are isolated
    --kind K, --tenant T only of this kind, of this tenant
    --limit N            how many at most (50; up to 1000)
    --addr HOST:PORT     of the node's internal plane (default: server.internal_addr of the settings)
    --token TOKEN        service token, or SERVICE_TOKEN in the environment (default: signed with internal.token_secret);
                         \`service dev\` needs none
    --cert FILE, --key FILE, --ca FILE     client certificate, its key, and who signed the node's (PEM), where
                         server.internal_require_mtls is set; \`bootstrap\` takes --addr, --token and these too
    --json               for programs
  service workflows check FILE    find the problems of a workflow (YAML or JSON), without a service
  service workflows publish FILE  make the file the draft of a definition, and publish it
    --key KEY            of the definition, which is created where there is none (default: the name of the file)
                         and the options of \`service whoami\`
  service runs start KEY  start a run of a workflow; --input JSON, --run-key K, and the options of \`service whoami\`
  service runs watch RUN  show a run until it has ended (exit code 1 unless it succeeded)
  service runs retry RUN  run the failed steps of a failed run again
  service help           this text, also --help behind any command
  service --version      the version

Settings: --config FILE (default service.yaml, if it is there), SERVICE_… in the environment, --set key=value; the later
one wins. docs/configuration.md lists all of them.
`;
