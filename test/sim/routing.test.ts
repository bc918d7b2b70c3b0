import { routingBugs } from "./routing/bugs.ts";
import { threadBugs } from "./routing/thread-bugs.ts";
import { everyKind } from "./suite.ts";

everyKind([
  {
    scenario: "routing",
    claim: "no item or routing is lost, done twice, leased twice, over its limit, leaked or stuck",
    count: 30,
    bugs: routingBugs,
    found: {
      "a Work stream keeps what it could not send": 14,
      "an owner that was replaced passes over events": 3,
      "the first progress of a lease stays": 6,
      "progress is stored with a neighbour's lease": 3,
    },
  },
  {
    scenario: "routing-threads",
    claim: "no item, routing or event is lost on its way from thread to thread, or comes twice",
    count: 12,
    bugs: threadBugs,
  },
  {
    scenario: "routing-members",
    claim: "no item, routing or event is lost while shards move between nodes, or comes twice",
    count: 8,
    bugs: [],
  },
]);
