import * as z from "zod";
import { askForChoice } from "../../client-features/elicitation";
import { CHANGE, tool } from "../../context/tool";
import { ownFirst } from "./list-workflows";

export const selectWorkflowTool = tool({
  name: "select_workflow",
  title: "Choose a workflow",
  description:
    "The workflows of `list_workflows` as choices. If the client can show a form, it asks the person, and `selected` is the choice.",
  input: z.strictObject({ question: z.string().describe("Question for the person").optional() }),
  data: z.object({
    question: z.string(),
    choices: z.array(z.object({ value: z.string(), label: z.string(), description: z.string() })),
    selected: z.string().nullable(),
  }),
  hints: { ...CHANGE, idempotentHint: true },
  run: async ({ question = "Which workflow fits this task?" }, call) => {
    const workflows = ownFirst(await call.taskService.listWorkflows());
    const choices = workflows.map(({ id, name, description }) => ({ value: id, label: name, description }));
    return { question, choices, selected: choices.length === 0 ? null : await askForChoice(question, choices, call) };
  },
});
