import { defined } from "../../base/defined";
import { bareId, isTask } from "../../base/ids";
import { joinLines } from "../../base/one-line";
import { shortened } from "../../base/whole-characters";
import type { MissionHistories } from "../trace/read-mission";
import { storyOf } from "../trace/story";

/** A call of a tool or an agent that failed, in short: it shows a person why work does not continue. */
export interface LastCallThatFailed {
  tool: string;
  /** The arguments as JSON, or their beginning. */
  args?: string;
  /** Why it failed, in one line, or the beginning of that. */
  message: string;
  /** The run that made the call. */
  workflow_id: string;
  turn: number;
  invocation: number;
  /** The task for which that run works. */
  task_id?: string;
}

/** Characters of the arguments and of the message. */
const ARGS_CHARS = 160;
const MESSAGE_CHARS = 400;
/** An attempt that found no worker with its tool has done nothing: the run waits for one, and reports this itself. */
const MISSING = "configuration_error: ";

/**
 * Finds the last call that failed, from the histories of a mission alone. What came later often began there: a program that
 * found nothing, or a model that was asked once too often.
 *
 * @param from the runs in which the work ended or waits: a call in one of them, or below it, stands before all others
 * @returns null if no call failed
 * @throws HistoryFormatError for what is no history
 */
export function lastFailedCall(mission: MissionHistories, from: readonly string[] = []): LastCallThatFailed | null {
  const found = failedCalls(mission, undefined, []);
  const near = found.filter(({ path }) => from.some((id) => path.includes(id)));
  return lastOf(near) ?? lastOf(found) ?? null;
}

/** A call that failed, when its turn began, and the runs from the mission down to the one that made it. */
interface Found {
  at: number;
  path: readonly string[];
  call: LastCallThatFailed;
}

/** The call of an agent stands before those that the agent made: its turn began first. */
const lastOf = (found: readonly Found[]): LastCallThatFailed | undefined =>
  [...found].sort((a, b) => a.at - b.at).at(-1)?.call;

function failedCalls(run: MissionHistories, taskAbove: string | undefined, above: readonly string[]): Found[] {
  const { workflow_id, children } = run;
  const path = [...above, workflow_id];
  const task_id = isTask(workflow_id) ? bareId("task", workflow_id) : taskAbove;
  const own = (storyOf(run.runs)?.turns ?? []).flatMap(({ number, invocation, at, calls }) =>
    calls.flatMap(({ name, args, error }): Found[] => {
      if (error === undefined || error.startsWith(MISSING)) return [];
      const call = {
        tool: name,
        message: shortened(joinLines(error), MESSAGE_CHARS),
        workflow_id,
        turn: number,
        invocation,
        ...defined({ args: args === undefined ? undefined : shortened(JSON.stringify(args), ARGS_CHARS), task_id }),
      };
      return [{ at, path, call }];
    }),
  );
  return [...own, ...children.flatMap((child) => failedCalls(child, task_id, path))];
}
