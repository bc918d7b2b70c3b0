// The built command line, for `service` in shell.bash: words that each end with NUL, then what was printed, as JSON.
import { createServer } from "node:net";
import { runCli } from "../../dist/cli/run.js";

const server = createServer((socket) => {
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (part) => {
    text += part;
    const [count, ...words] = text.split("\0");
    // The count, its words, the input, and the nothing behind the last NUL.
    if (words.length === Number(count) + 2) void answer(socket, words.slice(0, Number(count)), words[count]);
  });
});

async function answer(socket, words, input) {
  let [out, err] = ["", ""];
  const code = await runCli([...words, "-o", "json"], {
    out: (part) => {
      out += typeof part === "string" ? part : Buffer.from(part).toString("latin1");
    },
    err: (part) => {
      err += part;
    },
    environment: { XDG_CONFIG_HOME: "/nonexistent", SWITCHYARD_URL: process.env.SWITCHYARD_URL },
    input: async () => Buffer.from(input),
  });
  socket.end(JSON.stringify({ code, out, err }));
}

server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on("end", () => process.exit()).resume();
