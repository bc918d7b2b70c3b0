import test from "ava";
import { exposition } from "../telemetry/index.ts";
import { clusterSnapshot } from "./cluster-metrics.ts";

const durations = { count: 2, sumMs: 3_000, buckets: [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0] };
const place = { address: "127.0.0.1:1", zone: "z", workers: 2, moving: [] };

test("nodes, shards, moves and links are told as this node sees them, and each says what it is", async (t) => {
  const page = await exposition([
    clusterSnapshot({
      node: "a",
      version: 7,
      unheld: 1,
      moving: [3, 9],
      nodes: [
        { ...place, node: "a", state: "member", held: 120, share: 122, silentMs: 0, link: undefined },
        {
          ...place,
          node: "b",
          state: "silent",
          held: 100,
          share: 134,
          silentMs: 1_500,
          link: { inFlight: 4, sentBytes: 10, receivedBytes: 20, unreadBytes: 5 },
        },
      ],
      stats: { given: 6, moves: durations, takeOvers: durations },
    }),
  ]);
  for (const line of [
    'service_cluster_nodes{state="member"} 1',
    'service_cluster_nodes{state="silent"} 1',
    'service_cluster_nodes{state="leaving"} 0',
    "service_cluster_list_version 7",
    "service_cluster_shards_held 120",
    "service_cluster_shards_share 122",
    "service_cluster_shards_unheld 1",
    "service_cluster_moves_running 2",
    "service_cluster_shards_given_total 6",
    "service_cluster_takeover_duration_seconds_count 2",
    "service_cluster_move_duration_seconds_sum 3",
    'service_link_silent_seconds{node="b"} 1.5',
    'service_link_calls{node="b"} 4',
    'service_link_unread_bytes{node="b"} 5',
    'service_link_sent_bytes_total{node="b"} 10',
    'service_link_received_bytes_total{node="b"} 20',
  ])
    t.true(page.split("\n").includes(line), line);
  for (const [, name, text] of page.matchAll(/^# HELP (\S+) (.*)$/gm)) t.true(text!.length > 10, name);
});

test("a process that is alone has no metrics of a cluster", async (t) => {
  t.is((await exposition([clusterSnapshot(undefined)])).includes("service_cluster"), false);
});
