import { readFileSync } from "node:fs";
import type { Workflow } from "@temporalio/worker/lib/workflow/interface";
import { OWN_TYPES, ParkedWorkflow, ParkedWorkflows } from "../../src/worker/parked-workflows";

type Activation = Parameters<Workflow["activate"]>[0];
type Job = NonNullable<Activation["jobs"]>[number];

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A worker's workflows, and the queries that evict them. */
function worker() {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const queryWorkflow = ({ execution, query }: { execution: { runId: string }; query: { queryType: string } }) => {
    expect(query.queryType).toBe("navigatorEvict");
    asked.push(execution.runId);
    return new Promise((_, reject) => answers.push(() => reject(new Error("it is evicted"))));
  };
  const connection = { workflowService: { queryWorkflow } } as never;
  const parked = new ParkedWorkflows({ connection, namespace: "default" });
  return {
    asked,
    answer: async () => {
      for (const one of answers.splice(0)) one();
      await jest.advanceTimersByTimeAsync(0);
    },
    has: (runId: string, workflowType = "agentRun") => {
      const seen: Job[][] = [];
      let commands: object[] = [];
      const inner = {
        activate: async ({ runId, jobs }: Activation) => {
          seen.push(jobs as Job[]);
          return { runId, successful: { commands: commands.splice(0) } };
        },
        dispose: async () => {},
      } as unknown as Workflow;
      const run = new ParkedWorkflow(inner, { workflowId: runId, runId, workflowType } as never, parked);
      return {
        seen,
        gone: () => run.dispose(),
        /** Something happens, and the workflow does something. */
        gets: (jobs: object[], does: object[] = [], historyLength = 30) => {
          commands = does;
          return run.activate({ runId, historyLength, jobs } as Activation);
        },
      };
    },
  };
}

const BEGINS = [{ initializeWorkflow: {} }];
const evicting = (queryId: string) => ({ queryWorkflow: { queryId, queryType: "navigatorEvict" } });
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

test("what waits is evicted after ten seconds, and what happens meanwhile begins them anew", async () => {
  const { has, asked } = worker();
  const run = has("r1");
  await run.gets(BEGINS, [{ startTimer: {} }]);
  await pass(9_000);
  await run.gets([{ queryWorkflow: { queryId: "legacy_query", queryType: "status" } }]);
  await pass(9_999);
  expect(asked).toEqual([]);
  await pass(1);
  expect(asked).toEqual(["r1"]);
});

test("a long history stays longer", async () => {
  const { has, asked } = worker();
  await has("r1").gets(BEGINS, [], 2_000);
  await pass(99_999);
  expect(asked).toEqual([]);
  await pass(1);
  expect(asked).toEqual(["r1"]);
});

test("a workflow stays while its activities are at work", async () => {
  const { has, asked } = worker();
  const run = has("r1");
  await run.gets(BEGINS, [{ scheduleActivity: {} }, { scheduleLocalActivity: {} }]);
  await run.gets([{ resolveActivity: {} }]);
  await pass(600_000);
  expect(asked).toEqual([]);
  await run.gets([{ resolveActivity: {} }]);
  await pass(10_000);
  expect(asked).toEqual(["r1"]);
});

test("workflows of others, and those that are gone, are left alone", async () => {
  const { has, asked } = worker();
  await has("theirs", "invoice").gets(BEGINS);
  const gone = has("gone");
  await gone.gets(BEGINS);
  await gone.gone();
  await pass(600_000);
  expect(asked).toEqual([]);
});

test("every workflow of Navigator is one of its own", () => {
  const index = readFileSync("src/workflows/index.ts", "utf8");
  expect([...OWN_TYPES].sort()).toEqual([...index.matchAll(/export \{ (\w+) \}/g)].map(([, name]) => name).sort());
});

test("an eviction that comes by itself fails, which evicts; one that comes with a workflow task is refused", async () => {
  const run = worker().has("r1");
  await run.gets(BEGINS);
  expect(await run.gets([evicting("legacy_query")])).toEqual({
    runId: "r1",
    failed: { failure: { message: expect.stringContaining("leaves the memory") } },
  });
  const status = { queryWorkflow: { queryId: "q1", queryType: "status" } };
  const answered = { respondToQuery: { queryId: "q1" } };
  const refused = { respondToQuery: { queryId: "q2", failed: { message: expect.any(String) } } };
  const both = await run.gets([status, evicting("q2")], [answered]);
  expect(both.successful?.commands).toEqual([answered, refused]);
  expect((await run.gets([evicting("q2")])).successful?.commands).toEqual([refused]);
  expect(run.seen).toEqual([BEGINS, [status]]);
});

test("four are evicted at a time, and who is woken meanwhile is not", async () => {
  const { has, asked, answer } = worker();
  const runs = ["r1", "r2", "r3", "r4", "r5", "r6"].map((id) => has(id));
  for (const run of runs) await run.gets(BEGINS);
  await pass(10_000);
  expect(asked).toEqual(["r1", "r2", "r3", "r4"]);
  await runs[4]?.gets([{ signalWorkflow: {} }]);
  await answer();
  expect(asked).toEqual(["r1", "r2", "r3", "r4", "r6"]);
});

test("where the eviction came to nothing it is asked for again", async () => {
  const { has, asked, answer } = worker();
  await has("r1").gets(BEGINS);
  await pass(10_000);
  await answer();
  await pass(10_000);
  expect(asked).toEqual(["r1", "r1"]);
});
