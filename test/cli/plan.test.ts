import { type Commands, openPlace, type Place } from "../support/cli";

/** Plans from the command line; no server is looked for (none is there). */

let place: Place;
/** Most commands, in this process. */
let here: Commands;
beforeAll(async () => {
  place = await openPlace("plan", { TEMPORAL_ADDRESS: "127.0.0.1:1" });
  here = place.here();
  place.write("good.yaml", "tasks:\n  - { id: a, agent: direct, input: (+ 1 2) }\n");
  place.write("bad.yaml", "tasks:\n  - id: a\n    input: See {{results.b}}\n    signature: '{n int}'\n");
  place.write("scenario.yaml", "plan: good.yaml\nexpect: { status: ok, results: { a: 3 } }\n");
  place.write("waiting.yaml", "plan: { tasks: [{ id: ask, type: review, input: Well? }] }\n");
  place.write("failing.yaml", 'plan: { tasks: [{ id: a, agent: direct, input: (fail "no") }] }\n');
  place.write("unmet.yaml", "plan: good.yaml\nexpect: { results: { a: 4 } }\n");
  place.write(
    "nobody.yaml",
    "plan: { tasks: [{ id: ask, type: review, input: Well? }] }\noptions: { on_review: wait }\n",
  );
  place.write("mistaken.yaml", "plan: good.yaml\noptions: { max_turns: 0 }\nmodels: []\n");
});
afterAll(() => place.close());

test("plan check: a sound plan, and its maximum cost", async () => {
  expect(await here.json(["plan", "check", "good.yaml"])).toMatchObject({
    ok: true,
    tasks: 1,
    findings: [],
    cost: { model_calls: 0, cost: null },
  });
  expect((await place.run(["plan", "check", "good.yaml"])).stdout).toMatch(/^ok good\.yaml {2}1 task, 10 of 10\n/);
});

test("plan check: every mistake with its line, exit code 2", async () => {
  const { ok, findings } = await here.json(["plan", "check", "bad.yaml"], { code: 2 });
  expect(ok).toBe(false);
  expect(findings).toMatchObject([
    { category: "unknown_template_task", task_id: "a", line: 3 },
    { category: "invalid_signature", task_id: "a", line: 4 },
  ]);
  expect((await here.run(["plan", "check", "bad.yaml"])).stdout).toContain("\n  line 3: error unknown_template_task: ");
});

test.each([
  ["scenario.yaml", 0, "ok"],
  ["waiting.yaml", 4, "waiting"],
  ["failing.yaml", 1, "error"],
  ["unmet.yaml", 1, "ok"],
])("simulate plan %s ends with exit code %i", async (file, code, status) =>
  expect(await here.json(["simulate", "plan", file], { code })).toMatchObject({ status, events: expect.any(Array) }),
);

test("simulate plan: an unmet expectation is printed", async () =>
  expect((await here.run(["simulate", "plan", "unmet.yaml"])).stderr).toContain("results.a: expected 4, found 3"));

test("simulate plan: a review without a decision", async () =>
  expect(await here.refused(["simulate", "plan", "nobody.yaml"])).toMatchObject({ code: "nobody_decides" }));

test("simulate plan: mistakes in the scenario", async () =>
  expect(await here.refused(["simulate", "plan", "mistaken.yaml"])).toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("unknown field models"),
  }));
