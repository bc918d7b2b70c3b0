import test from "ava";
import { contractBytes, loadRegistry } from "./image.ts";
import { messageTypes } from "./message-types.ts";

const types = messageTypes(loadRegistry(contractBytes()), "service.api");

/** The members of one interface. */
function membersOf(name: string): readonly string[] {
  const [, body = ""] = new RegExp(`export interface ${name} {\n([^}]*)}`).exec(types) ?? [];
  return body.split("\n").map((line) => line.trim());
}

test("a field without presence is always there, an optional one and a message are not", (t) => {
  const members = membersOf("RouteRequest");
  t.true(members.includes("readonly key: string;"));
  t.true(members.includes("readonly explain: boolean;"));
  t.true(members.includes("readonly attributes?: Readonly<Record<string, unknown>>;"));
});

test("texts that have few values, lists and enums have types of their own", (t) => {
  const key = membersOf("CreateApiKeyRequest");
  t.true(key.includes('readonly environment_mode?: "any" | "production_only" | "non_production_only";'));
  t.true(key.includes("readonly roles: readonly string[];"));
  t.true(membersOf("Pool").some((line) => line.includes('"STATUS_ACTIVE" | "STATUS_DISABLED"')));
});

test("every method has a request and an answer", (t) => {
  t.true(membersOf("Requests").includes('readonly "PoolService.CreatePool": CreatePoolRequest;'));
  t.true(membersOf("Answers").includes('readonly "PoolService.CreatePool": Pool;'));
  t.is(membersOf("Requests").length, membersOf("Answers").length);
});
