import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { mayBeKilled } from "../../../src/cli/dev/open-calls";
import { atProject } from "../../../src/cli/session/project-home";
import { loadConfig } from "../../../src/node/settings";
import { placeOfProject } from "../../../src/project/name";
import { isWorkUnderWay } from "../../../src/server/background/work-under-way";
import { leaseHolders, renewLease, takeLease } from "../../../src/server/leases";
import { isBackgroundServer, noteBackgroundServer, serverUsers, useServer } from "../../../src/server/local-servers";
import { temporaryFolder } from "../../support/environment";

/** What processes that share a background process read of each other. */

const { path: folder, remove } = temporaryFolder("sharing");
afterAll(remove);

const OWN = `${process.pid}@${encodeURIComponent(hostname())}`;
const HERE = [{ pid: process.pid }];
const inFolder = (name: string) => path.join(folder, name);

test("of leases only those of processes that are gone are removed", () => {
  const leases = inFolder("leases");
  const leave = takeLease(leases);
  // No system gives such a number to a process; that of one that has ended may be given again at once.
  const gone = 99_999_999;
  writeFileSync(path.join(leases, `${gone}@${encodeURIComponent(hostname())}`), "node --version");
  // It lives, and what it wrote cannot be read yet, or is of a process before it.
  const parent = `${process.ppid}@${encodeURIComponent(hostname())}`;
  writeFileSync(path.join(leases, parent), "");
  expect(leaseHolders(leases)).toEqual(HERE);
  expect(readdirSync(leases).sort()).toEqual([OWN, parent].sort());
  leave();
  expect(leaseHolders(leases)).toEqual([]);
});

test("a process of another machine counts while its lease is young, whatever runs here under its pid", () => {
  const leases = inFolder("machines");
  const leave = takeLease(leases);
  const other = path.join(leases, `${process.ppid}@elsewhere`);
  writeFileSync(other, "node navigator mcp");
  writeFileSync(path.join(leases, "1@elsewhere.new"), "");
  expect(leaseHolders(leases)).toEqual(expect.arrayContaining([...HERE, { pid: process.ppid, host: "elsewhere" }]));
  expect(leaseHolders(leases)).toHaveLength(2);
  const old = new Date(Date.now() - 3_600_000);
  utimesSync(other, old, old);
  expect(leaseHolders(leases)).toEqual(HERE);
  // Nobody here knows whether it has ended.
  expect(existsSync(other)).toBe(true);
  leave();
});

test("a lease that was removed, or is not whole, is written again", () => {
  const leases = inFolder("renewed");
  const leave = takeLease(leases);
  writeFileSync(path.join(leases, OWN), "");
  expect(leaseHolders(leases)).toEqual([]);
  renewLease(leases);
  expect(leaseHolders(leases)).toEqual(HERE);
  leave();
  expect(leaseHolders(leases)).toEqual([]);
});

test("two parts of a process that use the same: the one that leaves first does not take the other's lease", () => {
  const leases = inFolder("twice");
  const [one, other] = [takeLease(leases), takeLease(leases)];
  one();
  one();
  expect(leaseHolders(leases)).toEqual(HERE);
  other();
  expect(leaseHolders(leases)).toEqual([]);
});

test("a project is one place, however it is named", () => {
  mkdirSync(inFolder("shop"));
  const config = path.join(inFolder("shop"), "navigator.config.cjs");
  const other = path.join(inFolder("shop"), "other.cjs");
  writeFileSync(config, "module.exports = {};");
  writeFileSync(other, "module.exports = {};");
  symlinkSync(inFolder("shop"), inFolder("link"));
  const real = realpathSync(inFolder("shop"));
  const names = [inFolder("shop"), config, inFolder("link"), path.join(inFolder("link"), "navigator.config.cjs")];
  for (const name of names) {
    expect(placeOfProject(name)).toEqual({ folder: real, project: real });
    expect(atProject(loadConfig(), name, {}).config.home).toBe(path.join(real, ".navigator"));
  }
  expect(placeOfProject(path.join(inFolder("link"), "other.cjs"))).toEqual({
    folder: real,
    project: path.join(real, "other.cjs"),
  });
  // The folder alone does not say which of them.
  writeFileSync(path.join(real, "navigator.config.json"), "{}");
  expect(placeOfProject(config)).toEqual({ folder: real, project: path.join(real, "navigator.config.cjs") });
  const named = { ...loadConfig(), home: inFolder("home") };
  expect(atProject(named, config, { NAVIGATOR_HOME: named.home }).config.home).toBe(named.home);
});

