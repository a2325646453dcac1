import { type Commands, openPlace, type Place, program } from "../support/cli";
import { until } from "../support/until";

/** Workflows of the catalog as they come out of the box, done by their own agents: forks, retries and people mixed in. */

let place: Place;
/** Most commands, in this process. */
let here: Commands;
let worker: Awaited<ReturnType<Place["worker"]>>;
beforeAll(async () => {
  place = await openPlace("catalog-run");
  here = place.here();
  await here.json(["workflow", "init", "research-report", "quick-task"]);
  place.write("navigator.config.json", { definitions: "workflows", agents: "workflows/agents", script: "script.json" });
  // Whatever the step, its first outcome; the fact check refuses the first draft.
  const first = program('(return {:outcome (first (:outputs data/step)) :summary (str "did " (:id data/step))})');
  const checks = program(
    '(return {:outcome (if (and (= "fact_check" (:id data/step)) (nil? (:fact_check data/steps))) "failed" "passed") :summary "checked"})',
  );
  const roles = ["planner", "investigator", "developer", "tester", "writer"];
  place.write("script.json", { ...Object.fromEntries(roles.map((role) => [role, [first]])), reviewer: [checks] });
  worker = await place.worker();
});
afterAll(async () => {
  await worker.stop();
  place.close();
});

const show = async (id: string) => JSON.parse((await here.run(["task", "show", id, "--json"])).stdout);
const start = (file: string, id: string) =>
  here.json(["task", "start", file, "--id", id, "--context", '{"request": "Is it so?"}']);

test("a report is researched in parallel, drafted, refused, drafted again, and released by a person", async () => {
  const { driven_from_outside } = await start("workflows/research-report.json", "report-1");
  expect(driven_from_outside).toEqual([]);
  const review = await until(
    async () => (await here.json(["review", "list", "--task", "report-1"])).open[0]?.review,
    "a person is asked to let it out",
  );
  expect(review).toMatchObject({ title: "Let it out?", choices: ["passed", "failed"] });
  await here.json(["review", "decide", review.id, "passed", "--by", "anna"]);
  await until(async () => (await show("report-1")).task.status === "COMPLETED", "it is published");
  const { task } = await show("report-1");
  expect(task.history.map(({ step, result }: { step: string; result: string }) => `${step} ${result}`)).toEqual([
    "start null",
    "narrow passed",
    "gather passed",
    "draft passed",
    "fact_check failed",
    "draft passed",
    "fact_check passed",
    "plain_words passed",
    "let_out passed",
  ]);
  expect(await show("report-1/figures")).toMatchObject({ task: { status: "COMPLETED", parentTaskId: "report-1" } });
});

test("three roles do a small change, each with its step and the possible outcomes", async () => {
  await start("workflows/quick-task.json", "small-1");
  await until(async () => (await show("small-1")).task.status === "COMPLETED", "it is done");
  const { task } = await show("small-1");
  expect(task.history.map(({ result }: { result: string }) => result)).toEqual([null, "clear", "passed", "passed"]);
  expect(task.history[1].output).toEqual({ outcome: "clear", summary: "did clarify" });
});
