import type { ReasonCode } from "./ruleset.ts";

interface Runbook {
  /** What to do, in one line. */
  readonly title: string;
  readonly means: string;
  /** In this order; what stands between backticks is typed or read as it is. */
  readonly steps: readonly string[];
}

const failureRatio: Runbook = {
  title: "Find out why runs fail",
  means: "Of the workflow runs that ended in the window, too many failed: 10 % is degraded, 25 % unhealthy.",
  steps: [
    "`service runs list --status failed` shows them; most often one definition or one step stands out.",
    "`service runs get RUN` has the error of the step. An error of a provider: look at its connection. One of the input: at its caller.",
    "If a new version of a definition began it, publish the version before it again.",
    "`service runs retry RUN` goes on where a run failed; `service runs dismiss RUN` says that it is dealt with.",
  ],
};

const idleRuns: Runbook = {
  title: "Find out what runs wait for",
  means:
    "Runs are under way whose calls have had no answer for five minutes. They are asked for again by themselves.",
  steps: [
    "`service runs list --status running` shows them; those with `idle_since` are meant.",
    "`waiting_for` of `service runs get RUN` names the call. Look at the pool, provider or method that is to answer it.",
    "If nothing answers there any more, `service runs cancel RUN` ends the run.",
  ],
};

const readyDepth: Runbook = {
  title: "Bring the backlog down",
  means:
    "Items are ready and not handed out: 100 are degraded, 1,000 unhealthy. Those of paused queues and those that an admission control holds count too.",
  steps: [
    "`service top` shows which queues they wait in.",
    "A queue that is `paused`: `service queues resume POOL`. Items that are `held`: look at the limits of the pool's admission.",
    "`service recipients list --pool-id POOL`: are workers there, online and below their capacity? Start more of them, or raise `capacity`.",
    "`wait.reason` of `service items get POOL ITEM` says what one item waits for.",
  ],
};

const oldestReady: Runbook = {
  title: "Find out what the oldest item waits for",
  means: "An item has been ready for 15 minutes (degraded) or an hour (unhealthy) without being handed out.",
  steps: [
    "`service queues list` shows `oldest_item_age_seconds` of each queue; `service queues status POOL` has `oldest_ready_age_seconds`.",
    "`wait.reason` of that item says why: `paused`, `no_match` (no recipient its rules allow), `exceeds_capacity`, `concurrency`, `throttle`, `no_capacity`.",
    "If it waits behind newer ones, its priority or its key is served too seldom: add workers.",
    "What is not wanted any more is cancelled: `service items cancel POOL ITEM`.",
  ],
};

const incompatible: Runbook = {
  title: "Bring all nodes to the version that began these runs",
  means:
    "Runs were begun by a later version of the service than the one that has them now. They wait for an upgrade.",
  steps: [
    "`service cluster status` shows the nodes; each says its version with `service --version`.",
    "Go on with the upgrade, or take back the downgrade: the runs go on by themselves.",
    "If the downgrade is to stay, `service runs cancel RUN` ends them.",
  ],
};

const deadRuns: Runbook = {
  title: "Retry or dismiss failed runs",
  means: "Runs have failed and were neither retried nor dismissed.",
  steps: [
    "`service runs list --status failed` shows them; mend what their errors name.",
    "`service runs retry RUN` goes on where a run failed.",
    "`service runs dismiss RUN` says that nothing is to be done about it; it counts no more.",
  ],
};

/** What to do about each reason of a health report: docs/runbooks/ and the pages at /docs/runbooks/ are made of it. */
export const runbooks: Readonly<Record<ReasonCode, Runbook>> = {
  TELEMETRY_MISSING: {
    title: "Find out which source does not answer",
    means:
      "There is nothing to judge by: the environment has neither a pool nor a run, runs or queues gave no answer, or a pool has not told its figures a minute after it was made.",
    steps: [
      "Is it the right environment? `service report scopes` lists those there are. One without pools and runs stays unknown.",
      "Ask again after 15 s: pools that had told nothing have been asked to.",
      "`service queues list` names pools that cannot answer as `unavailable`; `service shards list` shows shards without an owner.",
    ],
  },
  TELEMETRY_STALE: {
    title: "Find out why a queue is silent",
    means:
      "A queue with items has told nothing for more than five minutes; it does so every minute. What it holds may have changed meanwhile.",
    steps: [
      "`/ready` and `service shards list`: is a shard without an owner, or its stored data corrupt?",
      "`service cluster status`: is a node gone, and are its shards on their way?",
      "`service_outbox_in_memory` that grows says that messages between entities do not arrive; the log has the reason.",
    ],
  },
  CLOCK_SKEW: {
    title: "Set the clocks of the nodes",
    means: "The clocks of two nodes are more than 30 s apart, so ages cannot be believed.",
    steps: [
      "Compare the clocks of all nodes, and see that each follows the same time servers (`chronyc tracking`).",
      "Restart a node whose clock was far ahead only after it is right: shard time never goes back.",
    ],
  },
  DEPENDENCY_STALE: {
    title: "Find out why the node cannot look at what it depends on",
    means: "The last look at storage, cache and threads is more than 30 s old; a node looks every 10 s.",
    steps: [
      "`/ready` of the node that answered: a main thread that is too busy does not answer.",
      "`service_thread_busy_seconds_total` near 1 a second: the node has too much to do.",
    ],
  },
  DEPENDENCY_UNAVAILABLE: {
    title: "Mend what /ready names",
    means: "Storage or the threads do not answer, or a shard has no owner.",
    steps: [
      "`/ready` says which component is unhealthy.",
      "`service shards list` shows shards that are `away`; `service cluster status` how many have no holder.",
      "If stored data is corrupt, `service data verify` says where; docs/operations.md says how to restore it.",
    ],
  },
  UNCLASSIFIED: {
    title: "Report figures that contradict each other",
    means:
      "A figure is not one that this ruleset understands: below zero, no integer, or more failed runs than ended ones.",
    steps: [
      "Ask again after 15 s: the parts of one report are read one after the other.",
      "If it stays, report it with the evidence of the report: that is an error of the service.",
    ],
  },
  FAILURE_RATIO_DEGRADED: failureRatio,
  FAILURE_RATIO_UNHEALTHY: failureRatio,
  IDLE_RUNS_DEGRADED: idleRuns,
  IDLE_RUNS_UNHEALTHY: idleRuns,
  READY_DEPTH_DEGRADED: readyDepth,
  READY_DEPTH_UNHEALTHY: readyDepth,
  OLDEST_READY_DEGRADED: oldestReady,
  OLDEST_READY_UNHEALTHY: oldestReady,
  INCOMPATIBLE_ATTEMPTS_DEGRADED: incompatible,
  INCOMPATIBLE_ATTEMPTS_UNHEALTHY: incompatible,
  WORKFLOW_DLQ_DEGRADED: deadRuns,
  WORKFLOW_DLQ_UNHEALTHY: deadRuns,
};
