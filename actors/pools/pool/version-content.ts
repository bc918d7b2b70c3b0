import type { Message } from "../../kit/record.ts";
import type { PoolConfig } from "../pool-config.ts";
import type { Strategy } from "../router.ts";

export type ContentKind = "routing" | "strategy";

/** What a version holds and a digest is made of, in the words of the contract, every default filled in. */
export type Content = RoutingContent | StrategyContent;

export interface RoutingContent {
  readonly config: Omit<PoolConfig, "sticky" | "outlier">;
  /** By order and name: their ids are not part of it. */
  readonly rules: readonly RuleContent[];
}

export interface StrategyContent {
  readonly strategy: Strategy;
  readonly sticky?: PoolConfig["sticky"];
  readonly outlier: PoolConfig["outlier"];
}

export interface RuleContent {
  readonly name: string;
  readonly order: number;
  readonly enabled: boolean;
  readonly condition: string;
  readonly action: Message;
}
