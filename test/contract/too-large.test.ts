import anyTest, { type TestFn } from "ava";
import { limits } from "#base";
import { type Door, type Doors, doorsOf, type Outcome } from "./support/clients.ts";
import { probeContract, startTestService, type TestService } from "./support/service.ts";

type Message = Record<string, unknown>;

const test = anyTest as TestFn<{ service: TestService; doors: Doors }>;

test.before(async (t) => {
  const service = await startTestService({ runtime: true });
  t.context = { service, doors: doorsOf(service) };
});

test.after.always(async (t) => {
  for (const door of Object.values(t.context.doors) as Door[]) door.close?.();
  await t.context.service.close();
});

const method = (name: string) => probeContract.methods.find((one) => one.name === `ProbeService.${name}`)!;
const large = "x".repeat(limits.bodyBytesMax + 1);

test("a message that is too large is refused with the same error by every door", async (t) => {
  for (const door of Object.values(t.context.doors))
    told(t, door, await door.unary(method("Echo"), { name: large }));
});

test("a message of a stream that is too large is refused with the same code, the first and a later one", async (t) => {
  const { doors } = t.context;
  for (const door of [doors.grpc, doors["native-grpc"], doors["native-connect"]])
    for (const messages of [[{ text: large }], [{ text: "a" }, { text: large }]])
      t.is(codeOf(await door.stream!(method("Chat"), messages)), "PAYLOAD_TOO_LARGE", door.name);
});

const templates: readonly [string, string, number, (text: string, one: number) => Message][] = [
  [
    "LayoutService.CreateLayout",
    "body",
    limits.templateSourceBytesMax,
    (text) => ({ channel: "email", name: "large", engine: "handlebars", body: text }),
  ],
  [
    "NoticeService.PutNotice",
    'channels["email"].body',
    limits.templateSourceBytesMax,
    (text, one) => ({ workflow_key: `large-${one}`, channels: { email: { engine: "liquid", body: text } } }),
  ],
  [
    "NoticeService.PutNotice",
    'channels["email"].subject',
    limits.noticeSubjectBytesMax,
    (text, one) => ({
      workflow_key: `large-${one}`,
      channels: { email: { engine: "liquid", subject: text } },
    }),
  ],
];

let count = 0;
for (const [name, field, bytes, request] of templates)
  test(`${name}: a ${field} of exactly ${bytes} bytes is taken, one byte more is refused; characters count as their bytes`, async (t) => {
    t.is(limits.templateSourceBytesMax, 65_536);
    for (const unit of ["x", "é", "😀"])
      for (const door of [t.context.doors["rest-uws"], t.context.doors.grpc]) {
        const ask = (size: number) =>
          door.unary(probeContract.byName.get(name)!, request(textOf(unit, size), ++count));
        const about = `${unit} ${door.name}`;
        t.like(await ask(bytes), { ok: true }, about);
        const refused = await ask(bytes + 1);
        t.like(refused, { ok: false, error: { errorCode: "INVALID_ARGUMENT", fields: [{ field }] } }, about);
      }
  });

/** So many bytes; a template that layouts may have too. */
function textOf(unit: string, bytes: number): string {
  const content = "{{ content }}";
  const left = bytes - content.length;
  const size = Buffer.byteLength(unit);
  return content + unit.repeat(Math.floor(left / size)) + "x".repeat(left % size);
}

function told(
  t: { like(value: unknown, like: object, message: string): void },
  door: Door,
  outcome: Outcome,
) {
  const detail = `at most ${limits.bodyBytesMax} bytes of body are taken`;
  t.like(outcome, { ok: false, error: { errorCode: "PAYLOAD_TOO_LARGE", detail } }, door.name);
}

function codeOf(outcome: Outcome): string {
  return outcome.ok ? "OK" : outcome.error.errorCode;
}
