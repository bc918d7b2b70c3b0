import { mock } from "node:test";
import test from "ava";
import { MainQuestions } from "./main-questions.ts";

test("a question is answered with its own answer", async (t) => {
  const asked: number[] = [];
  const questions = new MainQuestions(({ id }) => void asked.push(id));
  const [first, second] = [questions.ask("metrics"), questions.ask("metrics")];
  questions.answered(asked[1]!, "b");
  questions.answered(asked[0]!, "a");
  t.deepEqual(await Promise.all([first, second]), ["a", "b"]);
});

test("a question that could not be answered fails at once", async (t) => {
  const questions = new MainQuestions(({ id }) => setImmediate(() => questions.answered(id, undefined)));
  await t.throwsAsync(questions.ask("readiness"), { message: "the main thread did not answer: readiness" });
});

test.serial("a question that is never answered fails after two seconds", async (t) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.teardown(() => mock.timers.reset());
  const asked = new MainQuestions(() => undefined).ask("metrics");
  mock.timers.tick(2_000);
  await t.throwsAsync(asked, { message: "the main thread did not answer: metrics" });
});
