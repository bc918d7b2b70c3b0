import { connectorsBugs } from "./connectors/bugs.ts";
import { experimentsBugs } from "./experiments/bugs.ts";
import { insightBugs } from "./insight/bugs.ts";
import { runtimeBugs } from "./ledger/bugs.ts";
import { linkBugs } from "./ledger/link-bugs.ts";
import { memberBugs } from "./ledger/member-bugs.ts";
import { notifyBugs } from "./notify/bugs.ts";
import type { PlantedBug } from "./planted.ts";
import { promotionsBugs } from "./promotions/bugs.ts";
import { routingBugs } from "./routing/bugs.ts";
import { threadBugs } from "./routing/thread-bugs.ts";
import { streamsBugs } from "./streams/bugs.ts";

/** A bug by its name, which can be sent to another process. */
export function bugNamed(name: string): PlantedBug {
  const bugs = [
    ...runtimeBugs,
    ...routingBugs,
    ...linkBugs,
    ...memberBugs,
    ...threadBugs,
    ...streamsBugs,
    ...notifyBugs,
    ...connectorsBugs,
    ...experimentsBugs,
    ...promotionsBugs,
    ...insightBugs,
  ];
  const bug = bugs.find((one) => one.name === name);
  if (bug === undefined) throw new Error(`no bug is called "${name}"`);
  return bug;
}
