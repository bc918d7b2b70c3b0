// Runs snippets, a line of JSON each, as modules, and answers with what each gave to console.log. One that goes on ends after
// `take` of them.
import { register } from "node:module";
import { createInterface } from "node:readline";

const client = new URL("client.mjs", import.meta.url).href;
const hook = `export const resolve = (name, context, next) =>
  name === "@switchyard/client" ? { url: "${client}", shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

const enough = new Error("enough");
let logged = [];
let left = Number.POSITIVE_INFINITY;
console.log = (value) => {
  logged.push(value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value);
  if (--left === 0) throw enough;
};

let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { source, take } = JSON.parse(line);
  logged = [];
  left = take ?? Number.POSITIVE_INFINITY;
  count += 1;
  let error;
  try {
    await import(`data:text/javascript;count=${count},${encodeURIComponent(source)}`);
  } catch (thrown) {
    if (thrown !== enough)
      error = { code: thrown.code ?? String(thrown), detail: thrown.detail ?? thrown.stack };
  }
  process.stdout.write(`${JSON.stringify({ logged, error })}\n`);
}
