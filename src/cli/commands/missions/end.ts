import { workerAnswers } from "../../../client/ask-query";
import type { NavigatorClient } from "../../../client/client";
import { ask } from "../../../client/errors";
import { missionEnd } from "../../../client/history";
import { unknownFormatOf } from "../../../client/listing/mission-state";
import { type AskedEffects, readMissionEffects } from "../../../client/mission-effects";
import type { TerminatedTree } from "../../../client/terminate";
import { defined } from "../../../core/base/defined";
import { bareId, isTopTask, workflowIdIn } from "../../../core/base/ids";
import type { EffectEntry } from "../../../core/effects/entry";
import { undoStep } from "../../../core/effects/undo/undo-plan";
import { type WorkflowEnd, workflowEndText } from "../../../core/history/read/workflow-end";
import { countedNames } from "../../../core/history/trace/unknown-calls";
import { shellWord } from "../../../node/shell-word";
import { duration } from "../../input/arguments";
import { findMission } from "../../input/find-mission";
import { actorOfShell, BY_OPTION } from "../../session/actor";
import { withSession } from "../../session/session";
import { effectsText, underWayLines } from "../../show/render-effects";
import { required, type TopCommands } from "../../terminal/command";
import { confirm } from "../../terminal/confirm";
import type { CommandIo } from "../../terminal/io";
import type { Colors } from "../../terminal/render";

interface CancelOptions {
  note?: string;
  by?: string;
  wait: string;
}

interface TerminateOptions {
  reason: string;
  by?: string;
  yes?: boolean;
}

/** `navigator cancel` and `navigator terminate`. */
export const endCommands: TopCommands = {
  cancel: {
    options: [
      ["--note <text>", "why; it stands in the history"],
      BY_OPTION,
      ["--wait <time>", "how long to wait for its end; 0s: do not wait", "10s"],
    ],
    notes: `Its effects stay done. To see which of them can be undone: navigator undo ID --dry-run. A worker must be up for the end to come.`,
    examples: ["navigator cancel order-42 --note 'ordered twice'"],
    run: cancel,
  },
  terminate: {
    options: [required("--reason <text>", "why; it stands in the history"), BY_OPTION, ["--yes", "do not ask"]],
    notes: `All runs below it end, too. Nothing is cleaned up: a call that is under way may still happen, and its outcome is unknown. navigator undo works as after any end.`,
    examples: ["navigator terminate order-42 --reason 'stuck since the deploy' --yes"],
    run: terminate,
  },
};

/** The workflow that a command names. @throws NavigatorError `not_found` */
export const namedMission = (client: NavigatorClient, id: string): Promise<string> =>
  findMission(id, async (workflowId) => {
    const whole = workflowIdIn(client.project, workflowId);
    await ask(() => client.temporal.workflow.getHandle(whole).describe());
    return whole;
  });

/** The handle of anything that a user started. */
export const handleOf = (client: NavigatorClient, whole: string) =>
  isTopTask(whole) ? client.task(bareId("task", whole)) : client.reviewed(whole);

function cancel(io: CommandIo, id: string, options: CancelOptions): Promise<void> {
  const wait_ms = duration("--wait", options.wait);
  return withSession(io, "read", async ({ client }) => {
    const whole = await namedMission(client, id);
    const given = { by: await actorOfShell(io, options.by), note: options.note };
    await handleOf(client, whole).cancel(given);
    const { workflow } = client.reviewed(whole);
    // Both at once: a mission that ends makes the question needless.
    const [end, answers] = await Promise.all([
      endWithin(client, whole, wait_ms),
      wait_ms === 0 ? true : workerAnswers(workflow),
    ]);
    const run = end === null && !answers ? await workflow.describe() : undefined;
    const unknown = run === undefined ? null : unknownFormatOf(run);
    const shown = await readMissionEffects(client, whole);
    const no_worker =
      run === undefined
        ? undefined
        : { task_queue: run.taskQueue, ...defined({ unknown_format: unknown ?? undefined }) };
    const { effects, under_way } = shown;
    const answer = { workflow_id: whole, by: given.by, end, effects, under_way, ...defined({ no_worker }) };
    io.result(answer, () => cancelledText(shown, end, no_worker, io.color));
  });
}

