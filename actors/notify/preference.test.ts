import test from "ava";
import { problemsOf } from "./preference.ts";

/** Each is sound CEL, and no condition. */
const others = ["'yes'", "1 + 1", "[true]", "now", "size(workflow_key)", "channel", "!'a'"];

for (const condition of others)
  test(`given the condition ${condition}, when a preference is stored, then it is refused wherever it stands`, (t) => {
    const problems = problemsOf(
      { condition, all: { condition }, channels: { email: { condition } } },
      "preference.",
    );
    t.deepEqual(
      problems.map(({ field }) => field),
      ["preference.condition", "preference.all.condition", 'preference.channels["email"].condition'],
    );
    for (const { reason } of problems) t.regex(reason, /line 1, column \d+: is never true or false/);
  });

test("a condition that may be true or false is taken", (t) => {
  for (const condition of ["true", "payload.vip", "channel == 'email'", "size(workflow_key) > 3"])
    t.deepEqual(problemsOf({ condition }), []);
});
