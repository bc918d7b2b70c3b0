import type { ClusterReport, ClusterStatus, NodeReport } from "./bootstrap.ts";
import { ownersOf } from "./rendezvous.ts";
import type { MoveStats } from "./stats.ts";
import type { Member } from "./view.ts";

interface Reported {
  readonly node: string;
  readonly members: readonly Member[];
  readonly status: ClusterStatus;
  /** Shards on their way to other nodes, as they told last. */
  readonly movingTo: ReadonlyMap<string, readonly number[]>;
  readonly limits: { readonly shardCount: number; readonly nodeSilentMs: number };
  readonly stats: MoveStats;
}

/** The cluster as this node sees it: the nodes of the list, and those it has links to that are not in it. */
export function reportOf({ node, members, status, movingTo, limits, stats }: Reported): ClusterReport {
  const links = new Map(status.links.map((link) => [link.node, link]));
  const owners = ownersOf(members, limits.shardCount);
  const isMember = (name: string) => members.some((member) => member.node === name);
  const leaving = [node, ...links.keys()].filter((name) => !isMember(name));
  const known: readonly Pick<Member, "node" | "address" | "zone" | "workers">[] = [
    ...members,
    ...leaving.map((name) => ({ node: name, address: "", zone: "", workers: 0 })),
  ];
  const nodes = known.map(({ node: name, address, zone, workers }): NodeReport => {
    const isSelf = name === node;
    const link = links.get(name);
    const silentMs = isSelf ? 0 : (link?.silentMs ?? Number.MAX_SAFE_INTEGER);
    return {
      node: name,
      address,
      zone,
      workers,
      state: !isMember(name) ? "leaving" : silentMs > limits.nodeSilentMs ? "silent" : "member",
      held: isSelf ? status.held : (link?.held ?? 0),
      share: owners.filter((owner) => owner === name).length,
      silentMs,
      moving: isSelf ? status.moving : (movingTo.get(name) ?? []),
      link: link && {
        inFlight: link.inFlight,
        sentBytes: link.sentBytes,
        receivedBytes: link.receivedBytes,
        unreadBytes: link.unreadBytes,
      },
    };
  });
  const { version, unheld, moving } = status;
  return { node, version, unheld, moving, nodes, stats };
}
