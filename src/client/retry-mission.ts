import type { QueryDefinition } from "@temporalio/client";
import type { Priority } from "@temporalio/common";
import { defined } from "../core/base/defined";
import { bareId, isMission, kindOf, type MissionKind, projectOf, workflowIdFor, workflowIdIn } from "../core/base/ids";
import { startableProject } from "../core/base/input/project";
import { isObject } from "../core/base/is-object";
import type { JsonObject } from "../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../core/base/limits";
import { isAbsent, NavigatorError } from "../core/base/navigator-error";
import { presentFormat } from "../core/base/run-format";
import type { EffectEntry } from "../core/effects/entry";
import type { GivenLedger } from "../core/effects/given-ledger";
import { readHistory, startedIn } from "../core/history/read/history";
import { historyEnd, type WorkflowEnd } from "../core/history/read/workflow-end";
import type { ActivityUnderWay } from "../core/history/trace/mission-effects";
import type { MissionHistories } from "../core/history/trace/read-mission";
import { packedRecords, takenEffects, takenPlan, takenRecords } from "../core/history/trace/takeover";
import { missionLedger, runningRuns } from "../core/history/trace/undo-of-mission";
import { type UnknownCalls, unknownCallLines, unknownCalls } from "../core/history/trace/unknown-calls";
import { givenJournal } from "../core/journal/given-journal";
import type { RetryOf } from "../core/journal/retry-of";
import { shellWord } from "../node/shell-word";
import type { agentRun, navigatorTask } from "../workflows";
import type { AgentRunInput } from "../workflows/agent-run-input";
import * as messages from "../workflows/messages";
import type { NavigatorTaskInput } from "../workflows/navigator-task-input";
import type { planRun } from "../workflows/plan/plan-run";
import type { PlanRetry, PlanRunInput } from "../workflows/plan-run-input";
import type { Intent } from "../workflows/start/intent";
import { workPriority } from "../workflows/start/priority";
import { startOfAgent, startOfPlan, startOfTask, type WorkStart } from "../workflows/start/work-start";
import { askQuerySoon } from "./ask-query";
import { missionHistories, type ReadingClient } from "./mission-tree";
import { newestTry, retryIntent } from "./retries";
import { startOnce } from "./start-once";

/** The part of a client that starts missions. */
interface StartingClient extends ReadingClient {
  taskQueue: string;
}

/** The mission that tries it again. */
export interface RetriedMission {
  /** Of the new mission. */
  workflow_id: string;
  /** false: an earlier retry still runs, or another call has started this one; nothing was started. */
  started: boolean;
  /** The mission that it takes over: the last try. */
  of: string;
  /** What it takes over; empty with `afresh`, and where nothing was started. */
  taken_over: TakenOver;
}

/** What of a mission that ended is not done again. */
export interface TakenOver {
  /** The ids of records of an agent's run, or of finished tasks of a plan. */
  tasks: string[];
  /** What was done, or may have been. */
  effects: Pick<EffectEntry, "key" | "tool" | "state">[];
  /** Records whose values are nowhere any more: their tasks run again, and are given the answers of their effects. */
  left_out: string[];
  /** What was under way when it ended: calls that it made and did not report are in no ledger, and may be made again. */
  under_way: ActivityUnderWay[];
}

/** How a retry is made. */
export interface RetryOptions {
  /** Who asks for it, and why; both stand in the history. */
  by?: string | undefined;
  note?: string | undefined;
  /** Who asks for it, as a principal. Only for a mission where nobody is known to have asked first: the first stays. */
  requested_by?: string | undefined;
  /** Takes nothing over: what the mission has done is done again. */
  afresh?: boolean | undefined;
  /** Starts also where nobody knows whether calls were made. */
  accept_unknown?: boolean | undefined;
  /** Receives what ended before anything is started, and may throw. */
  confirm?: ((ended: EndedMission) => Promise<void>) | undefined;
  /** Makes a task of the orchestrator's list, which has its place in the tree. Absent: such tasks are refused. */
  createTask?(task: JsonObject, drive: "agent" | "external", retry: TaskRetry): Promise<unknown>;
}

