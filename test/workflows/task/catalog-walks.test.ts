import path from "node:path";
import { TaskService } from "../../../src/client/tasks/task-service";
import { readAgents } from "../../../src/project/agents";
import { CATALOG_FOLDER, catalogWorkflows } from "../../../src/project/catalog";
import { program } from "../../support/cli";
import { newNamespace } from "../../support/namespace";
import { openRig, type Rig } from "../../support/rig";
import { isDeep } from "../../support/run/deep";
import { until } from "../../support/until";

/**
 * Each workflow of the catalog, driven by the catalog's own agents to its end. Whatever the step, its first outcome is
 * given; in a round that would go on for ever, the one that leaves it the second time. People agree.
 */
const LEAVING = ["enough", "arrived"];
const answer = program(
  `(let [{:keys [id outputs]} data/step
         leaves? (fn [outcome] (and (contains? data/steps id) (contains? #{${LEAVING.map((one) => `"${one}"`).join(" ")}} outcome)))]
     (return {:outcome (or (first (filter leaves? outputs)) (first outputs)) :summary (str "did " id)}))`,
);

let rig: Rig;
let taskService: TaskService;
beforeAll(async () => {
  rig = await openRig({ namespace: await newNamespace(), script: { default: [answer] } });
  const agents = readAgents(path.join(CATALOG_FOLDER, "agents"), CATALOG_FOLDER, null);
  taskService = new TaskService(rig.client, { agents, model: "scripted" });
  for (const { id, definition } of catalogWorkflows()) await taskService.loadWorkflow(id, definition, "catalog");
});
afterAll(() => rig.stop());

/** Agrees with whatever people are asked, until the task is over. */
async function agreeUntilOver(id: string): Promise<void> {
  await until(async () => {
    const { status } = await taskService.task(id);
    if (status === "COMPLETED" || status === "FAILED") return true;
    const task = rig.client.task(id);
    for (const { id: review, status: state, choices, votes = [] } of await task.reviews())
      if (state === "open")
        await task.decide({ review, choice: choices[0] as string, by: votes.length === 0 ? "anna" : "ben" });
    return false;
  }, `${id} is over`);
}

const WALKS = [
  ["feature", "start agree look_around shape shape_review build integrate review acceptance release live"],
  ["incident", "start assess announce spread_out contain relief story lessons first_follow_up over"],
  ["quick-task", "start clarify change check done"],
  ["release", "start freeze checks go first_users watch everyone shipped"],
];
const MORE_WALKS = [
  ["bug-fix", "start reproduce find_cause repair prove look_over deliver fixed"],
  ["bug-hunt", "start case_file inquire piece_together weigh mend solved"],
  ["data-migration", "start take_stock plan rehearse compare approve back_up migrate verify tidy_up migrated"],
  ["refactor", "start survey safety_net route route_review move hold move compare tell better"],
  ["research-report", "start narrow gather draft fact_check plain_words let_out published"],
  ["test-coverage", "start measure choose write break_it keep measure choose covered"],
];

test.each(isDeep ? [...WALKS, ...MORE_WALKS] : WALKS)("%s", async (workflowType = "", way) => {
  const id = `walk-${workflowType}`;
  await taskService.createTask(
    { id, issueId: "I-1", workflowType, context: { request: "Do it." } },
    { drive: "agent" },
  );
  await agreeUntilOver(id);
  const { status, history, currentStep } = await taskService.task(id);
  expect([...history.map(({ step }) => step), currentStep].join(" ")).toBe(way);
  expect(status).toBe("COMPLETED");
});
