/** Serves the page and the modules of `@switchyard/client` at 127.0.0.1. Any other server of files does as well. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";

const port = Number(process.env.PAGE_PORT ?? 8000);
const client = path.dirname(createRequire(import.meta.url).resolve("@switchyard/client/package.json"));
const types = new Map([
  [".html", "text/html"],
  [".js", "text/javascript"],
]);

/** `/client/…` is the package, everything else lies beside this file. Undefined: it is no page or module of these. */
function fileOf(url: string): string | undefined {
  const { pathname } = new URL(url, "http://127.0.0.1");
  const file = pathname.startsWith("/client/")
    ? path.join(client, "dist", pathname.slice("/client".length))
    : path.join(import.meta.dirname, pathname === "/" ? "index.html" : pathname);
  return types.has(path.extname(file)) ? file : undefined;
}

const server = createServer(async (request, response) => {
  const file = fileOf(request.url ?? "/");
  const content = file && (await readFile(file).catch(() => undefined));
  if (!file || !content) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": types.get(path.extname(file)) }).end(content);
});
server.listen(port, "127.0.0.1", () => console.log(`the page is at http://127.0.0.1:${port}`));
