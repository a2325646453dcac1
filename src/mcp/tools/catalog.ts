import path from "node:path";
import * as z from "zod";
import { copyWorkflows as copyFromCatalog, listCatalog as readCatalog, readDefinitionFolder } from "../../catalog";
import { NavigatorError } from "../../core/base/navigator-error";

import { askForChoice } from "../asking/elicitation";
import { workflowsFolder } from "../project-workflows";
import type { ServerParts } from "../server-context";
import { CHANGE, LONGEST_CALL_MS, READ, SETTLE, tool } from "../tool";
import { ownFirst } from "./workflows";

/** Ready workflows, and those of the project's folder (graph reference, section 9.7). */

const Listed = z.looseObject({ id: z.string(), name: z.string(), description: z.string() });
const FileErrors = z.array(z.looseObject({ id: z.string(), code: z.string(), message: z.string() }));
const workflowIds = z.array(z.string().min(1)).describe("Ids of workflows");

const listCatalog = tool({
  name: "list_catalog",
  title: "Ready workflows",
  description: "The workflows that come with Navigator, to be copied into a project with copy_workflows.",
  input: z.strictObject({}),
  data: z.object({ count: z.int(), workflows: z.array(Listed) }),
  hints: READ,
  run: async () => {
    const workflows = readCatalog();
    return { count: workflows.length, workflows };
  },
});

const copyWorkflows = tool({
  name: "copy_workflows",
  title: "Copy ready workflows",
  description:
    "Copies workflows of the catalog, with their subflows and agents, into the project's folder. What is there already is kept as it is. Unknown ids are told in `errors`, the others are copied.",
  input: z.strictObject({ workflowIds: workflowIds.min(1) }),
  data: z.object({
    folder: z.string(),
    copied: z.array(z.looseObject({ id: z.string() })),
    agents: z.array(z.looseObject({ name: z.string() })),
    errors: FileErrors,
  }),
  hints: SETTLE,
  run: async ({ workflowIds: ids }, { parts }) => {
    const folder = folderOf(parts);
    return { folder, ...copyFromCatalog(ids, folder) };
  },
});

const loadWorkflows = tool({
  name: "load_workflows",
  title: "Load the project's workflows",
  description:
    "Loads workflows from files: <id>.json, <id>.yaml or <id>/workflow.json in the project's folder (or `path`). Without `workflowIds` it loads none and lists what is there. A broken file is told in `errors`.",
  input: z.strictObject({
    workflowIds: workflowIds.optional(),
    path: z.string().min(1).describe("Another folder of this machine").optional(),
  }),
  data: z.object({
    folder: z.string(),
    available: z.array(Listed),
    loaded: z.array(z.looseObject({ id: z.string(), version: z.int() })),
    errors: FileErrors,
  }),
  hints: SETTLE,
  errors: ["file_not_found", "files_not_allowed"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ workflowIds: ids, path: given }, { desk, parts, server }) => {
    const folder = folderOf(parts, given);
    const { definitions, errors } = readDefinitionFolder(folder, ids);
    const available = definitions.map(({ definition: { id, name, description } }) => ({ id, name, description }));
    const loaded = [];
    for (const { id, definition } of ids === undefined ? [] : definitions)
      loaded.push(await desk.loadWorkflow(id, definition, "project"));
    if (loaded.length > 0) (parts.announce ?? (() => server.sendResourceListChanged()))();
    return { folder, available, loaded, errors };
  },
});

const selectWorkflow = tool({
  name: "select_workflow",
  title: "Choose a workflow",
  description:
    "The workflows that `list_workflows` offers, as choices for a dialog. Where the client can show a form, the person is asked at once and `selected` says what they chose.",
  input: z.strictObject({ question: z.string().describe("What the person is asked").optional() }),
  data: z.object({
    question: z.string(),
    choices: z.array(z.object({ value: z.string(), label: z.string(), description: z.string() })),
    selected: z.string().nullable(),
  }),
  hints: { ...CHANGE, idempotentHint: true },
  run: async ({ question = "Which workflow fits this task?" }, call) => {
    const workflows = ownFirst(await call.desk.listWorkflows());
    const choices = workflows.map(({ id, name, description }) => ({ value: id, label: name, description }));
    return { question, choices, selected: choices.length === 0 ? null : await askForChoice(question, choices, call) };
  },
});

/** @throws NavigatorError `files_not_allowed` */
function folderOf({ project, files }: ServerParts, given?: string): string {
  if (given === undefined) return workflowsFolder(project);
  if (files) return path.resolve(project.folder, given);
  throw new NavigatorError("files_not_allowed", "Callers over HTTP cannot name files of the server's machine.", {
    hint: "Leave `path` out: the project's own folder is read.",
  });
}

export const CATALOG_TOOLS = [listCatalog, copyWorkflows, loadWorkflows, selectWorkflow];
