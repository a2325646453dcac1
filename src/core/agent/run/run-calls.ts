import { type Failure, failed } from "../../base/failure";
import type { ToolCall } from "../../calls/host";
import type { Journal } from "../../journal/journal";
import type { OtherEffectQuestion } from "../../lisp/program";
import { UNDO } from "../../lisp/values/tool-values";
import { reviewRequest } from "../../review/kinds";
import { termsWith } from "../../review/policy/terms";
import type { Answered } from "../result/answered";
import type { Step } from "../result/step";
import { decidedOther } from "../tools/other-effect";
import { type Caller, callRunTool, placeInRun } from "./call-tool";
import type { StartedCall } from "./run-program";
import { warnEach } from "./state";

/** The tool calls of a run: their time limits, and the parts of their answers that the run keeps. */
export class RunCalls {
  /** A call found no worker with the parts that it needs. The run ends with this failure, even if its program handles it. */
  notConfigured: Failure | null = null;
  /** Runs of agents in this turn by the number of the call: the Step lists them in the order of the calls. */
  readonly children = new Map<number, Step>();
  /** The part of the host's blocked time by which the deadline was moved. */
  private blocked_ms = 0;

  constructor(private readonly run: Caller & { journal: Journal | null }) {}

  /** Makes a call. One in a parallel branch has the time limit of its branch. */
  async call(
    call: ToolCall,
    { parallel, since, person, alone }: Partial<Omit<StartedCall, "call">> = {},
  ): Promise<Answered> {
    const { limited, branch_ms } = this.limited(call, parallel, since);
    return this.noted(call, await callRunTool(this.run, limited, person, alone), branch_ms);
  }

  /** Asks a person about a recorded task that requests another effect. */
  async decideOther(
    { recorded, value }: OtherEffectQuestion,
    { call, person }: Pick<StartedCall, "call" | "person">,
  ): Promise<Answered> {
    const { host, input, state, tools } = this.run;
    this.moveDeadline();
    const deadline = state.deadline_ms ?? undefined;
    const spec = tools.get(call.name)?.spec ?? { name: call.name, effect: "write" };
    const before = { ...(recorded ? { call: recorded } : {}), value };
    const request = termsWith(input.agent.people, reviewRequest("other_effect", { tool: spec, call, before }));
    const decision = await person(() => host.requestReview(request, deadline, placeInRun(call)));
    return { answer: decision.ok ? decidedOther(call.name, decision.value) : decision };
  }

  /** Moves the deadline by the time that the run was blocked or paused: it does not count for the mission. */
  moveDeadline(): void {
    const { host, state } = this.run;
    const blocked = host.blockedMs?.() ?? 0;
    if (state.deadline_ms !== null) state.deadline_ms += blocked - this.blocked_ms;
    this.blocked_ms = blocked;
  }

  /** Adds the children of the turn to the run. */
  keepChildren(): void {
    if (this.children.size === 0) return;
    const steps = [...this.children].sort(([a], [b]) => a - b).map(([, step]) => step);
    this.run.state.child_steps = [...this.run.state.child_steps, ...steps];
    this.children.clear();
  }

  /** A call with its time limit. `branch_ms`: the limit of its branch, if that one is earlier. */
  private limited(call: ToolCall, parallel = false, since?: number): { limited: ToolCall; branch_ms: number | null } {
    const { host, state, input } = this.run;
    this.moveDeadline();
    const missionEnd = state.deadline_ms;
    const limit = parallel ? input.agent.pmap_timeout : null;
    const branchEnd = limit === null ? null : (since ?? host.now()) + limit;
    const deadline_ms = earlier(missionEnd, branchEnd);
    const pausedBefore = host.pausedMs?.() ?? 0;
    const limited = {
      ...call,
      ...(deadline_ms === null ? {} : { deadline_ms, ...(pausedBefore === 0 ? {} : { paused_ms: pausedBefore }) }),
      ...(parallel ? { parallel: true as const } : {}),
    };
    return { limited, branch_ms: deadline_ms === missionEnd ? null : limit };
  }

  /** @returns the answer as the program gets it */
  private noted(call: ToolCall, answered: Answered, branch_ms: number | null): Answered {
    const { state, journal } = this.run;
    if (answered.child) this.children.set(call.call, answered.child);
    for (const { code, message } of answered.warnings ?? []) warnEach(state, code, message);
    const approval = answered.notes?.approval;
    if (approval && call.task !== undefined) journal?.noteApproval(call.task, approval);
    if (answered.unrecorded !== undefined && call.task !== undefined)
      journal?.noteUnrecorded(call.task, answered.unrecorded);
    // Before the program continues: its next form may be the task that was undone.
    if (call.name === UNDO && answered.answer.ok) this.forget(String(call.args.task));
    if (answered.answer.ok) return answered;
    const { fail } = answered.answer;
    if (fail.reason === "configuration_error") this.notConfigured ??= fail;
    if (fail.reason !== "mission_timeout" || branch_ms === null) return answered;
    return { ...answered, answer: failed("timeout", `it took longer than the pmap_timeout of ${branch_ms} ms`) };
  }

  private forget(task: string): void {
    this.run.ledger.noteReset(task, true);
    this.run.journal?.reset(task);
  }
}

const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);
