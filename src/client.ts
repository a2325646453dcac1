import { randomUUID } from "node:crypto";
import {
  type Client,
  type WorkflowHandle,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  type WorkflowStartOptions,
} from "@temporalio/client";
import { historyToJSON } from "@temporalio/common/lib/proto-utils";
import { fromTemporalError, NavigatorError } from "./client-errors";
import type { AgentDefinition } from "./core/agent/definition";
import type { Step } from "./core/agent/step";
import { jsonBytes } from "./core/bytes";
import type { Definition } from "./core/graph/schema";
import type { Task } from "./core/graph/task";
import { type Projection, projectJournal } from "./core/journal/project";
import type { JournalRow } from "./core/journal/view";
import type { Json, JsonObject } from "./core/json";
import { MAX_PAYLOAD_BYTES } from "./core/limits";
import type { Decision, Review } from "./core/review/review";
import type { agentRun, navigatorTask } from "./workflows";
import type { AgentRunInput, AgentRunStatus } from "./workflows/agent-run-input";
import * as messages from "./workflows/messages";
import type { NavigatorTaskInput } from "./workflows/navigator-task-input";
import { agentAttributes, taskAttributes } from "./workflows/search-attributes";

export { NavigatorError };

/** How long a workflow task may take before another worker gets it: bounds what a killed worker costs. */
const WORKFLOW_TASK_TIMEOUT = "5s";

export interface StartAgent {
  /** Run id; the workflow id is `agent/<id>`. Starting the same id twice answers with the running one. */
  id?: string;
  agent: AgentDefinition;
  context?: JsonObject;
  /** `{}` when not given: a durable mission has a journal. null switches it off. */
  journal?: JsonObject | null;
  model: string;
  on_waiting?: "park" | "return";
  token_limit?: number | null;
}

export interface StartTask {
  task: Task;
  definition: Definition;
  /** Agents by name: a node whose `agent` is here runs as a child workflow. */
  agents?: { [name: string]: AgentDefinition };
  model: string;
}

/**
 * The typed way in. Sole owner of workflow ids, search attributes and start options.
 * Errors are `NavigatorError` with a `code` and, where one can do something about it, a `hint`.
 */
export class NavigatorClient {
  constructor(
    readonly temporal: Client,
    readonly taskQueue: string,
  ) {}

  async startAgent(options: StartAgent): Promise<AgentHandle> {
    const id = options.id ?? randomUUID();
    const input: AgentRunInput = {
      agent: options.agent,
      context: options.context ?? {},
      journal: options.journal === undefined ? {} : options.journal,
      model: options.model,
      on_waiting: options.on_waiting ?? "park",
      token_limit: options.token_limit ?? null,
    };
    refuseTooLarge(input as unknown as Json);
    const name = options.agent.name ?? "agent";
    await this.start<typeof agentRun>("agentRun", agentWorkflowId(id), [input], {
      typedSearchAttributes: agentAttributes({ agent: name }),
      staticSummary: `agent ${name}`,
      staticDetails: options.agent.description ?? "",
    });
    return this.agent(id);
  }

  /** A handle on a run by its run id or its whole workflow id (children of tasks have long ones). */
  agent(id: string): AgentHandle {
    return new AgentHandle(id, this.temporal.workflow.getHandle<typeof agentRun>(agentWorkflowId(id)));
  }

  async startTask(options: StartTask): Promise<TaskHandle> {
    const { task } = options;
    const input: NavigatorTaskInput = {
      task,
      definition: options.definition,
      agents: options.agents ?? {},
      model: options.model,
    };
    refuseTooLarge(input as unknown as Json);
    await this.start<typeof navigatorTask>("navigatorTask", taskWorkflowId(task.id), [input], {
      typedSearchAttributes: taskAttributes(task),
      staticSummary: `task ${task.id} on ${task.workflowType}`,
      staticDetails: options.definition.description ?? "",
    });
    return this.task(task.id);
  }

  task(id: string): TaskHandle {
    return new TaskHandle(id, this.temporal.workflow.getHandle<typeof navigatorTask>(taskWorkflowId(id)));
  }

  /**
   * Reviews that wait for a person. Visibility is eventually consistent, so each workflow it names is asked itself.
   * `task` restricts the answer to one task.
   */
  async openReviews(filter: { task?: string } = {}): Promise<{ workflow_id: string; review: Review }[]> {
    const ids: string[] = [];
    if (filter.task !== undefined) ids.push(taskWorkflowId(filter.task));
    else
      for await (const info of this.temporal.workflow.list({
        query: `NavigatorOpenReviews > 0 AND ExecutionStatus = "Running"`,
      }))
        ids.push(info.workflowId);
    const found: { workflow_id: string; review: Review }[] = [];
    for (const workflow_id of ids) {
      const reviews = await ask(() => this.temporal.workflow.getHandle(workflow_id).query(messages.reviewsQuery));
      for (const review of reviews) if (review.status === "open") found.push({ workflow_id, review });
    }
    return found;
  }

