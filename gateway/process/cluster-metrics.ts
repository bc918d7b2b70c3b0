import { type ClusterReport, moveBucketsMs } from "#runtime";
import { histogramValues, metricOf, type Snapshot, single } from "../telemetry/index.ts";

/** The cluster as this node sees it, as metrics; a process that is alone has none. */
export function clusterSnapshot(report: ClusterReport | undefined): Snapshot {
  if (report === undefined) return [];
  const { nodes, stats } = report;
  const own = nodes.find(({ node }) => node === report.node);
  const states = ["member", "leaving", "silent"].map((state) => ({
    labels: { state },
    value: nodes.filter((node) => node.state === state).length,
  }));
  const links = nodes.flatMap(({ node, silentMs, link }) => (link ? [{ node, silentMs, ...link }] : []));
  const byNode = (type: "counter" | "gauge", name: string, read: (link: (typeof links)[number]) => number) =>
    metricOf(
      type,
      name,
      links.map((link) => ({ labels: { node: link.node }, value: read(link) })),
    );
  const durations = (name: string, { buckets: counts, sumMs }: typeof stats.moves) =>
    metricOf("histogram", name, histogramValues(name, {}, { counts, sumMs, boundsMs: moveBucketsMs }));
  return [
    single("counter", "service_cluster_shards_given_total", stats.given),
    byNode("counter", "service_link_sent_bytes_total", (link) => link.sentBytes),
    byNode("counter", "service_link_received_bytes_total", (link) => link.receivedBytes),
    metricOf("gauge", "service_cluster_nodes", states),
    single("gauge", "service_cluster_list_version", report.version),
    single("gauge", "service_cluster_shards_held", own?.held ?? 0),
    single("gauge", "service_cluster_shards_share", own?.share ?? 0),
    single("gauge", "service_cluster_shards_unheld", report.unheld),
    single("gauge", "service_cluster_moves_running", report.moving.length),
    byNode("gauge", "service_link_silent_seconds", (link) => link.silentMs / 1_000),
    byNode("gauge", "service_link_calls", (link) => link.inFlight),
    byNode("gauge", "service_link_unread_bytes", (link) => link.unreadBytes),
    durations("service_cluster_move_duration_seconds", stats.moves),
    durations("service_cluster_takeover_duration_seconds", stats.takeOvers),
  ];
}
