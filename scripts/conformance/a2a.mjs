// The compatibility kit of A2A (https://github.com/a2aproject/a2a-tck, branch 1.0-dev) against a whole `navigator dev`, in a project
// whose agents do what the kit expects of an agent. Prints the figures, and each check that does not apply with the reason.
// Exits with 1 if a check fails that has no reason in a2a-not-applicable.json.
//
//   --tck FOLDER     the kit, checked out
//   --python FILE    a Python 3.11 with the kit's packages (default: .venv/bin/python in the kit, or python3)
//   --report FOLDER  where the kit's own reports are written (default: a temporary folder, removed at the end)
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, "../..");
const { values } = parseArgs({
  options: { tck: { type: "string" }, python: { type: "string" }, report: { type: "string" } },
});
if (values.tck === undefined || !existsSync(path.join(values.tck, "tests/compatibility"))) {
  process.stderr.write("--tck FOLDER is missing: git clone -b 1.0-dev https://github.com/a2aproject/a2a-tck\n");
  process.exit(2);
}
const ownPython = path.join(values.tck, ".venv/bin/python");
const python = values.python ?? (existsSync(ownPython) ? ownPython : "python3");
const { freePortPair } = createRequire(import.meta.url)("../../dist/prove/rig/free-port-pair.js");
const folder = mkdtempSync(path.join(tmpdir(), "navigator-a2a-"));
const reports = values.report ?? path.join(folder, "reports");

/** `navigator dev` in a project of its own, with a server of its own: its address, and the token of its user. */
async function startDev() {
  const project = path.join(folder, "project");
  cpSync(path.join(here, "a2a-project"), project, { recursive: true });
  const env = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(NAVIGATOR_(?!CACHE|DOWNLOAD)|TEMPORAL_)/.test(name)),
    ),
    NAVIGATOR_HOME: path.join(folder, "home"),
    NAVIGATOR_PORT: String(await freePortPair()),
    NAVIGATOR_IDENTITY: path.join(folder, "identity"),
  };
  const args = [path.join(root, "dist/cli/main.js"), "dev", "--json", "--no-log", "--page-port", "0"];
  const dev = spawn(process.execPath, args, { cwd: project, env, stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: dev.stdout })) {
    const event = JSON.parse(line);
    if (event.event !== "dev_ready") continue;
    const link = new URL(event.page);
    return { dev, address: link.origin, token: new URLSearchParams(link.hash.slice(1)).get("token") };
  }
  throw new Error("navigator dev has ended.");
}

const SKILLS = ["artifact-text", "artifact-data", "input-required"];
let sent = 0;

/**
 * The kit says by the beginning of a message's id what the agent has to do, and uses one id for many messages. Here the agent is named as
 * a skill, and each message gets an id of its own: the same id again is the same message for Navigator.
 */
function adapted(text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  const message = body?.params?.message ?? body?.message;
  if (typeof message?.messageId !== "string") return text;
  const skill = SKILLS.find((one) => message.messageId.startsWith(`tck-${one}-`)) ?? "complete";
  sent += 1;
  message.messageId = `${message.messageId}-${sent}`;
  message.metadata = { skill };
  return JSON.stringify(body);
}

/** The kit sends no token, so this stands between, and adds it. */
function startProxy({ address, token }) {
  const target = new URL(address);
  const proxy = createServer(async (from, to) => {
    const chunks = [];
    for await (const chunk of from) chunks.push(chunk);
    const body = Buffer.from(adapted(Buffer.concat(chunks).toString("utf8")));
    const { "content-length": _, "transfer-encoding": __, ...headers } = from.headers;
    const on = request(
      {
        ...{ hostname: target.hostname, port: target.port, path: from.url, method: from.method },
        headers: {
          ...headers,
          authorization: `Bearer ${token}`,
          ...(body.length === 0 ? {} : { "content-length": body.length }),
        },
      },
      (answer) => {
        to.writeHead(answer.statusCode, answer.headers);
        answer.pipe(to);
      },
    );
    on.on("error", () => to.destroy());
    to.on("close", () => on.destroy());
    on.end(body);
  });
  return new Promise((resolve) => proxy.listen(0, "127.0.0.1", () => resolve(proxy)));
}

function runKit(address) {
  const args = [
    ...["-m", "pytest", "tests/compatibility/", "-q", "--tb=line", "-p", "no:cacheprovider"],
    ...[`--sut-host=${address}`, `--compatibility-report=${path.join(reports, "compatibility")}`],
    `--junitxml=${path.join(reports, "junit.xml")}`,
  ];
  const kit = spawn(python, args, { cwd: values.tck, stdio: ["ignore", "ignore", "inherit"] });
  return new Promise((resolve, reject) => kit.once("error", reject).once("exit", resolve));
}

/** Each check of the kit: its name, how it ended, and what it said. */
function checks() {
  const xml = readFileSync(path.join(reports, "junit.xml"), "utf8");
  return [...xml.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g)].map(
    ([, place, name, inside = ""]) => {
      const [, kind = "passed", said = ""] = /<(failure|error|skipped)[^>]*message="([^"]*)"/.exec(inside) ?? [];
      const isExpected = kind === "skipped" && /type="pytest.xfail"/.test(inside);
      return { name: `${place.replace(/^.*\./, "")} ${name}`, kind: isExpected ? "failure" : kind, said };
    },
  );
}

/** The figures, and whether all that did not pass has a reason. */
function judge() {
  const reasons = JSON.parse(readFileSync(path.join(here, "a2a-not-applicable.json"), "utf8"));
  const all = checks();
  const passed = all.filter(({ kind }) => kind === "passed");
  const others = all.filter(({ kind }) => kind !== "passed");
  const reasonOf = ({ name, said }) =>
    reasons.find(({ check, says }) => new RegExp(check).test(name) && (says === undefined || said.includes(says)));
  const open = others.filter((one) => reasonOf(one) === undefined);
  process.stdout.write(
    `${all.length} checks: ${passed.length} passed, ${others.length - open.length} do not apply, ${open.length} failed\n`,
  );
  for (const { check, says, why } of reasons) {
    const n = others.filter((one) => reasonOf(one)?.why === why && new RegExp(check).test(one.name)).length;
    if (n > 0) process.stdout.write(`  ${String(n).padStart(3)}  ${why}\n`);
    else process.stdout.write(`    0  (no check any more: ${check} ${says ?? ""})\n`);
  }
  for (const { name, kind, said } of open) process.stdout.write(`${kind}: ${name}: ${said.slice(0, 400)}\n`);
  return passed.length > 0 && open.length === 0;
}

let dev;
let proxy;
try {
  const started = await startDev();
  dev = started.dev;
  proxy = await startProxy(started);
  await runKit(`http://127.0.0.1:${proxy.address().port}`);
  process.exitCode = judge() ? 0 : 1;
} finally {
  proxy?.closeAllConnections();
  proxy?.close();
  if (dev !== undefined && dev.exitCode === null) {
    dev.kill("SIGTERM");
    await new Promise((resolve) => dev.once("exit", resolve));
  }
  rmSync(folder, { recursive: true, force: true });
}
