import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import type { LiveLine } from "../../../src/cli/dev/live-line";
import { LiveLog } from "../../../src/cli/dev/live-log";
import { Reloader } from "../../../src/cli/dev/reloader";
import { createIo } from "../../../src/cli/terminal/io";
import { createColors } from "../../../src/cli/terminal/render";
import { NavigatorClient } from "../../../src/client/client";
import { type Answer, openPlace, type Place } from "../../support/cli";
import { testAddress } from "../../support/environment";
import { isAlive } from "../../support/is-alive";
import { until } from "../../support/until";

/** What keeps the code of `navigator dev`, when a file is saved while calls are open, while code hangs, or when a process is killed. */
let place: Place;

beforeAll(async () => {
  place = await openPlace("dev");
});
afterAll(() => place.close());

/** A project in a folder of its own with one tool, and what keeps its code. */
function openReloader(
  name: string,
  run: string,
  {
    effect = "write",
    heartbeat,
    ...options
  }: { effect?: string; heartbeat?: string; lastCalls_ms?: number; env?: NodeJS.ProcessEnv } = {},
) {
  const more = heartbeat === undefined ? "" : `heartbeat: "${heartbeat}", `;
  const folder = path.join(place.folder, name);
  const write = (answer: string) =>
    place.write(
      `${name}/navigator.config.cjs`,
      `module.exports = {
         tools: [require("navigator-agents").defineTool({ name: "ask", effect: "${effect}", ${more}run: ${answer} })],
         agents: [{ name: "asker", prompt: "Ask.", tools: ["ask"] }],
         script: ["\`\`\`clojure\\n(return (tool/ask {}))\\n\`\`\`"],
         telemetry: { prometheus: "127.0.0.1:1" },
       };`,
    );
  write(run);
  const progress: Answer[] = [];
  const io = { ...createIo(process, {}), event: (event: unknown) => void progress.push(event) };
  place.here();
  // A queue of its own: the project above has another script.
  const env = { NAVIGATOR_TASK_QUEUE: `dev-${name}-${randomUUID()}`, ...options.env };
  const reloader = new Reloader(io, {
    ...options,
    ...{ place: folder, folder, env: { ...process.env, ...env }, isLogged: false },
    page: { port: 0, isNamed: true, temporalUi: null },
  });
  /** The next one of those that were not taken. */
  const event = (wanted: string) =>
    until(async () => {
      const at = progress.findIndex(({ event }) => event === wanted);
      return at === -1 ? null : progress.splice(at, 1)[0];
    }, wanted);
  const start = (id: string, ...more: string[]) =>
    place.run(["run", "asker", "--id", id, "--config", folder, "--model", "scripted", ...more], { env });
  return { reloader, write, event, start };
}

test("an open call with an effect goes on in the old code, also beyond the limit of others, and its answer counts", async () => {
  const file = (name: string) => path.join(place.folder, "open", name);
  const { reloader, write, event, start } = openReloader(
    "open",
    `async (_, { signal }) => {
       const { existsSync, writeFileSync } = require("node:fs");
       writeFileSync(${JSON.stringify(file("called"))}, "");
       while (!existsSync(${JSON.stringify(file("go"))})) {
         signal.throwIfAborted();
         await new Promise((resolve) => setTimeout(resolve, 20));
       }
       return "answered";
     }`,
    // Busy as the machine is while the new code loads, its worker counts as alive.
    { lastCalls_ms: 1, heartbeat: "10m" },
  );
  try {
    expect(await reloader.start()).toMatchObject({ agents: ["asker"] });
    await start("open-call", "--detach");
    await until(async () => existsSync(file("called")), "the call of the tool");
    write('() => "called again"');
    expect((await event("old_code_busy")).calls).toMatchObject([{ what: "ask", hasEffect: true }]);
    expect(reloader.openCalls).toMatchObject([{ what: "ask" }]);
    expect(await event("reloaded")).toMatchObject({ running: expect.arrayContaining(["agent/open-call"]) });
    place.write("open/go", "");
    const { stdout } = await start("open-call", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ step: { return: "answered" } });
  } finally {
    await reloader.stop(() => true);
  }
});

