/** The command line of a Cassandra 5 node on JDK 17, and the twenty lines of configuration that it needs. */
export interface NodeConfiguration {
  readonly clusterName: string;
  readonly address: string;
  readonly seed: string;
  readonly storagePort: number;
  readonly nativePort: number;
  readonly commitlogSync: "batch" | "periodic";
  /** Further lines of cassandra.yaml, for TLS and passwords. */
  readonly extra?: string;
  /** The port for nodetool. */
  readonly managementPort?: number;
}

export function nodeArguments(folder: string, jars: string, managementPort = 0): string[] {
  return [
    "-Xms512m",
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xss512k",
    ...opens(),
    `-Dcassandra.config=file:${folder}/cassandra.yaml`,
    `-Dcassandra.storagedir=${folder}`,
    `-Dlogback.configurationFile=${folder}/logback.xml`,
    "-Dcassandra-foreground=yes",
    "-Dcassandra.skip_wait_for_gossip_to_settle=0",
    "-Dcassandra.superuser_setup_delay_ms=0",
    "-Dcassandra.ring_delay_ms=2000",
    `-Dcassandra.jmx.local.port=${managementPort}`,
    "-Djdk.attach.allowAttachSelf=true",
    "-cp",
    `${folder}:${jars}/*`,
    "org.apache.cassandra.service.CassandraDaemon",
  ];
}

/** The command line of Cassandra's own nodetool; its history stays in the folder. */
export function toolArguments(folder: string, jars: string, managementPort: number): string[] {
  return [
    "-XX:TieredStopAtLevel=1",
    ...opens(),
    `-Duser.home=${folder}`,
    "-cp",
    `${folder}:${jars}/*`,
    "org.apache.cassandra.tools.NodeTool",
    "-h",
    "127.0.0.1",
    "-p",
    String(managementPort),
  ];
}

export function nodeYaml(folder: string, node: NodeConfiguration): string {
  return `cluster_name: ${node.clusterName}
num_tokens: 1
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{ seeds: "${node.seed}:${node.storagePort}" }]
listen_address: ${node.address}
rpc_address: ${node.address}
storage_port: ${node.storagePort}
native_transport_port: ${node.nativePort}
endpoint_snitch: SimpleSnitch
data_file_directories: ["${folder}/data"]
commitlog_directory: ${folder}/commitlog
saved_caches_directory: ${folder}/saved_caches
hints_directory: ${folder}/hints
cdc_raw_directory: ${folder}/cdc_raw
commitlog_sync: ${node.commitlogSync}
${node.commitlogSync === "periodic" ? "commitlog_sync_period: 10000ms\n" : ""}commitlog_segment_size: 32MiB
commitlog_total_space: 256MiB
memtable: { configurations: { skiplist: { class_name: SkipListMemtable }, default: { inherits: skiplist } } }
memtable_heap_space: 96MiB
memtable_offheap_space: 64MiB
paxos_variant: v2
concurrent_reads: 16
concurrent_writes: 16
auto_snapshot: false
hinted_handoff_enabled: true
${node.extra ?? ""}
`;
}

export const logback = `<configuration>
  <appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%-5level %date{HH:mm:ss,SSS} %logger{0} %msg%n</pattern></encoder>
  </appender>
  <root level="WARN"><appender-ref ref="STDOUT" /></root>
</configuration>
`;

function opens(): string[] {
  const both = [
    ...[
      ..."jdk.internal.misc jdk.internal.ref sun.nio.ch java.lang java.lang.ref java.lang.reflect java.math".split(
        " ",
      ),
      ..."java.net java.nio java.io java.util java.util.concurrent java.util.concurrent.atomic".split(" "),
      ..."jdk.internal.reflect jdk.internal.math jdk.internal.module jdk.internal.util.jar".split(" "),
      "jdk.internal.loader",
    ].map((name) => `java.base/${name}`),
    ..."sun.rmi.registry sun.rmi.server sun.rmi.transport.tcp".split(" ").map((name) => `java.rmi/${name}`),
    "java.management.rmi/com.sun.jmx.remote.internal.rmi",
    "java.sql/java.sql",
    "jdk.management/com.sun.management.internal",
  ];
  const exported = [...both, "jdk.unsupported/sun.misc", "jdk.attach/sun.tools.attach"];
  const opened = [...both, "jdk.compiler/com.sun.tools.javac"];
  return [
    ...exported.map((name) => `--add-exports=${name}=ALL-UNNAMED`),
    ...opened.map((name) => `--add-opens=${name}=ALL-UNNAMED`),
  ];
}
