import { failed, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import type { RunLedger } from "../../effects/run-ledger";
import { type UndoStep, undoStep } from "../../effects/undo/undo-plan";
import { undoSteps } from "../../effects/undo/undo-steps";

/** The part of a host that undoes. */
interface UndoHost {
  undoEffect?(step: UndoStep, because: string): Promise<Result<Json>>;
}

/**
 * `(undo "id")` (effects reference, section 9): takes back what the run did in a task, the last effect first, and answers
 * with the number of effects. All of them can be taken back, or none is: what is missing is known before the first one.
 */
export async function undoTask(host: UndoHost, ledger: RunLedger, { task }: JsonObject): Promise<Result<Json>> {
  const refuse = (message: string, code: string) => failed("tool_error", message, { tool: "undo", code });
  if (typeof task !== "string" || task === "") return refuse("undo takes the id of a task", "invalid_tool_args");
  if (host.undoEffect === undefined) return refuse("this run cannot undo anything", "no_undo");
  const steps: UndoStep[] = [];
  for (const entry of [...ledger.ofTask(task)].sort((a, b) => a.at - b.at).reverse()) {
    const step = undoStep(entry);
    if ("result" in step) steps.push(step);
    else if (step.obstacle !== "undone" && step.obstacle !== "not_done")
      return refuse(`task "${task}" cannot be undone, and nothing was: ${entry.tool}: ${step.why}`, "no_undo");
  }
  const undo = (step: UndoStep) =>
    (host as Required<UndoHost>).undoEffect(step, `(undo ${JSON.stringify(task)}) in a program`);
  const noted = ({ key }: UndoStep) => ledger.markUndone([key]);
  const { undone, failed: lost } = await undoSteps(steps, undo, "stop", noted);
  const [first] = lost;
  if (first === undefined) return ok(undone.length);
  const rest = `${undone.length} of ${steps.length} effects are undone, and the record stays`;
  const code = first.outcome === "unknown" ? "unknown_outcome" : "undo_failed";
  return refuse(`task "${task}" could not be undone: ${first.tool}: ${first.message}. ${rest}`, code);
}
