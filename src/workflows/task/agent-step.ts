import { CancellationScope, isCancellation, workflowInfo } from "@temporalio/workflow";
import type { AgentDefinition } from "../../core/agent/definition/definition";
import { jsonBytes } from "../../core/base/bytes";
import { stepRunId } from "../../core/base/ids";
import type { Json, JsonObject } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import type { Definition, Node } from "../../core/graph/definition/schema";
import { outcomeOf } from "../../core/graph/task/outcome";
import { stepBrief } from "../../core/graph/task/step-brief";
import { escalationReview } from "../../core/review/task-reviews";
import { runAgentChild } from "../agent-child";
import type { AgentRunInput } from "../agent-run-input";
import type { Walk } from "./task-machine";

/** The agent that does a step: a child workflow whose return names the outcome. */
export class AgentStep {
  /** Workflow id of the one that runs now. */
  running: string | null = null;
  private scope: CancellationScope | null = null;

  constructor(private readonly walk: Walk) {}

  async run(node: Node, agent: AgentDefinition): Promise<void> {
    const { walk } = this;
    const step = walk.task.currentStep;
    const attempt = walk.work.begin(step);
    const { workflowId } = workflowInfo();
    const childId = stepRunId(workflowId, step, attempt);
    const input: AgentRunInput = {
      agent,
      context: this.context(walk.definition as Definition),
      journal: walk.work.journalOf(step),
      model: walk.input.model,
      idempotency_scope: walk.work.scope(workflowId, step),
    };
    const bytes = jsonBytes(input as unknown as Json);
    if (bytes > MAX_PAYLOAD_BYTES)
      return walk.reviews.ask(escalationReview, {
        why: `Its agent cannot be started: what it needs to know is ${bytes} bytes, the limit is ${MAX_PAYLOAD_BYTES}.`,
      });
    const before = walk.moves;
    this.running = childId;
    const scope = new CancellationScope();
    this.scope = scope;
    const summary = `${step}, attempt ${attempt}: agent ${agent.name ?? ""}`.trim();
    const child = { workflowId: childId, name: agent.name ?? step, summary };
    try {
      const result = await scope.run(() => runAgentChild(child, input));
      this.running = null;
      // The task was loaded anew or cancelled meanwhile: what the agent gave belongs to a life that is over.
      if (walk.moves !== before && this.scope !== scope) return;
      if (!result.ok) return await walk.take(outcomeOf(node, null, result.fail), false, "Its agent");
      const { journal, return: value, fail } = result.value;
      walk.work.keep(step, journal);
      await walk.take(outcomeOf(node, value, fail), fail === null, "Its agent");
    } catch (error) {
      // Only what the task itself gave up is swallowed.
      if (!isCancellation(error) || this.scope === scope) throw error;
    }
  }

  /** The agent that runs is not wanted any more. */
  cancel(): void {
    const { scope } = this;
    this.scope = null;
    this.running = null;
    scope?.cancel();
  }

  /** The task's context, which step this is, and what each step last gave. */
  private context(definition: Definition): JsonObject {
    const { task, input } = this.walk;
    const outputs = this.outputs();
    // A task that was started with a `step` of its own means that one.
    const context = { step: stepBrief(definition, task.currentStep), ...task.context };
    return Object.keys(outputs).length === 0 ? context : { ...context, steps: { ...input.outputs, ...outputs } };
  }

  /** What each step last gave, those before a fork included. */
  outputs(): JsonObject {
    const outputs: JsonObject = { ...this.walk.input.outputs };
    for (const entry of this.walk.task.history) if (entry.output !== undefined) outputs[entry.step] = entry.output;
    return outputs;
  }
}