test("the log tells a mission whose history could not be read at first, and lets it go when it is over", async () => {
  const connection = await Connection.connect({ address: testAddress() });
  const temporal = new Client({ connection, namespace: place.namespace });
  const { workflow } = temporal;
  let failures = 0;
  const onceAway = Object.create(workflow, {
    getHandle: { value: (id: string) => (failures++ === 0 ? {} : workflow.getHandle(id)) },
  });
  const client = new NavigatorClient(Object.create(temporal, { workflow: { value: onceAway } }), { project: null });
  const lines: LiveLine[] = [];
  const log = new LiveLog(client, { since: 0, progress: {}, color: createColors(false, {}), page: null }, (line) =>
    lines.push(line),
  );
  try {
    log.begin();
    const ofMission = () => lines.filter(({ mission }) => mission === "agent/open-call");
    await until(async () => ofMission().at(-1)?.over_at, "the end of the mission");
    expect(failures).toBeGreaterThan(1);
    expect(ofMission().flatMap(({ shown }) => shown?.event.event ?? [])).toEqual([
      ...["mission_started", "model_asked", "model_answered", "tool_called", "tool_answered", "completed"],
    ]);
  } finally {
    log.close();
    await connection.close();
  }
});

test("old code that does not end its open read is killed", async () => {
  const called = path.join(place.folder, "stuck", "called");
  const { reloader, write, event, start } = openReloader(
    "stuck",
    `() => new Promise(() => require("node:fs").writeFileSync(${JSON.stringify(called)}, ""))`,
    { lastCalls_ms: 1, effect: "read" },
  );
  try {
    expect(await reloader.start()).toMatchObject({ agents: ["asker"] });
    await start("stuck-call", "--detach");
    await until(async () => existsSync(called), "the call of the tool");
    write("() => 1");
    const killed = await event("old_code_killed");
    expect(isAlive(killed.pid)).toBe(false);
    const next = await event("reloaded");
    expect(isAlive(next.pid)).toBe(true);
  } finally {
    await reloader.stop(() => true);
  }
});

const HANGS = "for (;;);";

test("code that hangs while it is loaded gives way to the next save; a process that crashes is started again once", async () => {
  const hung = (name: string) => path.join(place.folder, "hangs", name);
  const hang = (name: string) =>
    `(() => { require("node:fs").writeFileSync(${JSON.stringify(hung(name))}, ""); ${HANGS} })()`;
  const home = path.join(place.folder, "hangs", ".home");
  const { reloader, write, event } = openReloader("hangs", hang("at-first"), { env: { NAVIGATOR_HOME: home } });
  try {
    const started = reloader.start();
    await until(async () => existsSync(hung("at-first")), "the first load");
    write("() => 1");
    expect(await started).toMatchObject({ agents: ["asker"] });

    write(hang("again"));
    await until(async () => existsSync(hung("again")), "the second load");
    // The page cannot be opened: its token is in the way.
    rmSync(path.join(home, "mission-control.token"));
    mkdirSync(path.join(home, "mission-control.token"));
    write("() => 2");
    const reloaded = await event("reloaded");
    expect(reloaded).toMatchObject({ files: ["navigator.config.cjs"], page: null });
    expect(await event("page_failed")).toMatchObject({ error: { code: "EISDIR" } });

    process.kill(reloaded.pid, "SIGKILL");
    expect(await event("worker_ended")).toMatchObject({ how: "SIGKILL", is_restarted: true });
    const again = await event("reloaded");
    expect(again).toMatchObject({ files: [] });
    process.kill(again.pid, "SIGKILL");
    expect(await event("worker_ended")).toMatchObject({ is_restarted: false });
  } finally {
    await reloader.stop(() => true);
  }
});

test.each([
  { signal: "SIGINT", code: 0 },
  { signal: "SIGKILL", code: null },
] as const)("$signal ends navigator dev while the code hangs, and its process too", async ({ signal, code }) => {
  const file = path.join(place.folder, `pid-${signal}`);
  place.write(
    `waits-${signal}/navigator.config.mjs`,
    `import { writeFileSync } from "node:fs";
     writeFileSync(${JSON.stringify(file)}, String(process.pid));
     await new Promise((resolve) => setTimeout(resolve, 1e9));`,
  );
  const dev = place.start(["dev", "--page-port", "0", "--config", `waits-${signal}`]);
  const ended = new Promise((resolve) => dev.once("exit", resolve));
  const pid = await until(async () => existsSync(file) && Number(readFileSync(file, "utf8")), "the load");
  expect(pid).not.toBe(dev.pid);
  dev.kill(signal);
  expect(await ended).toBe(code);
  await until(async () => !isAlive(pid), "the end of the process with the code");
});
