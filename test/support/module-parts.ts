import { generateKeyPairSync, randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type ModuleParts, makeModules } from "#actors";
import { RefusalError, refuse, systemClock } from "#base";
import { accessOf } from "../../gateway/calls/access.ts";
import { tenantValueProblem } from "../../gateway/config/index.ts";
import { loadContract, quotaOperations } from "../../gateway/contract/index.ts";
import { createOutgoing } from "../../gateway/egress/index.ts";
import { createKeyHasher } from "../../gateway/identity/index.ts";
import { createKeyRing, createSigner } from "../../gateway/key-ring/index.ts";

export const testAccess = accessOf(() => loadContract());

const testKey = String(generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));

const catalogue = fileURLToPath(new URL("../contract/catalogue", import.meta.url));

/** Parts for tests that call only loopback. */
export function testParts(changed: Partial<ModuleParts> = {}): ModuleParts {
  const nobody = () =>
    Promise.reject(new RefusalError(refuse("UNAVAILABLE", "this test calls no outside service")));
  return {
    settings: {
      "connector.catalogue_dir": catalogue,
      "anomaly.zscore_threshold": 3,
      "anomaly.iqr_multiplier": 1.5,
      "anomaly.rate_change_drop": 0.5,
      "anomaly.actions": ["alert", "log"],
      "conformance.enabled": true,
      "evidence.trusted_keys": [],
      "promotion.live_environments": ["production"],
      "promotion.allow_self_approval": true,
      "notification.dispatch.enabled": true,
      "notification.sink.enabled": true,
      "server.public_url": "https://service.example.com",
      "console.session_ttl": 28_800_000,
      "console.session_idle": 3_600_000,
    },
    clock: systemClock,
    outgoing: createOutgoing({ mode: "enforce", allowedDomains: [], allowedNetworks: ["127.0.0.0/8"] }),
    keyRing: createKeyRing({ activeId: "k1", byId: new Map([["k1", randomBytes(32)]]) }),
    access: testAccess,
    // The smallest cost that bcrypt accepts.
    keyHasher: createKeyHasher(4),
    objects: memoryObjects(),
    call: (...asked) => (called ?? nobody)(...asked),
    quotaOperations,
    tenantValueProblem,
    conformance: {
      suites: [],
      methodCount: () => 0,
      sandboxKey: () => "",
      run: async () => [],
    },
    contractSha256: () => "0".repeat(64),
    signer: createSigner(testKey),
    dependencies: () => ({ ageMs: 0, isAvailable: true }),
    metrics: { add() {}, observe() {}, gauge() {}, counter() {}, histogram() {} },
    ...changed,
  };
}

let called: ModuleParts["call"] | undefined;

/** From here on effects of the modules below can call methods. */
export function letModulesCall(call: ModuleParts["call"]): void {
  called = call;
}

/** All modules, made from those parts. */
export const modules = makeModules(testParts());

function memoryObjects(): ModuleParts["objects"] {
  const objects = new Map<string, Buffer>();
  return {
    async put(key, body) {
      const pieces: Uint8Array[] = [];
      for await (const piece of body) pieces.push(piece);
      objects.set(key, Buffer.concat(pieces));
      return { bytes: objects.get(key)!.byteLength };
    },
    async get(key, { start = 0, end } = { start: 0 }) {
      const whole = objects.get(key);
      if (whole === undefined) return undefined;
      return (async function* () {
        yield whole.subarray(start, end);
      })();
    },
    async delete(key) {
      objects.delete(key);
    },
  };
}
