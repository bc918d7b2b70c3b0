import test from "ava";
import { ShardTree } from "./shard-tree.ts";

test("a step that throws is told to the supervisor of its shard, and the steps after it run", async (t) => {
  const tree = new ShardTree();
  const seen: string[] = [];
  await new Promise<void>((done) => {
    const failed = (error: unknown) => void seen.push(String(error));
    const breaks = () => {
      throw new TypeError("not a function");
    };
    tree.run(3, breaks, failed);
    tree.run(4, () => seen.push("neighbour"), failed);
    tree.run(3, () => seen.push("next"), failed);
    tree.run(3, done, failed);
  });
  t.deepEqual(seen.sort(), ["TypeError: not a function", "neighbour", "next"]);
  tree.stop();
});
