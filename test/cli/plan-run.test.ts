import { readFileSync } from "node:fs";
import path from "node:path";
import { ownName } from "../../src/node/shell-word";
import { type Answer, type Commands, openPlace, type Place, program } from "../support/cli";
import { deepTest } from "../support/run/deep";
import { until } from "../support/until";

/** Plans as a new user meets them: the built command on a real server. */
let place: Place;
/** The commands whose process is not the point, in this process. */
let here: Commands;
beforeAll(async () => {
  // The inbox is looked at as a whole.
  place = await openPlace("plan");
  here = place.here();
  place.write(
    "navigator.config.cjs",
    `const { defineTool } = require("navigator-agents");
     const { appendFileSync } = require("node:fs");
     const order = (args, call) => {
       appendFileSync(__dirname + "/calls.log", call.idempotencyKey + "\\n");
       return { order_id: "L-1" };
     };
     module.exports = {
       script: "./script.json",
       tools: [
         defineTool({ name: "order", signature: "(names [:string]) -> {order_id :string}", run: order }),
         defineTool({ name: "pay", approval: true, signature: "(n :int) -> {paid :int}", run: ({ n }) => ({ paid: n }) }),
       ],
     };`,
  );
  place.write("script.json", {
    buyer: [program('(return (tool/order {:names (get data/results "rows")}))')],
    planner: [
      { if_contains: "ghost", content: '{"tasks": [{"id": "n", "agent": "direct", "input": "(+ 1 1)"}]}' },
      '{"tasks": [{"id": "n", "agent": "ghost", "input": "Count"}]}',
    ],
  });
  place.write("lamps.json", {
    agents: { buyer: { prompt: "You order.", tools: ["order"] } },
    tasks: [
      { id: "rows", agent: "direct", input: '["Moon"]' },
      { id: "agreed", type: "review", after: "rows", input: "Order {{results.rows}}?" },
      { id: "ordered", agent: "buyer", after: ["agreed", "rows"], input: "Order them" },
    ],
  });
  place.write("circle.json", {
    tasks: [
      { id: "a", after: "b", input: "x" },
      { id: "b", after: "a", input: "y" },
    ],
  });
});
afterAll(() => place.close());

const LAMPS = path.join(__dirname, "../../examples/plans/lamps-scenario.yaml");

describe("navigator simulate plan", () => {
  deepTest("prints the same lines in memory and on a server, except for times", async () => {
    const withoutTimes = (text: string) => text.replace(/\(\d+ ms\)/g, "(ms)");
    const inMemory = await here.run(["simulate", "plan", LAMPS]);
    const onServer = await here.run(["simulate", "plan", LAMPS, "--temporal"]);
    expect(onServer).toMatchObject({ code: 0, stderr: "" });
    expect(withoutTimes(onServer.stdout)).toBe(withoutTimes(inMemory.stdout));
    const nobody = 'plan: { tasks: [{ id: ask, type: review, input: "Well?" }] }\noptions: { on_review: wait }';
    const refused = await here.refused(["simulate", "plan", place.write("nobody.yaml", nobody), "--temporal"]);
    expect(refused).toMatchObject({ code: "nobody_decides" });
  });
});

