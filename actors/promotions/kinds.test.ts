/** Versions of workflow definitions and of provider configs are promoted as those of pools are. */
import test from "ava";
import { handleOf, isRefusal } from "#base";
import { DrivenPromotions, type Message } from "../../test/support/promotions.ts";
import { directoryOf } from "../kit/directory.ts";
import { digestOf as bodyDigest } from "../workflows/definitions/record.ts";
import { activate, pin as pinVersion, publishDraft } from "../workflows/definitions/service.ts";

const tenant = "0000000000000000000000000A";
const author = { subject: "ann", owner: "ann" };
const approver = { subject: "bob", owner: "bob" };
const approval = { decision: "approve", reason: "fine", accept_inconclusive: true };

/** Asks the entity itself, as its handlers do. */
function asks(bench: DrivenPromotions, kind: string, service: string) {
  return (id: string, method: string, request: Message = {}, caller: object = author): Message => {
    const to = { kind, tenant, key: handleOf(id) };
    const full = method.includes(".") ? method : `${service}.${method}`;
    return bench.driver.ask(to, full, { id, ...request }, { caller }) as Message;
  };
}

/** A definition with two versions, the first of which is active. */
function workflow(bench: DrivenPromotions, key: string) {
  const ask = asks(bench, "workflow_definition", "WorkflowDefinitionService");
  const step = (seconds: number) => ({ steps: [{ id: "pause", type: "wait", seconds }] });
  const made = bench.driver.ask(
    directoryOf(tenant, "workflow_definition"),
    "WorkflowDefinitionService.CreateDefinition",
    { key, draft: step(1) },
  ) as { id: string };
  const { id } = made;
  ask(id, publishDraft.name, { digest: bodyDigest(step(1)) });
  ask(id, "PatchDraft", { draft: step(2), update_mask: ["draft.steps"] });
  ask(id, publishDraft.name, { digest: bodyDigest(step(2)), activate: false });
  const active = () => ask(id, "GetDefinition").active_version;
  const pin = (run_key: string) => ask(id, pinVersion.name, { run_key }).version;
  return { id, ask, active, pin };
}

/** A provider config with two versions; the second is in force. */
function connector(bench: DrivenPromotions) {
  const ask = asks(bench, "provider_config", "ProviderConfigService");
  const id = "01J9ZC5T8N4W0QK7V3M2B6XH1D";
  const record = {
    id,
    tenant,
    environment: "production",
    name: "c",
    providerKey: "http",
    auth: "none",
    authType: "none",
    status: "draft",
    clientId: "one",
    scopes: [],
    config: { base_url: "http://127.0.0.1:1" },
    allowedReturnOrigins: [],
    clientSecret: "",
    credentialVersion: 0,
    keyId: "",
    version: 1,
    activeVersion: 1,
  };
  bench.driver.ask(directoryOf(tenant, "provider_config"), "ProviderConfigService.CreateProviderConfig", {
    record,
  });
  ask(id, "ActivateProviderConfig");
  ask(id, "provider_config.Update", { client_id: "two", update_mask: ["client_id"] });
  const shown = () => {
    const { client_id, active_version } = ask(id, "GetProviderConfig");
    return [client_id, active_version];
  };
  const used = (connection_id: string) => ask(id, "provider_config.Snapshot", { connection_id }).clientId;
  return { id, ask, shown, used };
}

async function lead(bench: DrivenPromotions, candidate_id: string, steps: readonly string[]) {
  let last = "";
  for (const step of steps)
    last = await bench.outcome(
      step,
      {
        candidate_id,
        ...(step === "Approve" && approval),
        ...(step === "StartCanary" && { share_bps: 5_000 }),
      },
      step === "Approve" ? approver : {},
    );
  return last;
}

const toCanary = ["Preflight", "EvaluateGuardrails", "StartCanary"];
const toPromoted = ["StopCanary", "Approve", "Promote"];

