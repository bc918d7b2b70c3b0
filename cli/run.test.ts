import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { attachStorage, startStorage } from "#storage";
import { runCommand } from "../test/support/cli.ts";

test("help lists the commands, and an unknown command or option is told so", async (t) => {
  const help = await runCommand([]);
  t.is(help.code, 0);
  t.regex(help.out, /service config check[\s\S]*service dev[\s\S]*service start[\s\S]*pools +create, /);
  const unknown = await runCommand(["frobnicate"]);
  t.is(unknown.code, 2);
  t.regex(unknown.err, /no command "frobnicate"; service --help lists them/);
  const group = await runCommand(["storage"]);
  t.is(group.code, 2);
  t.regex(group.err, /there is "storage migrate"/);
  t.regex((await runCommand(["boostrap"])).err, /did you mean "bootstrap"\? service --help lists them/);
  t.regex((await runCommand(["promotion", "list"])).err, /did you mean "promotions list"/);
  t.regex((await runCommand(["promotion", "lst"])).err, /did you mean "promotions"/);
  t.regex((await runCommand(["pools", "lsit"])).err, /did you mean "pools list"/);
  t.regex((await runCommand(["api", "PoolService.ListPool"])).err, /did you mean PoolService\.ListPools/);
  for (const id of ["poolservice.getpool", "getpool"])
    t.regex((await runCommand(["api", id])).err, /did you mean PoolService\.GetPool\?/);
  t.regex(
    (await runCommand(["api", "QueueService.Work", "--help"])).out,
    /Each line of standard input is a message/,
  );
  t.deepEqual(await runCommand(["help"]), help);
  t.regex((await runCommand(["dev", "--help"])).out, /--ephemeral +keep nothing/);
  t.regex((await runCommand(["pools", "create", "-h"])).out, /--config\.lease-seconds <number>/);
  t.regex((await runCommand(["pools", "--help"])).out, /service pools create \[name\] +Creates a pool/);
  t.regex((await runCommand(["--version"])).out, /^\d+\.\d+\.\d+ \(contract [0-9a-f]{12}\)\n$/);
  const short = await runCommand(["jobs", "follow", "support"]);
  t.is(short.code, 2);
  t.regex(short.err, /missing required argument 'operation_id': service jobs follow <pool> <operation_id>/);
  const long = await runCommand(["pools", "get", "support", "more"]);
  t.is(long.code, 2);
  t.regex(long.err, /there are too many arguments: service pools get <pool>\n/);
  const slip = await runCommand(["dev", "--ephemral"]);
  t.is(slip.code, 2);
  t.regex(slip.err, /unknown option '--ephemral'; did you mean --ephemeral\?/);
});

test("the list of commands in docs/cli.md is the one that `service help --markdown` prints", async (t) => {
  const page = await readFile(new URL("../docs/cli.md", import.meta.url), "utf8");
  t.is(page.slice(page.indexOf("## Commands\n") + 12), (await runCommand(["help", "--markdown"])).out);
});

test("start refuses while nobody could sign in and while the internal plane is open, and says what to do", async (t) => {
  const { code, err } = await runCommand(["start"]);
  t.is(code, 1);
  t.regex(err, /api\.oidc_issuer/);
  t.regex(err, /auth\.api_key_enabled=true/);
  t.regex(err, /server\.internal_addr.*127\.0\.0\.1.*server\.internal_require_mtls=true/);
});

