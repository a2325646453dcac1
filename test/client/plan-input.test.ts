import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { planRequest, planStart } from "../../src/cli/input/plan-request";
import { definePlan } from "../../src/project/authoring/define-plan";
import { loadProject } from "../../src/project/load";
import { planInput } from "../../src/workflows/start/plan-input";

/** What cannot run is refused before anything is started. */
const LOST = {
  tasks: [
    { id: "price", agent: "direct", input: "12" },
    { id: "note", agent: "direct", input: '(str "It costs " (get data/results "price"))' },
  ],
};
const NAMED = { code: "invalid_plan", message: expect.stringContaining('reads the result of "price"') };

test("the client refuses a program that reads a result on which its task does not depend", () =>
  expect(() => planInput({ plan: LOST })).toThrow(expect.objectContaining(NAMED)));

test("so does definePlan", () => expect(() => definePlan(LOST)).toThrow(expect.objectContaining(NAMED)));

test("with the dependency it is taken", () => {
  const [price, note] = LOST.tasks;
  const plan = { tasks: [price, { ...note, depends_on: ["price"] }] };
  expect(planInput({ plan }).plan?.tasks).toHaveLength(2);
});

describe("plan run", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "plan-"));
  writeFileSync(path.join(folder, "navigator.config.cjs"), "module.exports = {};");
  const started = async (plan: object, options: object = {}) => {
    const file = path.join(folder, "plan.json");
    writeFileSync(file, JSON.stringify({ plan, options }));
    const project = await loadProject(folder);
    return planStart(planRequest(file, {}), project, { model: "scripted" }, { detach: true });
  };
  const GHOST = {
    tasks: [
      { id: "note", agent: "direct", input: "1" },
      { id: "tell", input: "Tell {{results.nte}}" },
    ],
  };

  test("refuses what plan check calls an error, by name, and says how to see the place", async () => {
    await expect(started(GHOST)).rejects.toMatchObject({
      code: "invalid_plan",
      message: expect.stringContaining('{{results.nte}} in task "tell" names no task of the plan.'),
      hint: expect.stringContaining("navigator plan check"),
    });
  });

  test("starts it all the same with check_plans: false", async () =>
    expect((await started(GHOST, { check_plans: false })).plan).toMatchObject({
      tasks: [{ id: "note" }, { id: "tell" }],
    }));
});
