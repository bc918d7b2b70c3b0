import test from "ava";
import { SharedQuestions } from "./shared-questions.ts";

/** Questions that are answered when the test says so, with their number. */
function questions() {
  const shared = new SharedQuestions<number>();
  const open: { resolve: (answer: number) => void; reject: (error: Error) => void }[] = [];
  const ask = (key = "a") =>
    shared.ask(key, () => new Promise((resolve, reject) => open.push({ resolve, reject })));
  return { ask, open };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("given a question under way, when others ask the same, then they share the next one and none gets an older answer", async (t) => {
  const { ask, open } = questions();
  const first = ask();
  const later = [ask(), ask(), ask()];
  t.is(open.length, 1);
  open[0]!.resolve(1);
  t.is(await first, 1);
  await settled();
  t.is(open.length, 2, "one question for the three");
  const last = ask();
  open[1]!.resolve(2);
  t.deepEqual(await Promise.all(later), [2, 2, 2]);
  await settled();
  open[2]!.resolve(3);
  t.is(await last, 3);
  await settled();
  const anew = ask();
  t.is(open.length, 4, "nothing is remembered");
  open[3]!.resolve(4);
  t.is(await anew, 4);
});

test("given a question that fails, when others wait, then they ask again; other keys do not wait", async (t) => {
  const { ask, open } = questions();
  const first = ask();
  const second = ask();
  const other = ask("b");
  t.is(open.length, 2);
  open[0]!.reject(new Error("not now"));
  await t.throwsAsync(first, { message: "not now" });
  await settled();
  open[2]!.resolve(2);
  t.is(await second, 2);
  open[1]!.resolve(7);
  t.is(await other, 7);
});