test("config prints values with their origin", async (t) => {
  const { code, out } = await runCommand(["config"], { SERVICE_SERVER_HTTP_ADDR: ":1234" });
  t.is(code, 0);
  t.regex(out, /server\.http_addr = :1234 {4}# SERVICE_SERVER_HTTP_ADDR/);
});

test("config check finds what start would refuse", async (t) => {
  t.is((await runCommand(["config", "check"])).code, 1);
  const good = ["--set", "auth.api_key_enabled=true", "--set", "server.internal_addr=127.0.0.1:50053"];
  const { code, out } = await runCommand(["config", "check", ...good]);
  t.is(code, 0);
  t.regex(
    out,
    /egress\.mode is shadow: calls to private networks are made, logged and counted .*; metadata .* are always refused/,
  );
});

test("a setting that does not exist stops a command, and a stray variable only warns", async (t) => {
  const { code, err } = await runCommand(["dev", "--set", "no.such.key=1"]);
  t.is(code, 1);
  t.regex(err, /no\.such\.key: there is no such setting/);
  const warned = await runCommand(["config"], { SERVICE_PORT: "1" });
  t.is(warned.code, 0);
  t.regex(warned.err, /SERVICE_PORT is no setting/);
});

test("a secret that is given by --set warns that the list of processes shows it", async (t) => {
  const set = ["--set", "internal.token_secret=do-not-print-me-do-not-print-me-x"];
  const { code, err } = await runCommand(["config", ...set]);
  t.is(code, 0);
  t.regex(err, /--set internal\.token_secret: every user .* use SERVICE_INTERNAL_TOKEN_SECRET or a file/);
  t.notRegex(err, /do-not-print-me/);
  t.is((await runCommand(["config"], { SERVICE_INTERNAL_TOKEN_SECRET: "x".repeat(32) })).err, "");
});

test("a storage that needs no migration says so", async (t) => {
  const { code, out } = await runCommand(["storage", "migrate"]);
  t.is(code, 0);
  t.regex(out, /needs no migration/);
});

test("data verify: a folder that does not exist, or holds something else, is not called corrupt", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "switchyard-verify-"));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  const verify = (path: string) => runCommand(["data", "verify", "--set", `storage.dir=${path}`]);
  const missing = await verify(join(dir, "no-such"));
  t.is(missing.code, 3);
  t.regex(missing.err, /There is no data in .*no-such: there is no such folder/);
  const other = await verify(dir);
  t.is(other.code, 3);
  t.regex(other.err, /is not a data folder/);
  t.notRegex(missing.err + other.err, /corrupt/i);
  await mkdir(join(dir, "journal"));
  const lost = await verify(dir);
  t.is(lost.code, 1);
  t.regex(lost.err, /DAMAGED: .* has lost its file "generation"/);
});

test("data verify: a folder in use is refused, a sound one is counted, a corrupt one is told with its file", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "switchyard-verify-"));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  const verify = () => runCommand(["data", "verify", "--set", `storage.dir=${dir}`]);
  const host = await startStorage({ engine: "embedded", dir }, () => {});
  const storage = await attachStorage(host.bootstrap(0).data);
  const [opened] = await storage.journal.open([3], 1);
  const entries = [Buffer.alloc(200, 1)];
  for (const firstSeq of [1, 2, 3])
    await storage.journal.append({ shard: 3, epoch: opened!.epoch, firstSeq, entries });
  const inUse = await verify();
  t.is(inUse.code, 1);
  t.regex(inUse.err, new RegExp(`in use by process ${process.pid}`));
  await storage.close();
  await host.close();

  const sound = await verify();
  t.is(sound.code, 0, sound.err);
  t.regex(sound.out, /3 entries, every checksum right/);

  const file = /(\S+\.seg): 3 entries/.exec(sound.out)![1]!;
  const bytes = await readFile(file);
  bytes[bytes.indexOf(entries[0]!) + 10]! ^= 0xff;
  await writeFile(file, bytes);
  const corrupt = await verify();
  t.is(corrupt.code, 1);
  t.true((corrupt.out + corrupt.err).includes(file));
});

test("workflows check names every problem of a file with its place, and asks no service", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "workflow-"));
  t.teardown(() => rm(dir, { recursive: true }));
  const file = join(dir, "flow.yaml");
  await writeFile(file, "steps:\n  - {id: a, type: wait, seconds: 5}\n");
  t.is((await runCommand(["workflows", "check", file])).code, 0);
  await writeFile(
    file,
    "steps:\n  - {id: a, type: wait, seconds: -5, when: '1 +'}\n  - {id: b, type: notify}\n",
  );
  const { code, err } = await runCommand(["workflows", "check", file]);
  t.is(code, 1);
  t.regex(err, /steps\[0\]\.seconds: must be/);
  t.regex(err, /steps\[0\]\.when: .* \(line 1, column 4 of the expression\)/);
  t.regex(err, /steps\[1\]\.to: is required/);
  t.is((await runCommand(["workflows", "check"])).code, 2);
  t.is((await runCommand(["workflows", "check", join(dir, "gone.yaml")])).code, 2);
});