test("given a published version, when it is promoted with a pool and rolled back, then both are activated and both restored", async (t) => {
  const bench = new DrivenPromotions();
  const flow = workflow(bench, "flow");
  const pool_id = await bench.pool();
  const version = await bench.proposal(pool_id, ["new"], author);
  const artifacts = [
    { kind: "workflow", id: flow.id, version: 2 },
    { kind: "routing", id: pool_id, version },
  ];
  const candidate_id = await bench.candidate(artifacts, {}, author);
  t.is(await lead(bench, candidate_id, toCanary), "canary");
  // A share counts from the next millisecond on.
  bench.driver.now += 1;
  const sides = Array.from({ length: 200 }, (_, n) => flow.pin(`k${n}`));
  const second = sides.filter((one) => one === 2).length;
  t.true(second > 60 && second < 140, `${second} of 200 run keys`);
  bench.driver.restart();
  t.deepEqual(
    Array.from({ length: 200 }, (_, n) => flow.pin(`k${n}`)),
    sides,
    "a run key keeps its side",
  );
  t.is(flow.pin(""), 1, "a run without a key is stable");
  t.is(flow.active(), 1);
  t.is(await lead(bench, candidate_id, toPromoted), "promoted");
  t.is(flow.active(), 2);
  t.is(flow.pin("k1"), 2);
  t.is(await bench.outcome("Rollback", { candidate_id, reason: "no" }), "rolled_back");
  t.is(flow.active(), 1);
  t.deepEqual(((await bench.rules(pool_id)).rules as Message[]).length, 0);
});

test("given a publisher, when that one approves, then it is refused", async (t) => {
  const bench = new DrivenPromotions();
  const flow = workflow(bench, "flow");
  const artifacts = [{ kind: "workflow", id: flow.id, version: 2 }];
  const candidate_id = await bench.candidate(artifacts, {}, { subject: "cyd", owner: "cyd" });
  await lead(bench, candidate_id, [...toCanary, "StopCanary"]);
  const key = { subject: "key:1", owner: "ann" };
  t.is(await bench.outcome("Approve", { candidate_id, ...approval }, key), "PERMISSION_DENIED SELF_APPROVAL");
});

test("given a workflow that was activated meanwhile, is archived, or has no such version, then it is not promoted", async (t) => {
  const bench = new DrivenPromotions();
  const flow = workflow(bench, "flow");
  const artifacts = [{ kind: "workflow", id: flow.id, version: 2 }];
  const unknown = [{ kind: "workflow", id: flow.id, version: 9 }];
  t.is(
    await bench.outcome("CreateCandidate", { environment_id: "production", artifacts: unknown }),
    "INVALID_ARGUMENT artifacts[0]",
  );
  const candidate_id = await bench.candidate(artifacts, {}, author);
  await lead(bench, candidate_id, [...toCanary, "StopCanary", "Approve"]);
  flow.ask(flow.id, activate.name, { version: 2 });
  t.is(await bench.outcome("Promote", { candidate_id }), "STATE_CONFLICT STALE_BASE");
  t.is(flow.pin("k1"), 2);
  flow.ask(flow.id, "ArchiveDefinition");
  const archived = await bench.candidate([{ kind: "workflow", id: flow.id, version: 1 }], {}, author);
  const { preflight } = await bench.call<{ preflight: Message }>("Preflight", { candidate_id: archived });
  const [one] = preflight.artifacts as Message[];
  t.deepEqual(
    (one!.blocking_reasons as Message[]).map(({ reason }) => reason),
    ["DEPENDENCY_INACTIVE"],
  );
});

