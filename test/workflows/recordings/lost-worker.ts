import { Context } from "@temporalio/activity";
import { RunningCalls } from "../../../src/activities/running-calls/running-calls";
import { releaseLostCalls } from "../../../src/worker/lost-work/release-lost-calls";

let restore: (() => void) | undefined;

/**
 * For the server, the worker of the tool that calls this is lost: its activity is given back, as by the next worker of a killed one. From
 * now on the workers of this file do not know the calls of earlier attempts, as another process does not.
 */
export async function loseWorker(): Promise<void> {
  forgetCalls();
  const { client, info } = Context.current();
  const { workflowId = "", runId = "" } = info.workflowExecution ?? {};
  const { activityId: id, attempt, base64TaskToken: token, namespace } = info;
  await releaseLostCalls({ connection: client.connection, namespace, namespaceId: "" }, [
    { workflow_id: workflowId, run_id: runId, began: Date.now(), activity: { id, attempt, token } },
  ]);
}

/** The workers of this file do not know the calls of earlier attempts any more. @returns what ends that */
export function forgetCalls(): () => void {
  if (restore !== undefined) return restore;
  const { run } = RunningCalls.prototype;
  const spy = jest.spyOn(RunningCalls.prototype, "run").mockImplementation(function (
    this: RunningCalls,
    attempt,
    make,
  ) {
    return run.call(this, { ...attempt, isRepeat: false }, make) as never;
  });
  restore = () => {
    spy.mockRestore();
    restore = undefined;
  };
  return restore;
}