test("a process does not count itself among those that use a server; who started it is known by its pid", () => {
  const cache = inFolder("cache");
  const address = "127.0.0.1:7999";
  const leave = useServer(cache, address);
  const file = path.join(cache, "servers", "7999.users", OWN);
  expect(existsSync(file)).toBe(true);
  expect(serverUsers(cache, address)).toEqual([]);
  leave();
  expect(existsSync(file)).toBe(false);
  expect(isBackgroundServer(cache, { pid: 4711, address })).toBe(false);
  noteBackgroundServer(cache, { pid: 4711, address });
  expect(isBackgroundServer(cache, { pid: 4711, address })).toBe(true);
  expect(isBackgroundServer(cache, { pid: 4712, address })).toBe(false);
  expect(readFileSync(path.join(cache, "servers", "7999.background"), "utf8")).toBe("4711");
});

/** Temporal's numbers: a call that waits for its next attempt, and one that is made. */
const [SCHEDULED, STARTED] = [1, 2];
const NO_TOOL = { lastFailure: { applicationFailureInfo: { type: "configuration_error" } } };

/** A service with these runs, `PAGE` on a page. */
function serviceWith(runs: { pendingActivities?: object[]; pendingWorkflowTask?: object }[], page = 2) {
  const asked: { query: string; nextPageToken?: Uint8Array }[] = [];
  const deadlines: number[] = [];
  const connection = {
    withDeadline: (until: number | Date, work: () => Promise<unknown>) => {
      deadlines.push(Number(until));
      return work();
    },
    workflowService: {
      listWorkflowExecutions: async (request: { query: string; nextPageToken?: Uint8Array }) => {
        asked.push(request);
        const from = request.nextPageToken?.[0] ?? 0;
        const to = Math.min(from + page, runs.length);
        return {
          executions: runs.slice(from, to).map((_, at) => ({ execution: { workflowId: String(from + at) } })),
          nextPageToken: to < runs.length ? Uint8Array.of(to) : new Uint8Array(),
        };
      },
      describeWorkflowExecution: async ({ execution }: { execution: { workflowId: string } }) =>
        runs[Number(execution.workflowId)],
    },
  } as unknown as Parameters<typeof isWorkUnderWay>[0];
  return { asked, deadlines, isWorking: () => isWorkUnderWay(connection, { namespace: "default", project: null }) };
}

test.each([
  ["nothing runs", [], false],
  ["runs wait for people, on more pages than one", [{}, {}, {}, {}, {}], false],
  ["a call is made, of the last run of all", [{}, {}, {}, {}, { pendingActivities: [{ state: STARTED }] }], true],
  ["a call waits for its next attempt", [{ pendingActivities: [{ state: SCHEDULED, lastFailure: {} }] }], true],
  ["the next step is due", [{ pendingWorkflowTask: {} }], true],
  ["a call waits for a worker with its tool", [{ pendingActivities: [{ state: SCHEDULED, ...NO_TOOL }] }], false],
  [
    "a payment is made beside a call that waits for a worker with its tool",
    [{ pendingActivities: [{ state: SCHEDULED, ...NO_TOOL }, { state: STARTED }] }],
    true,
  ],
])("whether work is under way: %s", async (_, runs, isUnderWay) => {
  const { asked, deadlines, isWorking } = serviceWith(runs);
  expect(await isWorking()).toBe(isUnderWay);
  // No kind of workflow is left out, and no state: tasks make calls, too, and what is blocked may have others open.
  for (const { query } of asked) expect(query).not.toMatch(/WorkflowType|NavigatorStatus/);
  expect(deadlines[0]).toBeLessThan(Date.now() + 60_000);
});

test("which calls keep code that was told to stop", () => {
  const times = { stopped_at: 1_000, lastCalls_ms: 500 };
  const call = (hasEffect: boolean) => ({ what: "x", hasEffect, until: 100_000 });
  const may = (now: number, ...calls: ReturnType<typeof call>[]) => mayBeKilled(calls, { ...times, now });
  // Without calls it may be in the middle of something else.
  expect([may(1_499), may(1_500)]).toEqual([false, true]);
  expect([may(1_499, call(false)), may(1_500, call(false))]).toEqual([false, true]);
  // A payment has until its own time limit, and some time to clean up.
  expect([may(1_500, call(true)), may(129_999, call(false), call(true)), may(130_000, call(true))]).toEqual([
    ...[false, false, true],
  ]);
});