describe("navigator plan run", () => {
  const ID = "lamps";
  const decide = (id: string, ...more: string[]) =>
    here.run(["review", "decide", id, "approve", "--by", "anna", ...more]);

  test("waits for a person with exit code 4, takes the decision, and ends with the results", async () => {
    const asked = await here.run(["plan", "run", "lamps.json", "--id", ID]);
    expect(asked).toMatchObject({ code: 4, stderr: expect.stringMatching(/^Plan plan\/lamps/) });
    expect(asked.stdout).toMatch(/^\[START\] rows\n✓ rows \(\d+ ms\)\n\[START\] agreed\n\nWaiting for a person\./);
    expect(asked.stdout).toContain(`review decide plan/lamps/agreed/1 approve --by ${ownName()} --signal\n`);
    expect(asked.stdout).toContain("Continue: navigator plan run lamps.json --id lamps");
    // Nobody serves the queue now: the decision must wait for somebody who does.
    expect(await decide("plan/lamps/agreed/1", "--signal")).toMatchObject({ code: 0 });
    const done = await here.run(["plan", "run", "lamps.json", "--id", ID]);
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining("was started before") });
    expect(done.stdout).toMatch(/\nok\n {2}rows: \["Moon"\]\n {2}agreed: .+\n {2}ordered: \{"order_id":"L-1"\}\n$/);
    expect(calls()).toHaveLength(1);
  });

  test("with --json prints an event per line and the answer in the last line", async () => {
    const end = await here.run(["plan", "run", "lamps.json", "--json", "--on-review", "return"]);
    expect(end.code).toBe(4);
    const lines = jsonLines(end.stdout);
    expect(lines.slice(0, -1).map(({ type }) => type)).toEqual([
      "task_started",
      "task_step",
      "task_succeeded",
      "task_started",
    ]);
    expect(lines.at(-1)).toMatchObject({
      status: "waiting",
      pending: [{ task_id: "agreed" }],
      results: { rows: ["Moon"] },
    });
    const given = ["--initial-results", '{"rows": ["Sun"]}', "--reviews", '{"agreed": {"approved": true, "by": "Bo"}}'];
    const again = await here.run(["plan", "run", "lamps.json", "--json", ...given]);
    expect(again.code).toBe(0);
    expect(jsonLines(again.stdout)[0]).toMatchObject({ type: "task_skipped", task_id: "rows" });
    expect(jsonLines(again.stdout).at(-1)).toMatchObject({
      status: "ok",
      results: { rows: ["Sun"], ordered: { order_id: "L-1" } },
    });
  });

  test("a failed plan exits with code 1", async () => {
    const failing = { tasks: [{ id: "a", agent: "direct", input: '(fail "out of lamps")' }] };
    const failed = await place.run(["plan", "run", "-", "--id", "failed"], { input: JSON.stringify(failing) });
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining("✗ a - failed: out of lamps") });
  });

  test("for a mission without a plan the planner makes one; a check finding is sent back once", async () => {
    const end = await here.run(["plan", "run", "--mission", "Count lamps", "--id", "made"]);
    expect(end).toMatchObject({ code: 0 });
    expect(end.stdout).toMatch(/^Planning: Count lamps\n {2}Planning again: the plan has 1 mistake\nPlan: 1 task\n/);
    expect(end.stdout).toMatch(/\nok\n {2}n: 2\n$/);
  });

  test("an agent's own question counts as waiting, too", async () => {
    const plan = { tasks: [{ id: "pay", agent: "direct", input: "(tool/pay {:n 3})" }] };
    const file = place.write("pay.json", plan);
    const asked = await here.run(["plan", "run", file, "--id", "paid"]);
    expect(asked).toMatchObject({ code: 4, stdout: expect.stringContaining("plan/paid/1/pay/1/pay/1") });
    const worker = await place.worker();
    try {
      const { open } = await here.json(["review", "list", "--mission", "plan/paid"]);
      expect(open).toMatchObject([{ workflow_id: "plan/paid/1/pay/1" }]);
      expect((await here.run(["review", "show", open[0].review.id])).stdout).toContain("Call pay?");
      expect(await decide(open[0].review.id)).toMatchObject({ code: 0 });
      expect(await here.run(["plan", "run", file, "--id", "paid"])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('pay: {"paid":3}'),
      });
    } finally {
      await worker.stop();
    }
  });

  test("--detach prints the id; show and events report the state, from any event on", async () => {
    expect((await here.run(["plan", "run", "lamps.json", "--id", "detached", "--detach"])).stdout).toBe("detached\n");
    const worker = await place.worker();
    try {
      await until(async () => (await here.json(["plan", "show", "detached"])).state === "waiting", "it waits");
      const shown = await here.run(["plan", "show", "detached"]);
      expect(shown.stdout).toMatch(
        /^waiting {2}1 of 3 tasks done\n {2}rows +ok\n {2}agreed +running\n {2}ordered +pending\n/,
      );
      expect(shown.stdout).toContain("plan/detached/agreed/1");
      const following = place.run(["plan", "events", "detached", "--from", "3", "--follow", "--json"]);
      expect(await decide("plan/detached/agreed/1")).toMatchObject({ code: 0 });
      const followed = await following;
      expect(followed.code).toBe(0);
      expect(jsonLines(followed.stdout).map(({ number }) => number)).toEqual([3, 4, 5, 6, 7]);
      expect(await here.json(["plan", "show", "detached"])).toMatchObject({
        state: "completed",
        ended: "completed",
        result: { status: "ok" },
      });
    } finally {
      await worker.stop();
    }
  });

  const refusals: { args: string[]; code: string; says: string }[] = [
    { args: ["plan", "run"], code: "bad_usage", says: "--mission" },
    { args: ["plan", "run", "none.yaml"], code: "not_found", says: "none.yaml" },
    { args: ["plan", "run", "circle.json"], code: "invalid_plan", says: "a -> b -> a" },
    { args: ["plan", "run", "lamps.json", "--on-review", "never"], code: "bad_usage", says: "wait or return" },
    { args: ["plan", "run", "lamps.json", "--options", '{"llms": 1}'], code: "invalid_input", says: "llms" },
    {
      args: ["plan", "run", "lamps.json", "--options", '{"base_tools": ["cat"]}'],
      code: "tool_not_found",
      says: "cat",
    },
    { args: ["plan", "run", "lamps.json", "--model", "no/such"], code: "invalid_input", says: "no/such" },
    { args: ["plan", "show", "nowhere"], code: "not_found", says: "plan/nowhere" },
    { args: ["plan", "events", "nowhere", "--from", "x"], code: "bad_usage", says: "--from" },
  ];
  test.each(refusals)("$args is refused: $code", async ({ args, code, says }) => {
    expect(await here.refused(args)).toMatchObject({ code, message: expect.stringContaining(says) });
  });
});

const jsonLines = (text: string): Answer[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const calls = () => readFileSync(path.join(place.folder, "calls.log"), "utf8").trim().split("\n");
