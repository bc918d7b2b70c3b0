// Runs snippets, a line of JSON each, as modules, and answers with what each gave to console.log.
import { register } from "node:module";
import { createInterface } from "node:readline";

const client = new URL("client.mjs", import.meta.url).href;
const hook = `export const resolve = (name, context, next) =>
  name === "@switchyard/client" ? { url: "${client}", shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

let logged = [];
console.log = (value) => logged.push(value);

let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  logged = [];
  count += 1;
  let error;
  try {
    await import(`data:text/javascript;count=${count},${encodeURIComponent(JSON.parse(line))}`);
  } catch (thrown) {
    error = { code: thrown.code ?? String(thrown), detail: thrown.detail ?? thrown.stack };
  }
  process.stdout.write(`${JSON.stringify({ logged, error })}\n`);
}