test("given a version of a provider config, when it is promoted and rolled back, then connections use it by their share, all of them, and none", async (t) => {
  const bench = new DrivenPromotions();
  const config = connector(bench);
  t.deepEqual(config.shown(), ["two", 2]);
  const candidate_id = await bench.candidate([{ kind: "connector", id: config.id, version: 1 }], {}, author);
  t.is(await lead(bench, candidate_id, toCanary), "canary");
  bench.driver.now += 1;
  const used = Array.from({ length: 100 }, (_, n) => config.used(`c${n}`));
  const first = used.filter((one) => one === "one").length;
  t.true(first > 25 && first < 75, `${first} of 100 connections`);
  t.is(await lead(bench, candidate_id, toPromoted), "promoted");
  t.deepEqual(config.shown(), ["one", 1]);
  t.is(await bench.outcome("Rollback", { candidate_id, reason: "no" }), "rolled_back");
  t.deepEqual(config.shown(), ["two", 2]);
  config.ask(config.id, "DisableProviderConfig");
  const disabled = await bench.candidate([{ kind: "connector", id: config.id, version: 1 }], {}, author);
  const { preflight } = await bench.call<{ preflight: Message }>("Preflight", { candidate_id: disabled });
  const [one] = preflight.artifacts as Message[];
  t.like(one, { blocking_reasons: [{ reason: "DEPENDENCY_INACTIVE" }] });
});

test("given a rule that redirects to a pool that is gone or disabled, then the preflight blocks it", async (t) => {
  const bench = new DrivenPromotions();
  const [from, gone, off] = [await bench.pool(), await bench.pool(), await bench.pool()];
  const rules = [gone, off].map((pool_id, order) => ({
    name: `to ${order}`,
    order,
    condition: "true",
    action: { redirect: { pool_id } },
  }));
  const made = await bench.call<{ version: number }>("PoolService.CreatePoolVersion", {
    pool_id: from,
    kind: "routing",
    content: { routing: { rules } },
  });
  const artifacts = [{ kind: "routing", id: from, version: made.version }];
  const candidate_id = await bench.candidate(artifacts, {}, author);
  t.is(await bench.outcome("Preflight", { candidate_id }), "preflighted");
  await bench.call("PoolService.DeletePool", { pool_id: gone });
  await bench.call("PoolService.SetPoolEnabled", { pool_id: off, enabled: false });
  const { state, preflight } = await bench.call<{ state: string; preflight: Message }>("Preflight", {
    candidate_id,
  });
  t.is(state, "blocked");
  const [one] = preflight.artifacts as Message[];
  t.deepEqual(
    (one!.blocking_reasons as Message[]).map(({ reason }) => reason),
    ["RULE_TARGET_MISSING", "DEPENDENCY_INACTIVE"],
  );
});

test("given two targets, when what one of them replaced is gone, then a rollback restores neither", async (t) => {
  const bench = new DrivenPromotions();
  const pools = [await bench.pool(), await bench.pool()];
  const artifacts: Message[] = [];
  for (const id of pools) {
    await bench.rule(id, "old", "old");
    artifacts.push({ kind: "routing", id, version: await bench.proposal(id, ["new"], author) });
  }
  const both = await bench.candidate(artifacts, {}, author);
  await lead(bench, both, [...toCanary, ...toPromoted]);
  // Another promotion of the second pool, rolled back: nothing keeps what the first one replaced any more.
  const version = await bench.proposal(pools[1]!, ["other"], author);
  const other = await bench.candidate([{ kind: "routing", id: pools[1], version }], {}, author);
  await lead(bench, other, [...toCanary, ...toPromoted, "Rollback"]);
  for (let n = 0; n < 205; n++) await bench.proposal(pools[1]!, [`p${n}`], author);
  const namesOf = async (pool_id: string) =>
    ((await bench.rules(pool_id)).rules as Message[]).map(({ name }) => name);
  t.is(
    await bench.outcome("Rollback", { candidate_id: both, reason: "no" }),
    "FAILED_PRECONDITION ARTIFACT_GONE",
  );
  for (const pool_id of pools) t.deepEqual(await namesOf(pool_id), ["new"]);
  t.is(isRefusal(await bench.call("GetCandidate", { candidate_id: both })), false);
});
