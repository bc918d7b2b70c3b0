import { createHmac, createPublicKey, type JsonWebKey } from "node:crypto";
import anyTest, { type ExecutionContext, type TestFn } from "ava";
import { limits, systemClock } from "#base";
import { createOutgoing } from "../../gateway/egress/index.ts";
import { IssuerKeys, oidcTokens, serviceTokens } from "../../gateway/identity/index.ts";
import { makeServiceToken } from "../../gateway/identity/service-tokens.ts";
import { type Signer, TestIssuer } from "../support/issuer.ts";
import { testAccess } from "../support/module-parts.ts";
import { tenantA } from "./support/auth.ts";
import { type Door, doorsOf, type Outcome } from "./support/clients.ts";
import { probeContract, startTestService } from "./support/service.ts";

/**
 * Section d of the security checklist, items 1 to 19, on the doors REST, Connect and gRPC. A token is the same text on
 * each of them, so one list of bad tokens is tried on all. Not here:
 * - item 17 (a short secret refuses the start) concerns no door: gateway/config/config.test.ts;
 * - item 14 (token in the query) has no gRPC part: a gRPC path has no query;
 * - item 5, "issuer of another tenant's identity provider": all tenants have one issuer, so any other is foreign;
 * - MCP: this version has no such door.
 */
const test = anyTest.serial as TestFn<World>;
const audience = "https://api.example.com";
const secret = "a secret for tests, of 32 bytes or more";
const method = probeContract.byName.get("ProbeService.Look")!;
const nowS = Math.floor(Date.now() / 1_000);

interface World {
  readonly issuer: TestIssuer;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Signed by an RSA key `r` or by an EC key `e`. */
  readonly sign: Signer;
  readonly signEc: Signer;
  readonly doors: readonly Door[];
  readonly internal: Door;
  readonly http: number;
  readonly time: { passedMs: number };
  close(): Promise<void>;
}

async function start(): Promise<World> {
  const issuer = await new TestIssuer().open();
  const time = { passedMs: 0 };
  const clock = { now: () => Date.now(), monotonic: () => performance.now() + time.passedMs };
  const allowed = { mode: "enforce", allowedDomains: ["127.0.0.1"], allowedNetworks: [] } as const;
  const outgoing = createOutgoing(allowed);
  const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
  const keys = new IssuerKeys({ issuer: issuer.url, outgoing, clock, log });
  const bearer = oidcTokens({
    issuer: issuer.url,
    audience,
    tenantClaim: "tenant_id",
    keys,
    access: testAccess,
    clock,
  });
  const service = await startTestService({
    runtime: true,
    settings: { authEnabled: true },
    vouching: () => ({
      external: { bearer },
      internal: { bearer: serviceTokens([secret], testAccess, systemClock) },
    }),
  });
  const doors = doorsOf(service);
  return {
    issuer,
    claims: {
      iss: issuer.url,
      aud: audience,
      sub: "otto",
      exp: nowS + 3_600,
      iat: nowS,
      tenant_id: tenantA,
      roles: ["viewer"],
    },
    sign: await issuer.addKey("r", "RS256"),
    signEc: await issuer.addKey("e", "ES256"),
    doors: [doors["rest-uws"], doors["rest-node"], doors["connect-json"], doors.grpc, doors["native-grpc"]],
    internal: doors["internal-rest"],
    http: service.ports.uws,
    time,
    async close() {
      for (const door of Object.values(doors)) door.close?.();
      await service.close();
      await outgoing.close();
      await issuer.close();
    },
  };
}

test.before(async (t) => {
  t.context = await start();
});
test.after.always((t) => t.context.close());

const ask = (door: Door, token: string) =>
  door.unary(method, { name: "a" }, { authorization: `Bearer ${token}` });
const codeOf = (outcome: Outcome) => (outcome.ok ? "OK" : outcome.error.errorCode);
const base64 = (value: object | string) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** The token with another header; the signature is kept unless another is given. */
function headed(token: string, header: object | string, signature = token.split(".")[2]!): string {
  return `${base64(header)}.${token.split(".")[1]}.${signature}`;
}

async function refusedEverywhere(t: ExecutionContext<World>, tokens: readonly string[]): Promise<void> {
  t.true(tokens.length > 0);
  for (const door of t.context.doors)
    for (const token of tokens)
      t.is(codeOf(await ask(door, token)), "UNAUTHENTICATED", `${door.name}: ${token.slice(0, 160)}`);
}

test("a good token is accepted on every door", async (t) => {
  const { doors, claims, sign, signEc } = t.context;
  for (const door of doors)
    for (const one of [sign, signEc]) {
      const outcome = await ask(door, await one({ ...claims }));
      t.is(codeOf(outcome), "OK", `${door.name} ${JSON.stringify(outcome)}`);
    }
});

type Bad = (world: World) => Promise<readonly string[]>;

/** Tokens with these claims changed. */
const claiming =
  (...changes: Record<string, unknown>[]): Bad =>
  async ({ sign, claims }) =>
    Promise.all(changes.map((change) => sign({ ...claims, ...change })));

