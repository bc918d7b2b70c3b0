import type { StoredMember, StoredView } from "#storage";

/** Who belongs to the cluster, as of one version of the list. */
export interface View {
  readonly version: number;
  readonly members: readonly Member[];
}

export interface Member extends NodeFacts {
  readonly node: string;
  readonly incarnation: string;
}

export interface NodeFacts {
  /** Where its links are taken: host and port of its internal plane. */
  readonly address: string;
  readonly zone: string;
  readonly workers: number;
  readonly versions: Versions;
}

/** What a node announces: how it speaks with others, and the newest format of data that it knows. */
export interface Versions {
  readonly protocol: number;
  readonly format: number;
}

/** As one incarnation sees it. A later start with its name is another node to it. */
export function viewOf(
  { version, members }: StoredView,
  node: string,
  incarnation: string | undefined,
): View {
  return {
    version,
    members: members.map(memberOf).map((member) => {
      const isOther = member.node === node && member.incarnation !== incarnation;
      return isOther ? { ...member, node: `${node}/${member.incarnation}` } : member;
    }),
  };
}

function memberOf({ node, incarnation, info }: StoredMember): Member {
  return { ...(JSON.parse(info) as NodeFacts), node, incarnation };
}

export function storedMember({ node, incarnation, ...facts }: Member): StoredMember {
  return { node, incarnation, info: JSON.stringify(facts) };
}
