import test from "ava";
import { buildContract } from "./build.ts";
import { contractBytes, contractProblems, loadRegistry } from "./index.ts";

test("the committed contract has no problems, and there are RPCs in it", (t) => {
  const registry = loadRegistry(contractBytes());
  t.deepEqual(contractProblems(registry, ["service.api"]), []);
  const services = [...registry.files].flatMap((file) => file.services);
  t.true(services.some((service) => service.typeName === "service.api.PoolService"));
});

test("an RPC without options, or with contradictory ones, is named with everything it lacks", (t) => {
  const registry = loadRegistry(buildContract("test/protos/unsound").image);
  t.deepEqual(contractProblems(registry, ["unsound"]), [
    "role idle: grants nothing",
    "role singer: includes nobody, which no file declares",
    "role singer: song is not resource:action",
    "role dancer: includes itself",
    "role dancer: is declared twice",
    "capability song: needs itself",
    "capability song: has no name",
    "capability song: is declared twice",
    "capability song: needs voice, which no service declares",
    "UnsoundService: governance.audience is missing",
    "UnsoundService: governance.authentication_required is missing",
    "UnsoundService: governance.internal_only is missing",
    "UnsoundService.Bare: governance.resource is missing",
    "UnsoundService.Bare: governance.action is missing",
    "UnsoundService.Bare: is authorized without being authenticated",
    "UnsoundService.Bare: has side effects and does not say why a repeat does no harm (`repeat`)",
    "UnsoundService.Bare: has the field wait_ms and no `wait`",
    "UnsoundService.Half: governance.lifecycle repeats what the service says",
    "UnsoundService.Half: governance.action sing is not one of read, write, delete, preview, admin",
    "UnsoundService.Half: everything is not a scope",
    "UnsoundService.Half: the role plumber is declared by no file",
    "UnsoundService.Half: is authorized without being authenticated",
    "UnsoundService.Half: environment.open is only for RPCs without an environment (FROM_NONE)",
    "UnsoundService.Half: actor field pool_id is not in UnsoundRequest",
    "UnsoundService.Half: has no side effects, so `repeat` says nothing",
    "UnsoundService.Half: creates something and takes no Idempotency-Key",
    "UnsoundService.Half: has a successor and is not deprecated",
    "UnsoundService.Half: pagination: UnsoundRequest has no page_token",
    "UnsoundService.Half: pagination: UnsoundRequest has no offset",
    "UnsoundService.Half: pagination: UnsoundResponse has no next_page_token",
    "UnsoundService.Half: pagination: UnsoundResponse has no total",
    "UnsoundService.Half: pagination.items_field name is not a list in UnsoundResponse",
    "UnsoundService.Half: quota.operation Sing is not a name (a-z and _)",
    "UnsoundService.Half: has no side effects and is counted against a quota",
    "UnsoundService.Half: quota.length_of name is not a list in UnsoundRequest",
    "UnsoundService.Half: quota.amount_of name is not a number in UnsoundRequest",
    "UnsoundService.Half: wait.field wait_for has no unit",
    "UnsoundService.Half: wait.field wait_for has no default_number",
    "UnsoundService.Half: /api/unsound/{other}: GET and idempotency_level = NO_SIDE_EFFECTS go together",
    "UnsoundService.Half: /api/unsound/{other}: body missing is not in UnsoundRequest",
    "UnsoundService.Half: /api/unsound/{other}: {other} is not a scalar field of UnsoundRequest",
    'UnsoundService.Half: cli: "songs Sing" is not in words of a-z, 0-9 and -',
    "UnsoundService.Twice: environment repeats what the service says",
    "UnsoundService.Twice: has the field wait_ms and no `wait`",
    "UnsoundService.Twice: is bound to POST /api/unsound/{} like UnsoundService.Half",
    'UnsoundService.Twice: cli: "songs Sing" is not in words of a-z, 0-9 and -',
    'UnsoundService.Twice: cli: Half has the command "songs Sing" too',
    "UnsoundService.Twice: cli: UnsoundRequest has no tune",
    "UnsoundService.Twice: has `columns` or `named` and is no list of messages",
    "UnsoundService.Twice: mcp: MCP_READ has side effects",
    "SilentService: has no (service.options.service).governance",
    "SilentService.Look: governance.action is missing",
    "SilentService.Look: does not say in which environment it acts (`environment`)",
    "SilentService.Look: has the field wait_ms and no `wait`",
    "SilentService.Look: has a command (`cli`) and no REST path, by which it would be called",
    "SilentService.Both: does not say in which environment it acts (`environment`)",
    "SilentService.Both: has two targets: it is a stream and names an entity (`actor`)",
    "UnsoundResponse: sung is not a kind of event",
    "UnsoundResponse: song.ended is declared by UnsoundResponse too",
    "UnsoundResponse.secret: is marked replay_omit and is not optional",
    "UnsoundRequest.wait_ms: its default_number 11 is out of its bounds",
    "UnsoundRequest.size: has a default_number and is not an optional int32",
    "UnsoundResponse.state: changed_by names POST /api/nothing/{name}, which is no REST binding",
  ]);
});
