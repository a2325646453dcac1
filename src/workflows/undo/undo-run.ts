import {
  getExternalWorkflowHandle,
  isCancellation,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
} from "@temporalio/workflow";
import { defined } from "../../core/base/defined";
import type { Json } from "../../core/base/json";
import {
  type ContinuedUndo,
  readUndoInput,
  type UndoRunInput,
  type UndoRunResult,
} from "../../core/effects/undo/undo-input";
import type { UndoStep } from "../../core/effects/undo/undo-plan";
import { agreedPlan } from "../../core/effects/undo/undo-plan";
import { undoSteps } from "../../core/effects/undo/undo-steps";
import { undoPlanCalls } from "../activity-calls";
import { BlockedCalls } from "../blocked-calls";
import { checkedInput } from "../checked-input";
import { failedRun, valueOrReject } from "../failures";
import { historyIsLong, LONG_RUN_TASK_TIMEOUT_MS } from "../history-limits";
import * as messages from "../messages";
import { takeUnreadableSignals } from "../sdk/unreadable-signals";
import { undoOnWorker } from "./undo-effect";

/** So many effects are read from the histories of the mission at once: with their answers they fit into one payload. */
const PAGE = 50;

/**
 * Undoes the effects of a mission (effects reference, section 9). It makes exactly the plan with the agreed digest, one
 * effect after the other, the last one first. Its history shows the undone effects, so they survive the death of a
 * worker, and readers of the mission find them there.
 */
export async function undoRun(raw: UndoRunInput): Promise<UndoRunResult> {
  takeUnreadableSignals();
  const input = checkedInput<UndoRunInput>(raw, readUndoInput);
  const state = input.carried ?? (await agreedTo(input));
  const undo = new Undo(input, state);
  setHandler(messages.undoProgressQuery, () => undo.result());
  return undo.run();
}

/** The state at the beginning of the plan that was agreed to. */
async function agreedTo({ mission, to, digest }: UndoRunInput): Promise<ContinuedUndo> {
  const planned = await undoPlanCalls("read what was done").planUndo({ mission, ...defined({ to }) });
  const { keys, remaining } = valueOrReject(agreedPlan(mission, valueOrReject(planned), digest));
  return { next: keys, remaining, undone: [], failed: [], left: [] };
}

class Undo {
  private readonly blocked = new BlockedCalls(() => this.show());

  constructor(
    private readonly input: UndoRunInput,
    private readonly state: ContinuedUndo,
  ) {}

  result(): UndoRunResult {
    const { mission, to } = this.input;
    const { undone, failed, left, remaining } = this.state;
    return { mission, ...defined({ to }), undone, failed, left, remaining };
  }

  async run(): Promise<UndoRunResult> {
    const { state } = this;
    for (;;) {
      this.show();
      if (state.next.length === 0) break;
      await this.page(state.next.splice(0, PAGE));
      if (state.next.length > 0 && historyIsLong()) await this.continueAsNew();
    }
    const { failed } = state;
    const [first] = failed;
    if (first === undefined) return this.result();
    const message = `${failed.length} of ${failed.length + state.undone.length + state.left.length} effects could not be undone. The first: ${first.tool}: ${first.message}`;
    throw failedRun({ reason: "undo_failed", message }, this.result() as unknown as Json);
  }

  private async page(keys: string[]): Promise<void> {
    const { state } = this;
    const on_failure = this.input.on_failure ?? "stop";
    if (state.failed.length > 0 && on_failure === "stop") {
      state.left.push(...keys);
      return;
    }
    const calls = undoPlanCalls("read what is undone next");
    const { steps, running } = await calls.findUndoSteps({ mission: this.input.mission, keys });
    const found = new Set(steps.map(({ key }) => key));
    // The mission has undone it during that time.
    state.undone.push(...keys.filter((key) => !found.has(key)));
    const noted = async (step: UndoStep) => {
      state.undone.push(step.key);
      this.show();
      await Promise.all(running.map((run) => notify(run, step.key)));
    };
    const { failed, left } = await undoSteps(steps, (step) => undoOnWorker(this.blocked, step), on_failure, noted);
    state.failed.push(...failed);
    state.left.push(...left);
  }

  private show(): void {
    const { undone, failed, left, next, remaining } = this.state;
    const lines = [
      `Undo of ${this.input.mission}: ${undone.length} undone, ${next.length} to do.`,
      ...failed.map(({ tool, outcome, message }) => `- ${tool}: ${outcome}: ${message}`),
      ...(left.length === 0 ? [] : [`${left.length} were not tried after that.`]),
      ...(remaining.length === 0 ? [] : [`${remaining.length} cannot be undone.`]),
    ];
    setCurrentDetails(lines.join("\n\n"));
  }

  private async continueAsNew(): Promise<never> {
    const next: UndoRunInput = { ...this.input, carried: this.state };
    return makeContinueAsNewFunc<typeof undoRun>({ workflowTaskTimeout: LONG_RUN_TASK_TIMEOUT_MS })(next);
  }
}

/** A run that has ended needs no notification: readers of the mission find the undo. */
async function notify(run: string, key: string): Promise<void> {
  try {
    await getExternalWorkflowHandle(run).signal(messages.markUndoneSignal, { keys: [key] });
  } catch (error) {
    if (isCancellation(error)) throw error;
  }
}