type TaskRetry = Partial<Pick<NavigatorTaskInput, "retry" | "effects" | "agents" | "model" | "requested_by">>;

const NOTHING: TakenOver = { tasks: [], effects: [], left_out: [], under_way: [] };

/** A mission that ended, and what a retry of it would take over or do again. */
export class EndedMission {
  constructor(
    private readonly client: StartingClient,
    readonly kind: MissionKind,
    private readonly histories: MissionHistories,
    private readonly next: string,
    readonly end: WorkflowEnd,
  ) {}

  /** Its workflow id: that of the last try. */
  get id(): string {
    return this.histories.workflow_id;
  }

  /** The effects that are done, and that a retry which takes nothing over makes once more. */
  done(): EffectEntry[] {
    return missionLedger(this.histories).filter(({ state, held_by }) => state === "done" && held_by === undefined);
  }

  /** The calls that nobody knows. */
  unknown(): UnknownCalls {
    return unknownCalls(this.histories);
  }

  /** @throws NavigatorError `confirmation_required` that names the calls that nobody knows */
  private refuseUnknown(): void {
    const unknown = this.unknown();
    const lines = unknownCallLines(unknown, this.id);
    if (lines.length === 0) return;
    throw new NavigatorError(
      "confirmation_required",
      [`"${this.id}" ended in the middle of calls.`, ...lines].join(" "),
      {
        hint: `See navigator effects ${shellWord(this.id)}. To accept it: --yes, in code and over HTTP \`accept_unknown: true\`.`,
        details: { ...unknown, path: this.id },
      },
    );
  }

  async retry(options: RetryOptions): Promise<RetriedMission> {
    const { client, kind, next, id, end } = this;
    const { by, note, requested_by, afresh = false, accept_unknown = false } = options;
    // The workflow of a task completes also where the task was cancelled.
    if (end.state === "completed" && kind !== "task" && !afresh)
      throw new NavigatorError("already_over", `"${id}" has succeeded: there is nothing to try again.`, {
        hint: "To do all of it once more, its effects too: --afresh, in code `afresh: true`.",
        details: { path: id, kind: "run" },
      });
    if (!afresh && !accept_unknown) this.refuseUnknown();
    const workflow_id = workflowIdFor(kind, next, client.project);
    const retryOf: RetryOf = { of: id, ...defined({ by, note }) };
    const started_with = this.input();
    // A retry by a colleague gives the first requester no vote.
    const input = { ...defined({ requested_by }), ...started_with, ...presentFormat() };
    const taken = afresh
      ? { fields: { retry: retryOf }, taken_over: NOTHING }
      : await this.taken(workflow_id, retryOf, input);
    const whole = { ...input, ...taken.fields };
    const bytes = Buffer.byteLength(JSON.stringify(whole));
    if (bytes > MAX_PAYLOAD_BYTES)
      throw new NavigatorError(
        "payload_too_large",
        `What "${id}" leaves to a retry is ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES}.`,
        { details: { bytes, limit: MAX_PAYLOAD_BYTES } },
      );
    const started = await START[kind](
      client,
      { id: next, priority: this.priority() },
      whole,
      retryIntent(id, afresh),
      options,
    );
    return { workflow_id, started, of: id, taken_over: started ? taken.taken_over : NOTHING };
  }

  /** What its first run was started with, without what that had taken over. */
  private input(): JsonObject {
    const input = startedIn(this.histories.runs[0])?.input;
    if (input !== undefined) {
      const { effects: _, retry: __, ...asked } = input;
      return asked;
    }
    throw new NavigatorError("not_found", `The server does not have the start of "${this.id}" any more.`, {
      hint: "Check its effects in the systems that its tools called, and start another mission.",
      details: { path: this.id, kind: "history" },
    });
  }

  /** Its share of the workers. An empty one has all defaults. */
  private priority(): Priority | undefined {
    const priority = startedIn(this.histories.runs[0])?.priority;
    return isObject(priority) ? (priority as Priority) : workPriority({}, this.client.project);
  }

