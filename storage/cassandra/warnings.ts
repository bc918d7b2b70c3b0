import type { Session } from "./session.ts";

/** What a start can see that weakens "acknowledged means durable": one sentence each, for the operator. */
export async function warnings(session: Session, keyspace: string): Promise<string[]> {
  return [...replicationWarnings(session, keyspace), ...(await commitlogWarnings(session))];
}

function replicationWarnings({ client }: Session, keyspace: string): string[] {
  // The driver's types do not include this field of its metadata.
  const described = client.metadata.keyspaces[keyspace] as
    | { strategyOptions?: Record<string, string> }
    | undefined;
  const replication = described?.strategyOptions;
  return Object.entries(replication ?? {})
    .filter(([name, factor]) => name !== "class" && Number(factor) < 3)
    .map(
      ([name, factor]) =>
        `keyspace ${keyspace} has replication factor ${factor} in ${name}: with fewer than 3, losing one Cassandra node stops or loses data`,
    );
}

async function commitlogWarnings({ client }: Session): Promise<string[]> {
  const found: string[] = [];
  for (const host of client.hosts.values()) {
    try {
      const query = "SELECT value FROM system_views.settings WHERE name = 'commitlog_sync'";
      const mode = (await client.execute(query, [], { host })).first()?.value;
      if (mode === "periodic")
        found.push(
          `Cassandra node ${host.address} has commitlog_sync: periodic: a power loss of a whole quorum loses acknowledged changes; set batch or group`,
        );
    } catch {
      found.push(
        `the commitlog_sync setting of Cassandra node ${host.address} cannot be seen; it should be batch or group`,
      );
    }
  }
  return found;
}