  /** The history of any workflow, as exported JSON. */
  async history(workflowId: string): Promise<Json> {
    return exportHistory(this.temporal.workflow.getHandle(workflowId));
  }

  private async start<T extends typeof agentRun | typeof navigatorTask>(
    type: string,
    workflowId: string,
    args: Parameters<T>,
    options: Pick<WorkflowStartOptions, "typedSearchAttributes" | "staticSummary" | "staticDetails">,
  ): Promise<void> {
    await ask(() =>
      this.temporal.workflow.start(type, {
        workflowId,
        args: args as unknown[],
        taskQueue: this.taskQueue,
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        // The same id is the same work: a second start answers with what is there, running or done.
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        ...options,
      }),
    );
  }
}

export class AgentHandle {
  constructor(
    readonly id: string,
    readonly workflow: WorkflowHandle<typeof agentRun>,
  ) {}

  /** The final Step; waits for it as long as it takes. */
  result(): Promise<Step> {
    return ask(() => this.workflow.result());
  }
  status(): Promise<AgentRunStatus> {
    return ask(() => this.workflow.query(messages.statusQuery));
  }
  step(): Promise<Step> {
    return ask(() => this.workflow.query(messages.stepQuery));
  }
  journal(): Promise<JournalRow[]> {
    return ask(() => this.workflow.query(messages.journalQuery));
  }
  wholeJournal(): Promise<JsonObject | null> {
    return ask(() => this.workflow.query(messages.wholeJournalQuery));
  }
  missionLog(): Promise<string> {
    return ask(() => this.workflow.query(messages.missionLogQuery));
  }
  progress(): Promise<string> {
    return ask(() => this.workflow.query(messages.progressQuery));
  }
  recordDecision(decision: messages.JournalDecision): Promise<JournalRow> {
    return ask(() => this.workflow.executeUpdate(messages.recordDecision, { args: [decision] }));
  }
  /** For senders that cannot wait for an answer: a bad decision is counted by the mission, not refused. */
  signalDecision(decision: messages.JournalDecision): Promise<void> {
    return ask(() => this.workflow.signal(messages.recordDecisionSignal, decision));
  }
  async projection(): Promise<Projection> {
    return projectJournal(await exportHistory(this.workflow));
  }
}

export class TaskHandle {
  constructor(
    readonly id: string,
    readonly workflow: WorkflowHandle<typeof navigatorTask>,
  ) {}

  result(): Promise<Task> {
    return ask(() => this.workflow.result());
  }
  show(): Promise<Task> {
    return ask(() => this.workflow.query(messages.taskQuery));
  }
  definition(): Promise<Definition> {
    return ask(() => this.workflow.query(messages.definitionQuery));
  }
  reviews(): Promise<Review[]> {
    return ask(() => this.workflow.query(messages.reviewsQuery));
  }
  advance(step: messages.Advance): Promise<Json> {
    return ask(() => this.workflow.executeUpdate(messages.advance, { args: [step] }));
  }
  decide(decision: Decision): Promise<Review> {
    return ask(() => this.workflow.executeUpdate(messages.decide, { args: [decision] }));
  }
  /** The same as a plain Temporal signal: not answered; a bad one is counted by the task, not refused. */
  signalDecision(decision: Decision): Promise<void> {
    return ask(() => this.workflow.signal(messages.decideSignal, decision));
  }
}

export function agentWorkflowId(id: string): string {
  return id.includes("/") ? id : `agent/${id}`;
}

export function taskWorkflowId(id: string): string {
  return id.startsWith("task/") ? id : `task/${id}`;
}

async function exportHistory(handle: WorkflowHandle): Promise<Json> {
  return JSON.parse(historyToJSON(await ask(() => handle.fetchHistory()))) as Json;
}

async function ask<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw fromTemporalError(error);
  }
}

function refuseTooLarge(input: Json): void {
  const bytes = jsonBytes(input);
  if (bytes > MAX_PAYLOAD_BYTES)
    throw new NavigatorError("payload_too_large", `The input is ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES}.`, {
      hint: "Pass a reference to large data (a path, a URL, a key) and let a tool read it.",
    });
}