  /** What the retry is given besides the input. */
  private async taken(
    workflow_id: string,
    retryOf: RetryOf,
    input: JsonObject,
  ): Promise<{ fields: Taken; taken_over: TakenOver }> {
    const { kind, histories } = this;
    const prepared = (more: Partial<PlanRetry>, tasks: string[], left_out: string[] = []) => {
      const { effects, given } = takenEffects(histories, workflow_id, kind === "plan" ? tasks : []);
      const shown = effects.filter(({ state }) => state === "done" || state === "unknown");
      const names = shown.map(({ key, tool, state }) => ({ key, tool, state }));
      const fields = { retry: { ...retryOf, ...more }, effects: given };
      return { fields, taken_over: { tasks, effects: names, left_out, under_way: this.unknown().under_way } };
    };
    if (kind === "task") return prepared({}, []);
    if (kind === "plan") {
      const taken = takenPlan(histories, (await this.asked(messages.planResultsQuery)) ?? undefined);
      // Without a plan the planner makes another one: the ids of its tasks may mean something else.
      const results = taken.plan === undefined && (input.plan ?? null) === null ? {} : taken.results;
      return prepared({ taken: { ...taken, results } }, Object.keys(results));
    }
    const records = await this.asked(messages.recordsQuery);
    if (records === null || !hasJournal(input)) return prepared({}, []);
    const taken = takenRecords(histories, records);
    return prepared(
      { records: packedRecords(taken.records) },
      taken.records.map(({ id }) => id),
      taken.left_out,
    );
  }

  /** A worker replays the history for it; undefined: none does, or the workflow cannot be replayed any more. */
  private async asked<T>(query: QueryDefinition<T>): Promise<T | undefined> {
    const handle = this.client.temporal.workflow.getHandle(this.id);
    try {
      return await askQuerySoon(handle, query);
    } catch (error) {
      if (error instanceof NavigatorError) return undefined;
      throw error;
    }
  }
}

/**
 * Finds what a retry of a mission continues: its last try.
 *
 * @param workflowId of what a user started: `agent/x`, `task/x`, `plan/x`
 * @returns what ended; or the workflow id of an earlier retry that still runs
 * @throws NavigatorError `not_found`, `wrong_kind`, `still_running`
 */
async function endedMission(client: StartingClient, workflowId: string): Promise<EndedMission | string> {
  startableProject(client.project);
  const whole = workflowIdIn(client.project, workflowId);
  const kind = kindOf(whole);
  if (projectOf(whole) !== client.project)
    throw new NavigatorError("not_found", `"${whole}" belongs to another project, and is tried again there.`, {
      hint: "Name the project: --project NAME",
      details: { path: whole, kind: "run" },
    });
  if (kind === undefined || !isMission(whole))
    throw new NavigatorError(
      "wrong_kind",
      `"${whole}" is a part of a mission: only a whole mission can be tried again.`,
    );
  const { last, next, isRunning } = await newestTry(client, kind, whole);
  if (isRunning && last === whole)
    throw new NavigatorError("still_running", `"${whole}" has not ended, so it is not tried again.`);
  if (isRunning) return last;
  const histories = await historiesOf(client, last);
  const end = historyEnd(readHistory(histories.runs.at(-1) ?? []));
  const below = runningRuns(histories).filter((id) => id !== last);
  if (end === null || below.length > 0)
    throw new NavigatorError("still_running", `"${below[0] ?? last}" has not ended, so "${last}" is not tried again.`, {
      details: { running: below },
    });
  if ((histories.undos ?? []).some(isOpen))
    throw new NavigatorError("still_running", `What "${last}" did is being undone: its retry starts after that.`);
  return new EndedMission(client, kind, histories, bareId(kind, next), end);
}

const isOpen = (history: unknown): boolean => {
  const facts = readHistory(history);
  return facts.length > 0 && historyEnd(facts) === null;
};

