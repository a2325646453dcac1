import { WithStartWorkflowOperation, WorkflowIdConflictPolicy } from "@temporalio/client";
import { definitionWorkflowId } from "../../core/base/ids";
import { startableProject } from "../../core/base/input/project";
import { isAbsent, NavigatorError, valueOrThrow } from "../../core/base/navigator-error";
import { parseDefinition } from "../../core/graph/definition/parse";
import type { Definition } from "../../core/graph/definition/schema";
import type { StoredVersion } from "../../core/graph/definition/stored";
import { executionPlan } from "../../core/graph/show/levels";
import { shellWord } from "../../node/shell-word";
import * as messages from "../../workflows/messages";
import { definitionAttributes } from "../../workflows/search-attributes";
import type { workflowDefinition } from "../../workflows/workflow-definition";
import { askQuery } from "../ask-query";
import type { NavigatorClient } from "../client";
import { ask } from "../errors";
import { Recent } from "./own-writes";
import type { LoadedWorkflow, Source, StoredWorkflow, WorkflowListing } from "./types";
import { DEFINITIONS, type Visibility } from "./visibility";

/** The loaded definitions: one workflow for each, which keeps its versions. */
export class Definitions {
  private readonly recent = new Recent<WorkflowListing & { at: number }>();

  constructor(
    private readonly client: NavigatorClient,
    private readonly visibility: Visibility,
  ) {}

  /** In order of loading. */
  async list(): Promise<WorkflowListing[]> {
    const found = new Map<string, WorkflowListing & { at: number }>();
    for (const { workflowId, memo, startTime } of await this.visibility.executions(DEFINITIONS)) {
      const listing = memo?.listing as WorkflowListing | undefined;
      if (listing) found.set(workflowId, { ...listing, at: startTime.getTime() });
    }
    for (const [id, own] of this.recent.all()) {
      const key = definitionWorkflowId(id, this.client.project);
      const listed = found.get(key);
      if (listed && listed.version >= own.version) this.recent.forget(id);
      else found.set(key, { ...own, at: listed?.at ?? own.at });
    }
    return [...found.values()].sort((a, b) => a.at - b.at).map(({ at: _, ...listing }) => listing);
  }

  /** @throws NavigatorError invalid_workflow, invalid_id, id_mismatch */
  async load(
    id: string | undefined,
    raw: unknown,
    source: Source,
  ): Promise<Omit<LoadedWorkflow, "warnings"> & { definition: Definition; warnings: LoadedWorkflow["warnings"] }> {
    startableProject(this.client.project);
    const loaded = await this.subflowsOf(raw);
    const { definition, warnings } = valueOrThrow(parseDefinition(raw, id, loaded));
    const { version, replaced } = await this.store(definition, source);
    const { stepCount } = executionPlan(definition);
    const { name, description } = definition;
    const listing = { id: definition.id, name, stepCount, version };
    this.recent.note(definition.id, { ...listing, description, source, at: Date.now() });
    return { ...listing, edgeCount: definition.edges.length, replaced, warnings, definition };
  }

  private store(definition: Definition, source: Source) {
    const startWorkflowOperation = new WithStartWorkflowOperation<typeof workflowDefinition>("workflowDefinition", {
      workflowId: definitionWorkflowId(definition.id, this.client.project),
      taskQueue: this.client.taskQueue,
      args: [{ id: definition.id }],
      typedSearchAttributes: definitionAttributes(definition.id),
      staticSummary: `definition ${definition.id}`,
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    });
    return ask(() =>
      this.client.temporal.workflow.executeUpdateWithStart(messages.loadDefinition, {
        startWorkflowOperation,
        args: [definition, source],
      }),
    );
  }

  /** The newest version, or the version with this number. @throws NavigatorError workflow_not_found, not_found */
  async get(id: string, version?: number): Promise<StoredWorkflow> {
    const found = await this.find(id, version);
    if (found) return found;
    const known = (await this.list()).map((one) => one.id);
    if (version !== undefined && known.includes(id))
      throw new NavigatorError("not_found", `Workflow "${id}" no longer has version ${version}.`, {
        hint: `List the versions: navigator workflow show ${shellWord(id)}`,
        details: { path: `${id} ${version}`, kind: "version" },
      });
    throw new NavigatorError("workflow_not_found", `Workflow "${id}" is not loaded.`, {
      hint:
        known.length === 0
          ? "Load it: load_workflow, or navigator workflow load FILE"
          : `Loaded: ${known.slice(0, 20).join(", ")}`,
      details: { workflowId: id },
    });
  }

  /** null: not loaded. */
  async find(id: string, version?: number): Promise<StoredVersion | null> {
    const handle = this.client.temporal.workflow.getHandle(definitionWorkflowId(id, this.client.project));
    try {
      return version === undefined
        ? await askQuery(handle, messages.newestQuery)
        : await askQuery(handle, messages.versionQuery, version);
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  /** The newest versions of several definitions, by id; those that are not loaded are missing. */
  async findAll(ids: Iterable<string>): Promise<Map<string, StoredVersion>> {
    const found = new Map<string, StoredVersion>();
    await Promise.all(
      [...new Set(ids)].map(async (id) => {
        const one = await this.find(id);
        if (one) found.set(id, one);
      }),
    );
    return found;
  }

  /** All definitions that a definition reaches through subflows, as far as they are loaded. */
  private async subflowsOf(raw: unknown): Promise<Map<string, Definition>> {
    const loaded = new Map<string, Definition>();
    let wanted = subflowIds(raw);
    while (wanted.length > 0) {
      const found = await this.findAll(wanted);
      for (const [id, { definition }] of found) loaded.set(id, definition);
      wanted = [...found.values()].flatMap(({ definition }) => subflowIds(definition)).filter((id) => !loaded.has(id));
    }
    return loaded;
  }
}

/** Reads a value that may be a definition. */
function subflowIds(raw: unknown): string[] {
  const nodes = (raw as { nodes?: unknown } | null)?.nodes;
  if (typeof nodes !== "object" || nodes === null) return [];
  return Object.values(nodes).flatMap((node: { type?: unknown; workflow?: unknown } | null) =>
    node?.type === "subflow" && typeof node.workflow === "string" ? [node.workflow] : [],
  );
}
