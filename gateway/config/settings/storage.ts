import { limits } from "#base";
import { byteSize, filled, list, oneOf, optionalAddress, text, whole } from "../kinds.ts";
import { setting } from "../setting.ts";

/** Where data is, and the nodes that share it. */
export const storageSettings = {
  "storage.engine": setting(oneOf("embedded", "cassandra", "memory"), {
    default: "embedded",
    reason:
      "embedded needs nothing else; cassandra survives the loss of a machine; memory forgets everything at exit.",
  }),
  "storage.dir": setting(filled, {
    default: "./data",
    reason: "Folder of the embedded engine; one process at a time.",
  }),
  "storage.cassandra.contact_points": setting(list, {
    default: ["127.0.0.1"],
    reason: "Nodes to ask first.",
  }),
  "storage.cassandra.keyspace": setting(filled, {
    default: "switchyard",
    reason: "Made by `service storage migrate`.",
  }),
  "storage.cassandra.local_data_center": setting(filled, {
    default: "datacenter1",
    reason: "Must be the one the keyspace was made in: two data centres are two sets of votes.",
  }),
  "storage.cassandra.replication_factor": setting(whole({ min: 1, max: 9 }), {
    default: 3,
    reason: "Used when the keyspace is made; below 3 one lost node is lost data.",
  }),
  "storage.cassandra.partition_size": setting(byteSize({ min: 1_024 ** 2, max: 256 * 1_024 ** 2 }), {
    default: limits.cassandraBucketBytesMax,
    reason: "A partition whose rows have more is divided; they stay in order.",
  }),
  "storage.cassandra.username": setting(text, { default: "", reason: "Empty: no authentication." }),
  "storage.cassandra.password": setting(text, { default: "", secret: true, reason: "Of that user." }),
  "storage.cassandra.tls_ca_file": setting(text, {
    default: "",
    reason: "PEM; any of these three files turns TLS to Cassandra on. Empty: authorities that Node trusts.",
  }),
  "storage.cassandra.tls_cert_file": setting(text, {
    default: "",
    reason: "Client certificate (PEM), where asked for.",
  }),
  "storage.cassandra.tls_key_file": setting(text, { default: "", reason: "Its private key (PEM)." }),
  "cluster.node_id": setting(text, {
    default: "",
    reason:
      "Name of this node among those that share a Cassandra keyspace. Empty: host name and internal port. A second start with one name replaces the first.",
  }),
  "cluster.advertise_addr": setting(optionalAddress, {
    default: "",
    reason: "Where other nodes reach the internal plane of this one. Empty: as server.internal_addr says.",
  }),
  "cluster.zone": setting(text, {
    default: "",
    reason: "Label of where this node stands, shown in the status of the cluster.",
  }),
  "cluster.format_max": setting(whole({ min: 1, max: limits.formatMax }), {
    default: limits.formatMax,
    reason:
      "No newer format of data is announced or written: holds an upgrade back while the version before may return.",
  }),
  "cluster.moves_at_once": setting(whole({ min: 1, max: 256 }), {
    default: limits.movesAtOnce,
    reason: "Shards that move to this node at a time when nodes come and go; each is paused while it moves.",
  }),
} as const;
