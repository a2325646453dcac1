import { defined } from "../core/base/defined";
import { isMission, undoWorkflowId, workflowIdIn } from "../core/base/ids";
import { isObject } from "../core/base/is-object";
import { isAbsent, NavigatorError, valueOrThrow } from "../core/base/navigator-error";
import { presentFormat } from "../core/base/run-format";
import type { UndoRunInput, UndoRunResult } from "../core/effects/undo/undo-input";
import type { UndoPlan } from "../core/effects/undo/undo-plan";
import type { OnUndoFailure } from "../core/effects/undo/undo-steps";
import { missionUndoPlan, runningRuns } from "../core/history/trace/undo-of-mission";
import type { undoRun } from "../workflows";
import { formatAttributes } from "../workflows/search-attributes";
import { intentOf } from "../workflows/start/intent";
import { workPriority } from "../workflows/start/priority";
import { ask } from "./errors";
import { endedResult } from "./handles";
import { missionHistories, type ReadingClient } from "./mission-tree";
import { takenOverBy } from "./retries";
import { startOnce } from "./start-once";

export type { UndoRunResult } from "../core/effects/undo/undo-input";

/** What of a mission is undone. */
export interface UndoOptions {
  /** Only what was done after this record: a task of a journal or of a plan, or a step of a graph. */
  to?: string;
}

/** How an undo runs. */
export interface RunUndo {
  /** When an effect cannot be taken back. `stop` (default): the earlier ones stay as they are. `continue`: they are undone. */
  on_failure?: OnUndoFailure;
  /** The person who asks for it: the effects and the log name this person. */
  by?: string;
}

/** The part of a client that undoes missions. */
interface UndoingClient extends ReadingClient {
  taskQueue: string;
}

/** The undo of a mission: what would be undone, and then the undoing itself. */
export class MissionUndo {
  constructor(
    private readonly client: UndoingClient,
    /** What would be undone now, the last effect first, and what would remain. */
    readonly plan: UndoPlan,
    /** The mission continues: it may do more during that time. */
    readonly isRunning: boolean,
    /** The workflow id of an undo of the mission that is under way; null = none is. */
    readonly underWay: string | null,
    private readonly number: number,
  ) {}

  /** The workflow id that the undo has, or that of the one under way. */
  get workflowId(): string {
    return this.underWay ?? undoWorkflowId(this.plan.mission, this.number);
  }

  /**
   * Undoes exactly this plan, and waits for the end. What could not be undone is in the result. A plan without steps
   * starts nothing.
   *
   * @throws NavigatorError `stale_version` when the mission has done something since the plan was made; `id_in_use` when
   *   another undo is under way
   */
  async run(options: RunUndo = {}): Promise<UndoRunResult> {
    const { plan } = this;
    const { mission, to, remaining } = plan;
    if (plan.steps.length === 0) return { mission, ...defined({ to }), undone: [], failed: [], left: [], remaining };
    await this.start(options);
    return this.result();
  }

  /** Starts the undo and returns. Workers do the rest. */
  async start({ on_failure = "stop", by }: RunUndo = {}): Promise<void> {
    const { mission, to, digest, steps } = this.plan;
    if (this.underWay !== null)
      throw new NavigatorError("id_in_use", `Another undo of ${mission} is under way: ${this.underWay}.`, {
        hint: "Wait for its end, then make a new plan.",
      });
    const asked = { mission, ...defined({ to }), digest, on_failure, ...defined({ by }) };
    const input: UndoRunInput = { ...presentFormat(), ...asked };
    await startOnce<typeof undoRun>(this.client.temporal, "undoRun", {
      workflowId: this.workflowId,
      taskQueue: this.client.taskQueue,
      ...defined({ priority: workPriority({}, this.client.project) }),
      args: [input],
      typedSearchAttributes: formatAttributes(input),
      staticSummary: `undo of ${mission}`,
      staticDetails: `${steps.length} effects`,
      named: { what: "undo", id: this.workflowId },
      intent: intentOf(asked),
      join: false,
    });
  }

  /** Waits for the end of the undo that was started, or that was under way. */
  result(): Promise<UndoRunResult> {
    const run = this.client.temporal.workflow.getHandle<typeof undoRun>(this.workflowId);
    return endedResult(run, (details): details is UndoRunResult => isObject(details) && Array.isArray(details.undone));
  }
}

/**
 * Reads what would be undone of a mission, from its histories: of running and closed missions, with no worker up.
 *
 * @param workflowId of what a user started: `agent/x`, `task/x`, `plan/x`
 */
export async function missionUndo(
  client: UndoingClient,
  workflowId: string,
  { to }: UndoOptions,
): Promise<MissionUndo> {
  const mission = workflowIdIn(client.project, workflowId);
  if (!isMission(mission))
    throw new NavigatorError(
      "invalid_id",
      `${workflowId} is not what somebody started: only whole missions are undone.`,
      {
        hint: "Name the run, task or plan that was started, as in agent/order-42. --to RECORD undoes a part of it.",
      },
    );
  const retry = await takenOverBy(client, mission);
  if (retry !== undefined)
    throw new NavigatorError("taken_over", `${retry} has taken over what ${mission} has done.`, {
      hint: `Undo that one: it has the effects of both.`,
      details: { retry },
    });
  const histories = await missionHistories(client, mission);
  const plan = valueOrThrow(missionUndoPlan(histories, to));
  const { number, underWay } = await nextUndo(client, mission);
  return new MissionUndo(client, plan, runningRuns(histories).includes(mission), underWay, number);
}

/** The number of the next undo, and the one before if it is under way. */
async function nextUndo(client: UndoingClient, mission: string): Promise<{ number: number; underWay: string | null }> {
  let underWay: string | null = null;
  for (let number = 1; ; number++) {
    const id = undoWorkflowId(mission, number);
    try {
      const { closeTime } = await ask(() => client.temporal.workflow.getHandle(id).describe());
      underWay = closeTime === undefined ? id : null;
    } catch (error) {
      if (isAbsent(error)) return { number, underWay };
      throw error;
    }
  }
}