/** A good token with its header replaced. */
const heading =
  (...headers: (object | string)[]): Bad =>
  async ({ sign, claims }) => {
    const good = await sign({ ...claims });
    return headers.map((header) => headed(good, header));
  };

const bad: readonly [item: string, tokens: Bad][] = [
  [
    "1: alg none in any case",
    async ({ sign, claims }) => {
      const good = await sign({ ...claims });
      return ["none", "None", "nOnE", "NONE"].flatMap((alg) => [
        headed(good, { alg, kid: "r" }),
        headed(good, { alg, kid: "r" }, ""),
        headed(good, { alg, kid: "r" }, "AA"),
      ]);
    },
  ],
  [
    "2: HS256 with the RSA public key as PEM, DER or JWK",
    async ({ issuer, sign, claims }) => {
      const jwk = issuer.keys[0]!;
      const key = createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });
      const forms = [
        key.export({ type: "spki", format: "pem" }),
        key.export({ type: "pkcs1", format: "pem" }),
        key.export({ type: "spki", format: "der" }),
        JSON.stringify(jwk),
        String(jwk.n),
      ];
      const [, body] = (await sign({ ...claims })).split(".");
      return forms.map((form) => {
        const text = `${base64({ alg: "HS256", kid: "r" })}.${body}`;
        return `${text}.${createHmac("sha256", form).update(text).digest("base64url")}`;
      });
    },
  ],
  [
    "3: alg missing, twice, an array, or of another family",
    heading(
      { kid: "r" },
      '{"alg":"RS256","alg":"RS256","kid":"r"}',
      '{"alg":"none","alg":"RS256","kid":"r"}',
      { alg: ["RS256"], kid: "r" },
      { alg: "RS512", kid: "r" },
      { alg: "PS256", kid: "r" },
      { alg: "ES256", kid: "r" },
      { alg: "rs256", kid: "r" },
    ),
  ],
  [
    "4: expired, not yet valid, issued in the future, without an expiry or with one that is no number",
    claiming(
      { exp: nowS - 3_600 },
      { nbf: nowS + 3_600 },
      { iat: nowS + 3_600 },
      { exp: undefined },
      { exp: String(nowS + 600) },
      { exp: null },
    ),
  ],
  [
    "5: issuer missing, foreign, with a slash, in another case, or an array",
    async (world) => {
      const { url } = world.issuer;
      const issuers = [undefined, "https://idp.other.example", `${url}/`, url.replace("http", "HTTP"), [url]];
      return claiming(...issuers.map((iss) => ({ iss })))(world);
    },
  ],
  [
    "6: audience missing, of others, longer or shorter than ours",
    claiming(
      { aud: undefined },
      { aud: [] },
      { aud: ["other"] },
      { aud: `${audience}.evil.example` },
      { aud: audience.slice(0, -1) },
      { aud: audience.toUpperCase() },
    ),
  ],
  [
    "8: keys that the token brings itself (jwk, jku, x5u, x5c) are not used",
    async ({ claims }) => {
      const other = await new TestIssuer().open();
      const forge = await other.addKey("r", "RS256");
      const brought = [
        { jwk: other.keys[0] },
        { jku: `${other.url}/keys` },
        { x5u: `${other.url}/keys` },
        { x5c: ["AAAA"] },
      ];
      const tokens = await Promise.all(brought.map((header) => forge({ ...claims }, header)));
      await other.close();
      return tokens;
    },
  ],
  [
    "9: an extension that is not known (crit)",
    heading({ alg: "RS256", kid: "r", crit: ["x"], x: 1 }, { alg: "RS256", kid: "r", crit: [] }),
  ],
  [
    "10: encrypted, nested, or with an unencoded payload",
    async (world) => {
      const good = await world.sign({ ...world.claims });
      return [
        `${base64({ alg: "RSA-OAEP", enc: "A256GCM" })}.AA.AA.AA.AA`,
        headed(good, { alg: "RS256", kid: "r", b64: false, crit: ["b64"] }),
        headed(good, { alg: "RS256", kid: "r", b64: false }),
        `${base64({ alg: "RS256", kid: "r", cty: "JWT" })}.${base64(good)}.${good.split(".")[2]}`,
        `${good}.${good}`,
      ];
    },
  ],
  [
    "11: ES256 signatures of zeros, of another form, or cut",
    async ({ signEc, claims }) => {
      const good = await signEc({ ...claims });
      const [header, body, signature] = good.split(".") as [string, string, string];
      const bytes = Buffer.from(signature, "base64url");
      const n = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");
      const forms = [
        Buffer.alloc(64),
        Buffer.concat([n, n]),
        Buffer.concat([bytes.subarray(0, 32), Buffer.alloc(32)]),
        Buffer.concat([bytes, Buffer.alloc(1)]),
        bytes.subarray(0, 63),
        Buffer.from("3006020100020100", "hex"),
      ];
      return forms.map((form) => `${header}.${body}.${form.toString("base64url")}`);
    },
  ],
  [
    "12: a member of the claims twice",
    async ({ claims }) => {
      const twice = `${JSON.stringify(claims).slice(0, -1)},"tenant_id":"0000000000000000000000000B"}`;
      return [`${base64({ alg: "RS256", kid: "r" })}.${base64(twice)}.AAAA`];
    },
  ],
  [
    "15: an ID token is no access token",
    async (world) => [
      ...(await claiming({ nonce: "n" }, { at_hash: "h" }, { c_hash: "h" })(world)),
      await world.sign({ ...world.claims }, { typ: "id_token" }),
      await world.sign({ ...world.claims }, { typ: "dpop+jwt" }),
    ],
  ],
  ["16: a service token of the internal plane", async () => [makeServiceToken({ secret, subject: "job" })]],
];

