import test from "ava";
import { RefusalError } from "#base";
import { loadContract } from "../../contract/index.ts";
import type { Principal } from "../call.ts";
import { authorization, permissionCheck } from "./authorization.ts";
import type { PipelineParts } from "./stage.ts";

const { methods, roles } = loadContract();

/** viewer, operator, admin; author, approver and operator of promotions; producer of evidence. */
const letters = {
  v: "viewer",
  o: "operator",
  a: "admin",
  W: "promotion_author",
  P: "promotion_approver",
  O: "promotion_operator",
  E: "evidence_producer",
} as const;

/** Who may call what, once more by hand. */
const decided: Readonly<Record<string, string>> = {
  PromotionService: "oaW",
  "PromotionService.GetCandidate": "voaWPOE",
  "PromotionService.ListCandidates": "voaWPOE",
  "PromotionService.Approve": "aP",
  "PromotionService.Promote": "aO",
  "PromotionService.Rollback": "aO",
  "PoolService.CreatePoolVersion": "oaW",
  "PoolService.GetPoolVersion": "voaWPOE",
  "PoolService.ListPoolVersions": "voaWPOE",
  "PoolService.SetChangeControl": "a",
  EvidenceService: "voaWPOE",
  "EvidenceService.CreatePack": "oaWE",
  "EvidenceService.UpdatePack": "oaWE",
  "EvidenceService.AddArtifact": "oaWE",
  "EvidenceService.AddReceipt": "oaWE",
  "EvidenceService.StartRun": "oaWE",
  "EvidenceService.HeartbeatRun": "oaWE",
  "EvidenceService.CancelRun": "oaWE",
  "EvidenceService.EvaluateGate": "oaWE",
  "EvidenceService.ArchivePack": "oaWE",
  "EvidenceService.AttachToPromotion": "oaWE",
  ConformanceService: "voaWPOE",
  "ConformanceService.RunSuite": "oaWE",
};

test("roles × methods of promotions, evidence and conformance: each call is allowed or denied as decided", (t) => {
  const settings = { authzProvider: "roles", authzAllowWhenUnconfigured: false };
  const stage = authorization({ methods, roles, settings } as unknown as PipelineParts);
  const allowed = (method: (typeof methods)[number], role: string) => {
    const principal: Principal = {
      kind: "user",
      subject: "s",
      tenant: "T",
      roles: [role],
      environmentMode: "any",
    };
    try {
      stage.enter!({ method, principal } as never, undefined as never);
      return true;
    } catch (thrown) {
      t.true(thrown instanceof RefusalError && thrown.refusal.code === "PERMISSION_DENIED");
      return false;
    }
  };
  let pairs = 0;
  for (const method of methods) {
    const [service] = method.name.split(".") as [string];
    const expected = decided[method.name] ?? decided[service];
    if (expected === undefined) continue;
    const found = Object.entries(letters).filter(([, role]) => allowed(method, role));
    t.is(found.map(([letter]) => letter).join(""), expected, method.name);
    pairs += Object.keys(letters).length;
  }
  t.is(pairs, 42 * 7);
});

test("given a credential that is limited to environments, then modules may do for it only what a method with an environment does", (t) => {
  const settings = {
    authzProvider: "builtin",
    authzAllowWhenUnconfigured: false,
  } as PipelineParts["settings"];
  const may = permissionCheck({ methods, roles, settings });
  const admin = { kind: "api_key", subject: "k", tenant: "T", roles: ["admin"] } as const;
  const allowed = (environmentMode: Principal["environmentMode"]) =>
    ["queue_item:write", "api_key:write", "notification:write", "layout:read"].filter((name) =>
      may({ ...admin, environmentMode }, name),
    );
  t.deepEqual(allowed("any"), ["queue_item:write", "api_key:write", "notification:write", "layout:read"]);
  t.deepEqual(allowed("non_production_only"), ["queue_item:write", "api_key:write"]);
  const limited = { ...admin, environmentMode: "non_production_only" } as const;
  t.true(may(limited, "notification:write", "grant"), "for a key that is limited as it is");
});
