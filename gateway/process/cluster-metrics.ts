import { type ClusterReport, moveBucketsMs } from "#runtime";
import type { Snapshot } from "../telemetry/index.ts";

/** The cluster as this node sees it, as metrics; a process that is alone has none. */
export function clusterSnapshot(report: ClusterReport | undefined): Snapshot {
  if (report === undefined) return { counters: [], gauges: [], histograms: [] };
  const { nodes, stats } = report;
  const own = nodes.find(({ node }) => node === report.node);
  const inState = (state: string) => nodes.filter((node) => node.state === state).length;
  const links = nodes.flatMap(({ node, silentMs, link }) => (link ? [{ node, silentMs, ...link }] : []));
  const byNode = <Key extends string>(name: Key, read: (link: (typeof links)[number]) => number) =>
    links.map((link) => [`${name}{node=${JSON.stringify(link.node)}}`, read(link)] as const);
  return {
    counters: [
      ["service_cluster_shards_given_total", stats.given],
      ...byNode("service_link_sent_bytes_total", (link) => link.sentBytes),
      ...byNode("service_link_received_bytes_total", (link) => link.receivedBytes),
    ],
    gauges: [
      ...["member", "leaving", "silent"].map(
        (state) => [`service_cluster_nodes{state="${state}"}`, inState(state)] as const,
      ),
      ["service_cluster_list_version", report.version],
      ["service_cluster_shards_held", own?.held ?? 0],
      ["service_cluster_shards_share", own?.share ?? 0],
      ["service_cluster_shards_unheld", report.unheld],
      ["service_cluster_moves_running", report.moving.length],
      ...byNode("service_link_silent_seconds", (link) => link.silentMs / 1_000),
      ...byNode("service_link_calls", (link) => link.inFlight),
      ...byNode("service_link_unread_bytes", (link) => link.unreadBytes),
    ],
    histograms: [
      ["service_cluster_move_duration_seconds", stats.moves.buckets, stats.moves.sumMs, moveBucketsMs],
      [
        "service_cluster_takeover_duration_seconds",
        stats.takeOvers.buckets,
        stats.takeOvers.sumMs,
        moveBucketsMs,
      ],
    ],
  };
}
