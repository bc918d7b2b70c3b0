import { bugNamed } from "./bugs.ts";
import { Cluster } from "./cluster.ts";
import { ConnectorsScenario } from "./connectors/scenario.ts";
import { ExperimentsScenario } from "./experiments/scenario.ts";
import type { FaultName, Faults } from "./faults.ts";
import { InsightScenario } from "./insight/scenario.ts";
import { LedgerScenario } from "./ledger/scenario.ts";
import { Members } from "./members.ts";
import { Nodes } from "./nodes.ts";
import { NotifyScenario } from "./notify/scenario.ts";
import { PromotionsScenario } from "./promotions/scenario.ts";
import { RoutingScenario } from "./routing/scenario.ts";
import { StreamsScenario } from "./streams/scenario.ts";
import { Threads } from "./threads.ts";
import type { Ground } from "./topology.ts";

/** Which scenario runs, and on which topology. */
const scenarios = {
  ledger: { Scenario: LedgerScenario, Topology: Nodes },
  routing: { Scenario: RoutingScenario, Topology: Nodes },
  streams: { Scenario: StreamsScenario, Topology: Nodes },
  notify: { Scenario: NotifyScenario, Topology: Nodes },
  promotions: { Scenario: PromotionsScenario, Topology: Nodes },
  "ledger-threads": { Scenario: LedgerScenario, Topology: Threads },
  "routing-threads": { Scenario: RoutingScenario, Topology: Threads },
  "streams-threads": { Scenario: StreamsScenario, Topology: Threads },
  "notify-threads": { Scenario: NotifyScenario, Topology: Threads },
  connectors: { Scenario: ConnectorsScenario, Topology: Nodes },
  "connectors-threads": { Scenario: ConnectorsScenario, Topology: Threads },
  "ledger-members": { Scenario: LedgerScenario, Topology: Members },
  "routing-members": { Scenario: RoutingScenario, Topology: Members },
  experiments: { Scenario: ExperimentsScenario, Topology: Nodes },
  insight: { Scenario: InsightScenario, Topology: Nodes },
  "insight-threads": { Scenario: InsightScenario, Topology: Threads },
  "experiments-members": { Scenario: ExperimentsScenario, Topology: Members },
};

export type ScenarioName = keyof typeof scenarios;
export const scenarioNames = Object.keys(scenarios) as ScenarioName[];

export interface SimulationOptions {
  readonly seed: number;
  readonly scenario: ScenarioName;
  /** Virtual time under faults. */
  readonly durationMs?: number;
  /** Faults to leave out, for shrinking. */
  readonly without?: readonly FaultName[];
  /** The name of a bug to plant. */
  readonly bug?: string;
}

export interface SimulationResult {
  readonly seed: number;
  readonly scenario: ScenarioName;
  readonly faults: Faults;
  readonly violations: readonly string[];
  readonly trace: string;
  readonly steps: number;
  readonly acknowledged: number;
}

/** One run: processes over one store, clients, and the faults of the seed; then the final comparison. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, scenario, without = [] } = options;
  const bug = options.bug === undefined ? undefined : bugNamed(options.bug);
  const { Scenario, Topology } = scenarios[scenario];
  const topologyOf = (ground: Ground) => new Topology(ground);
  const cluster = new Cluster(
    { seed, without, topologyOf, ...(bug && { bug }) },
    (stage) => new Scenario(stage),
  );
  const repair = bug?.plant?.();
  // An uncaught error belongs to the seed too: otherwise it would end the process without naming the seed.
  const thrown = (error: unknown) =>
    cluster.violate(`thrown: ${(error instanceof Error && error.stack) || error}`);
  process.on("unhandledRejection", thrown);
  try {
    await cluster.run(options.durationMs ?? 15_000);
  } catch (error) {
    thrown(error);
  } finally {
    process.off("unhandledRejection", thrown);
    repair?.();
  }
  return { seed, scenario, ...cluster.result() };
}
