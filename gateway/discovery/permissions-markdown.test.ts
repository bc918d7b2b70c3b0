import { readFileSync } from "node:fs";
import test from "ava";
import { loadContract } from "../contract/index.ts";
import { permissionsMarkdown } from "./permissions-markdown.ts";

const contract = loadContract();
const markdown = permissionsMarkdown(contract);

test("docs/permissions.md is what the contract gives", (t) => {
  t.is(readFileSync(new URL("../../docs/permissions.md", import.meta.url), "utf8"), markdown);
});

test("sensitive operations are for who the specification names", (t) => {
  const header = markdown.split("\n").find((line) => line.startsWith("| method |"))!;
  const columns = header.replace(/ \|$/, "").split(" | ").slice(3);
  const everyone = ["viewer", "operator", "admin", "service"];
  const ofInstallation = columns.map(
    (name, index) => index < 2 || everyone.includes(name.replaceAll("`", "")),
  );
  const rowOf = (name: string) =>
    markdown
      .split("\n")
      .find((line) => line.startsWith(`| \`${name}\` |`))!
      .split(" | ")
      .slice(3)
      .filter((_, column) => ofInstallation[column])
      .join(" | ");
  // permissions, roles asked for, then viewer, operator, admin, service; roles of modules have columns of their own
  t.is(rowOf("ApiKeyService.CreateApiKey"), "`api_key:write`, `tenant:write` | admin | – | – | yes | – |");
  for (const name of ["PauseQueue", "ResumeQueue", "DrainQueue"])
    t.is(rowOf(`QueueControlService.${name}`), "`queue:admin` | admin | – | – | yes | – |");
  t.is(rowOf("DeadLetterService.Purge"), "`dlq:delete` | – | – | – | yes | yes |");
  t.is(rowOf("MetaService.WhoAmI"), "– | – | yes | yes | yes | yes |");
});