for (const [item, tokens] of bad)
  test(`item ${item}: refused on REST, Connect and gRPC`, async (t) =>
    refusedEverywhere(t, await tokens(t.context)));

test("item 7: odd and unknown key ids are refused on every door, and the issuer is asked once per cool-down", async (t) => {
  const { sign, claims, issuer, doors } = t.context;
  await ask(doors[0]!, await sign({ ...claims }));
  const before = issuer.asked.length;
  const odd = ["../../etc/passwd", "' OR 1=1 --", "http://127.0.0.1/keys", "k".repeat(3_000), "unknown", ""];
  await refusedEverywhere(t, await Promise.all(odd.map((kid) => sign({ ...claims }, { kid }))));
  t.true(issuer.asked.length - before <= 2, `${issuer.asked.length - before} requests: one fetch is two`);
});

test("item 11: an ES256 signature with the other s is the same signature; it makes no other caller", async (t) => {
  const { signEc, claims, doors } = t.context;
  const good = await signEc({ ...claims });
  const n = BigInt("0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
  const bytes = Buffer.from(good.split(".")[2]!, "base64url");
  const s = n - BigInt(`0x${bytes.subarray(32).toString("hex")}`);
  const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, "0"), "hex")]);
  const token = `${good.slice(0, good.lastIndexOf("."))}.${other.toString("base64url")}`;
  for (const door of doors) t.deepEqual((await ask(door, token)).ok, (await ask(door, good)).ok, door.name);
});

test("item 13: a token that is too long is refused on every door, for its length or as a header, and the door keeps working", async (t) => {
  const { sign, claims, doors } = t.context;
  const long = await sign({ ...claims, pad: "x".repeat(limits.tokenLengthMax) });
  for (const door of doors) {
    // Some doors refuse the header before they know the method: their answer has no error code of ours.
    for (const token of [long, "x".repeat(65_536)]) {
      const outcome = await ask(door, token).catch(() => undefined);
      t.not(outcome?.ok, true, door.name);
    }
    t.is(codeOf(await ask(door, await sign({ ...claims }))), "OK", door.name);
  }
});

test("item 14: a token in the query is ignored by REST and by Connect", async (t) => {
  const { sign, claims, http } = t.context;
  const token = await sign({ ...claims });
  for (const path of ["/api/_meta/whoami", method.path])
    for (const name of ["access_token", "authorization", "token"]) {
      const url = `http://127.0.0.1:${http}${path}?${name}=${token}`;
      const isConnect = path === method.path;
      const response = await fetch(url, {
        ...(isConnect && {
          method: "POST",
          body: '{"name":"a"}',
          headers: { "content-type": "application/json" },
        }),
      });
      await response.text();
      t.is(response.status, 401, `${path} ${name}`);
    }
});

test("item 16: an access token of the issuer is refused on the internal plane", async (t) => {
  const { sign, claims, internal } = t.context;
  t.is(codeOf(await ask(internal, await sign({ ...claims }))), "UNAUTHENTICATED");
  const own = makeServiceToken({ secret, subject: "job", tenant: tenantA });
  t.is(codeOf(await ask(internal, own)), "OK");
});

for (const [what, change] of [
  ["redirects", { broken: { status: 302, location: "http://127.0.0.1:1/" } }],
  ["has its keys behind plain HTTP", { discovered: { jwks_uri: "http://keys.example/" } }],
  ["has its keys at a private address", { discovered: { jwks_uri: "https://10.0.0.1/" } }],
] as const)
  test(`item 18: an issuer that ${what} is not trusted, and every door answers UNAVAILABLE`, async (t) => {
    const world = await start();
    t.teardown(() => world.close());
    Object.assign(world.issuer, change);
    const token = await world.sign({ ...world.claims });
    for (const door of world.doors) t.is(codeOf(await ask(door, token)), "UNAVAILABLE", door.name);
  });

test("item 19: a key that the issuer removed is refused on every door after its time", async (t) => {
  const world = await start();
  t.teardown(() => world.close());
  const token = await world.sign({ ...world.claims });
  for (const door of world.doors) t.is(codeOf(await ask(door, token)), "OK", door.name);
  world.issuer.keys = world.issuer.keys.filter(({ kid }) => kid !== "r");
  world.time.passedMs += limits.issuerKeysMs;
  for (const door of world.doors) t.is(codeOf(await ask(door, token)), "UNAUTHENTICATED", door.name);
});