async function historiesOf(client: StartingClient, id: string): Promise<MissionHistories> {
  try {
    return await missionHistories(client, id);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    throw new NavigatorError("not_found", `The server does not have the history of "${id}" any more.`, {
      hint: "Check its effects in the systems that its tools called, and start another mission.",
      details: { path: id, kind: "history" },
    });
  }
}

/**
 * Tries an ended mission once more, with the same input and a new id. The new mission takes over the finished work of
 * the last try: its records or its results, and its effects (effects reference, section 11). While a retry runs, no
 * second one is started.
 *
 * @param workflowId of what a user started: `agent/x`, `task/x`, `plan/x`
 * @throws NavigatorError as `endedMission`, and `already_over`, `payload_too_large`, `confirmation_required`
 */
export async function retryMission(
  client: StartingClient,
  workflowId: string,
  options: RetryOptions = {},
): Promise<RetriedMission> {
  const ended = await endedMission(client, workflowId);
  if (typeof ended !== "string") {
    await options.confirm?.(ended);
    return ended.retry(options);
  }
  return { workflow_id: ended, started: false, of: workflowIdIn(client.project, workflowId), taken_over: NOTHING };
}

/** Whether a run has a journal, from its input: a run that a plain client started may lack this field. */
function hasJournal(input: JsonObject): boolean {
  const { agent, context, journal } = input as unknown as AgentRunInput;
  return !("journal" in input) || givenJournal({ agent, context: context ?? {}, journal }).journal !== null;
}

/** What the input of a retry has besides what was asked for. */
interface Taken {
  retry: PlanRetry;
  effects?: GivenLedger;
}

interface NewMission {
  id: string;
  priority: Priority | undefined;
}

type Start = (
  client: StartingClient,
  mission: NewMission,
  input: object,
  retry: Intent,
  options: RetryOptions,
) => Promise<boolean>;

const START: { readonly [kind in MissionKind]: Start } = {
  agent: (client, mission, raw, retry) => {
    const { owner: _, ...input } = raw as unknown as AgentRunInput;
    // Who tries it again, and with what, makes it no other retry: the second of two at the same time finds the first.
    const { effects: __, retry: ___, ...asked } = input;
    const start: WorkStart<AgentRunInput> = { ...startOfAgent(mission.id, client.project, asked), args: [input] };
    return startOnce<typeof agentRun>(client.temporal, "agentRun", asRetry(client, start, mission, retry));
  },
  task: async (client, mission, raw, retry, { createTask }) => {
    const { id } = mission;
    const { order, ...given } = raw as unknown as NavigatorTaskInput;
    const now = Date.now();
    const task = { ...given.task, id, createdAt: now, updatedAt: now };
    if (order !== undefined) {
      if (createTask === undefined)
        throw new NavigatorError("wrong_kind", `"${id}" is a task of a list: the service of the list tries it again.`, {
          hint: "From the command line: navigator retry ID",
        });
      const { effects, retry: tried, agents, model, requested_by } = given;
      try {
        await createTask(
          task as unknown as JsonObject,
          given.drive ?? "agent",
          defined({ effects, retry: tried, agents, model, requested_by }),
        );
        return true;
      } catch (error) {
        if (error instanceof NavigatorError && error.code === "already_exists") return false;
        throw error;
      }
    }
    const start = startOfTask(client.project, { ...given, task });
    return startOnce<typeof navigatorTask>(client.temporal, "navigatorTask", asRetry(client, start, mission, retry));
  },
  plan: (client, mission, raw, retry) => {
    const start = startOfPlan(mission.id, client.project, raw as unknown as PlanRunInput);
    return startOnce<typeof planRun>(client.temporal, "planRun", asRetry(client, start, mission, retry));
  },
};

/** A start with the share of the workers that the first try had. */
const asRetry = <Input>(
  { taskQueue }: StartingClient,
  { priority: _, intent, ...start }: WorkStart<Input>,
  { priority }: NewMission,
  retry: Intent,
) => ({ ...start, taskQueue, join: false, ...defined({ priority }), intent: { ...intent, ...retry } });
