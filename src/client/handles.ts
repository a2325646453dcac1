import { randomUUID } from "node:crypto";
import type { Client, WorkflowHandle } from "@temporalio/client";
import type { UpdateDefinition } from "@temporalio/common";
import { historyToJSON } from "@temporalio/common/lib/proto-utils";
import { type Step, withTrace } from "../core/agent/result/step";
import type { Json, JsonObject } from "../core/base/json";
import { NavigatorError } from "../core/base/navigator-error";
import type { Definition } from "../core/graph/definition/schema";
import type { Advance, AdvanceAnswer, Task } from "../core/graph/task/task";
import type { JournalDecision } from "../core/journal/decision-input";
import { readHistory } from "../core/journal/history";
import { type Projection, projectJournal } from "../core/journal/project";
import type { RecordView } from "../core/journal/view";
import type { Decision, Review } from "../core/review/review";
import type { agentRun, navigatorTask } from "../workflows";
import type { AgentRunStatus } from "../workflows/agent-run-input";
import * as messages from "../workflows/messages";
import { askQuery } from "./ask-query";
import { ask, isAbsent } from "./errors";

/** What can be asked of and said to one mission or task. Errors are `NavigatorError`. */

/** Anything that asks people: a mission, a task. */
export class ReviewedHandle<T extends typeof agentRun | typeof navigatorTask = typeof agentRun | typeof navigatorTask> {
  constructor(
    readonly id: string,
    readonly workflow: WorkflowHandle<T>,
  ) {}

  reviews(): Promise<Review[]> {
    return askQuery(this.workflow, messages.reviewsQuery);
  }
  decide(decision: Decision): Promise<Review> {
    return ask(() => this.workflow.executeUpdate(messages.decide, { args: [decision] }));
  }
  /** The same as a plain Temporal signal: not answered; a bad one is counted, not refused. */
  signalDecide(decision: Decision): Promise<void> {
    return ask(() => this.workflow.signal(messages.decideSignal, decision));
  }
}

export class AgentHandle extends ReviewedHandle<typeof agentRun> {
  /** The final Step; waits for it as long as it takes. */
  async result(): Promise<Step> {
    const step = await ask(() => this.workflow.result());
    return withTrace(step);
  }
  status(): Promise<AgentRunStatus> {
    return askQuery(this.workflow, messages.statusQuery);
  }
  step(): Promise<Step> {
    return askQuery(this.workflow, messages.stepQuery);
  }
  journal(): Promise<RecordView[]> {
    return askQuery(this.workflow, messages.journalQuery);
  }
  wholeJournal(): Promise<JsonObject | null> {
    return askQuery(this.workflow, messages.wholeJournalQuery);
  }
  missionLog(): Promise<string> {
    return askQuery(this.workflow, messages.missionLogQuery);
  }
  progress(): Promise<string> {
    return askQuery(this.workflow, messages.progressQuery);
  }
  recordDecision(decision: JournalDecision): Promise<RecordView> {
    return ask(() => this.workflow.executeUpdate(messages.recordDecision, { args: [decision] }));
  }
  /** For senders that cannot wait for an answer: a bad decision is counted by the mission, not refused. */
  signalDecision(decision: JournalDecision): Promise<void> {
    return ask(() => this.workflow.signal(messages.recordDecisionSignal, decision));
  }
  async projection(): Promise<Projection> {
    return projectJournal(await exportHistory(this.workflow));
  }
}

export class TaskHandle extends ReviewedHandle<typeof navigatorTask> {
  result(): Promise<Task> {
    return ask(() => this.workflow.result());
  }
  show(): Promise<Task> {
    return askQuery(this.workflow, messages.taskQuery);
  }
  /** @throws NavigatorError `workflow_not_found`: the task was loaded before its workflow. */
  async definition(): Promise<Definition> {
    const definition = await askQuery(this.workflow, messages.definitionQuery);
    if (definition === null)
      throw new NavigatorError("workflow_not_found", `The workflow of task "${this.id}" is not loaded.`);
    return definition;
  }
  advance(step: Advance): Promise<AdvanceAnswer> {
    return this.update(messages.advance, [step]);
  }
  override decide(decision: Decision): Promise<Review> {
    return this.whileOpen(() => this.workflow.executeUpdate(messages.decide, { args: [decision] }));
  }
  /** As `signalDecide`. */
  signalDecision(decision: Decision): Promise<void> {
    return this.signalDecide(decision);
  }

  /** Any update of a task, by its definition in `workflows/messages`. */
  update<Ret, Args extends unknown[]>(definition: UpdateDefinition<Ret, Args>, args: Args): Promise<Ret> {
    const { workflow } = this;
    // One id however often `ask` has to send it: a move that happened after all is answered, not made again.
    const options = { args: args as never, updateId: randomUUID() };
    return this.whileOpen(() =>
      workflow.executeUpdate<Ret, [unknown, ...unknown[]]>(definition as never, options as never),
    );
  }

  /** A task that has ended takes no updates; the caller is told how it ended rather than that it is not there. */
  private async whileOpen<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await ask(call);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      const task = await this.show().catch(() => undefined);
      if (task === undefined) throw error;
      const { status, currentStep } = task;
      throw new NavigatorError("task_closed", `Task "${this.id}" has ended: ${status} at "${currentStep}".`, {
        details: { status, currentStep },
        cause: error,
      });
    }
  }
}

export async function exportHistory(handle: WorkflowHandle): Promise<Json> {
  return JSON.parse(historyToJSON(await ask(() => handle.fetchHistory()))) as Json;
}

/** The histories of all runs of a workflow that continued as new, oldest first; of any other, its only one. */
export async function exportRuns(temporal: Client, workflowId: string): Promise<Json[]> {
  const runs: Json[] = [];
  let runId: string | undefined;
  do {
    const history = await exportHistory(temporal.workflow.getHandle(workflowId, runId));
    runs.unshift(history);
    const before = readHistory(history)[0]?.attributes.continuedExecutionRunId;
    runId = typeof before === "string" && before !== "" ? before : undefined;
  } while (runId !== undefined);
  return runs;
}