/** The server knows of no wait for an end without a history: a cancelled mission ends within moments. */
async function endWithin(client: NavigatorClient, whole: string, wait_ms: number): Promise<WorkflowEnd | null> {
  const handle = client.temporal.workflow.getHandle(whole);
  for (const until = Date.now() + wait_ms; ; ) {
    const end = await missionEnd(handle);
    if (end !== null || Date.now() >= until) return end;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function terminate(io: CommandIo, id: string, options: TerminateOptions): Promise<void> {
  return withSession(io, "read", async ({ client }) => {
    const whole = await namedMission(client, id);
    if (!options.yes)
      await confirm(
        io,
        `This ends ${whole} and all runs below it at once, without asking them: ${MEANING}\nTerminate it?`,
        {
          message: `This ends ${whole} and all runs below it at once, without asking them. Nothing was ended.`,
          hint: `Add --yes to terminate it. To let it end in order: navigator cancel ${shellWord(whole)}`,
          details: { workflow_id: whole, meaning: MEANING },
        },
      );
    const given = { by: await actorOfShell(io, options.by), note: options.reason };
    const tree = await handleOf(client, whole).terminate(given);
    const shown = await readMissionEffects(client, whole);
    io.result({ workflow_id: whole, by: given.by, reason: options.reason, ...tree }, () =>
      terminatedText(shown, tree, io.color),
    );
  });
}

const MEANING = "nothing is cleaned up, and a call that is under way may still happen.";

const NOTHING = "It had done nothing to the world.";

/**
 * What a cancelled mission had done, and how to take it back, if anything of it can be.
 *
 * @param end null: it has not ended yet
 * @param silent the task queue of the mission, if no worker serves it, and what a worker there does not know of the mission
 */
function cancelledText(
  shown: AskedEffects,
  end: WorkflowEnd | null,
  silent: { task_queue: string; unknown_format?: string } | undefined,
  color: Colors,
): string {
  const { workflow_id, effects } = shown;
  const waits =
    silent === undefined
      ? "It has not ended yet: navigator list shows when it has."
      : silent.unknown_format === undefined
        ? `No worker runs: this acts when a worker of task queue "${silent.task_queue}" starts.`
        : `It has ${silent.unknown_format}: this acts when a worker that knows it serves task queue "${silent.task_queue}".`;
  const state =
    end === null
      ? color.yellow(`${workflow_id} is asked to stop. ${waits}`)
      : `${workflow_id} ${workflowEndText(end)}.`;
  const missing = underWayLines(shown, color);
  if (effects.length === 0) return [state, ...(missing.length === 0 ? [NOTHING] : missing)].join("\n");
  const back = takenBackText(workflow_id, effects);
  return [state, "", effectsText(shown, false, color), ...(back === "" ? [] : ["", back])].join("\n");
}

/** A mission that was terminated. */
function terminatedText(shown: AskedEffects, { ended, left }: TerminatedTree, color: Colors): string {
  const { workflow_id: workflowId, effects } = shown;
  const missing = underWayLines(shown, color);
  const back = takenBackText(workflowId, effects);
  return [
    `${workflowId} is terminated: ${MEANING}`,
    ...(ended.length === 0 ? [] : [`Ended with it: ${countedNames(ended)}`]),
    ...left.map(({ workflow_id, message }) =>
      color.red(`Still runs: ${message} End it with: navigator terminate ${shellWord(workflow_id)} --reason TEXT`),
    ),
    ...(effects.length > 0 ? [`Its effects: navigator effects ${shellWord(workflowId)}`] : []),
    ...(effects.length === 0 && missing.length === 0 ? [NOTHING] : missing),
    ...(back === "" ? [] : [back]),
  ].join("\n");
}

function takenBackText(workflowId: string, effects: readonly EffectEntry[]): string {
  const count = effects.filter((entry) => !("obstacle" in undoStep(entry))).length;
  if (count === 0) return "";
  const what = count === effects.length ? "it" : `${count} of ${effects.length}`;
  return `To take ${what} back: navigator undo ${shellWord(workflowId)}`;
}
