import { uuid4 } from "@temporalio/workflow";
import { newBareId } from "../../core/base/ids";
import { checkedId } from "../../core/base/input/id-rule";
import type { PlanRunResult } from "../plan-run-input";
import { isFailedPlan } from "../start/kept-result";
import { type PlanToRun, planInput } from "../start/plan-input";
import { checkOptions, checkSize } from "../start/sendable";
import { startOfPlan } from "../start/work-start";
import {
  asFailure,
  type ChildWorkOptions,
  keptResult,
  projectOfChild,
  shareOfChild,
  startChildWork,
  withoutChildOptions,
} from "./child-work";

/** A plan, or a mission that the planner makes one for, and how it is started. */
export interface RunPlan extends PlanToRun, ChildWorkOptions {
  /** Run id, without `/`; the workflow id is `plan/<id>`. Default: a new one. */
  id?: string;
}

/**
 * Runs a plan as a child workflow of the workflow that calls, and gives its result. A failed plan is given, too: see
 * `status`.
 *
 * @throws ApplicationFailure, not to be tried again, with a code as its `type`: `invalid_plan` with every issue,
 *   `invalid_input`, `invalid_id`, `id_in_use`, `payload_too_large`
 */
export function runChildPlan(options: RunPlan): Promise<PlanRunResult> {
  return asFailure(async () => {
    const { child, rest } = withoutChildOptions(options);
    const { id: given = uuid4(), ...wanted } = rest;
    const project = projectOfChild(child);
    const id = checkedId("a plan", newBareId("plan", given, project));
    checkOptions("the plan", wanted.plan ?? null);
    checkOptions("the options", wanted.options ?? null);
    const input = planInput(wanted);
    checkSize("the input", input);
    const run = await startChildWork<PlanRunResult, unknown>(
      "planRun",
      startOfPlan(id, project, input, shareOfChild(child)),
      child,
    );
    return keptResult(() => run.result(), isFailedPlan);
  });
}
