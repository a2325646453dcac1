import { CancellationScope, isCancellation, workflowInfo } from "@temporalio/workflow";
import type { Tries } from "../../core/agent/sequence/call-sequence";
import { defined } from "../../core/base/defined";
import type { Result } from "../../core/base/failure";
import type { Json } from "../../core/base/json";
import type { CallToolInput } from "../../core/calls/activities";
import {
  BATCH_BYTES,
  BATCH_CALL_BYTES,
  batchSize,
  type CallsJournal,
  type ListedCall,
  type RunCallsResult,
} from "../../core/calls/run-calls";
import type { ToolSpec } from "../../core/calls/tool";
import type { ChainEnd } from "../../core/effects/chain/head";
import { callsSideBySide } from "../activity-calls";
import { lastHeartbeatOf, lostWorker } from "../failures";
import { nextRound } from "../sdk/next-round";
import type { CallParts } from "./call-parts";
import type { CallSequences } from "./call-sequences";

/** The outcome of a call in a batch. Without an answer the call is made alone; undefined: it was not tried. */
type MadeSideBySide = { answer: Result<Json> } | Tries | undefined;

interface WaitingCall {
  tool: ToolSpec;
  call: ListedCall;
  bytes: number;
  made(one: MadeSideBySide): void;
  failed(error: unknown): void;
}

/**
 * The batches of a run (engine reference, section 17): calls of one tool that are asked for at the same moment are made by few
 * activities.
 */
export class CallsSideBySide {
  private waiting: WaitingCall[] = [];
  /** The scope of the run: no call has a separate one. */
  private readonly scope = CancellationScope.current();

  constructor(
    private readonly parts: CallParts,
    private readonly sequences: CallSequences,
  ) {}

  /**
   * Makes a call together with the other calls that the program requests before the run waits.
   *
   * @param due when the call is late, ms since 1970
   * @param bytes size of its arguments: a replay computes the same size, even if a later version describes the call
   * differently
   */
  make(
    tool: ToolSpec,
    { owner: _, ...input }: CallToolInput,
    due: number | undefined,
    bytes: number,
  ): Promise<MadeSideBySide> {
    const call = { ...input, ...defined({ left_ms: due === undefined ? undefined : due - Date.now() }) };
    const made = new Promise<MadeSideBySide>((made, failed) => {
      this.waiting.push({ tool, call, bytes: bytes + BATCH_CALL_BYTES, made, failed });
    });
    if (this.waiting.length === 1) void this.scope.run(() => this.makeWaiting());
    return made;
  }

  private async makeWaiting(): Promise<void> {
    try {
      await nextRound();
    } catch (error) {
      for (const { failed } of this.waiting.splice(0)) failed(error);
      return;
    }
    await Promise.all(groupsOf(this.waiting.splice(0)).map((group) => this.makeGroup(group)));
  }

  /**
   * @param lost workers that these calls were lost with
   * @param headBefore of the chain, that those were to sign
   */
  private async makeGroup(group: readonly WaitingCall[], lost = 0, headBefore?: ChainEnd): Promise<void> {
    const [first] = group;
    const begun: MadeSideBySide = lost === 0 ? undefined : { attempts: lost, after_ms: 0 };
    if (group.length === 1) return first?.made(begun);
    this.parts.cost.answered();
    try {
      const asked = Date.now();
      const head = this.parts.chain.headToSign() ?? headBefore;
      const { made: answers, open = [], isLost } = await this.made(group, lost, head);
      this.parts.chain.advanceClock();
      const answered = new Map(answers.map(({ n, answer }) => [n, { answer }]));
      const tried = new Map(open.map(({ n, ...tries }) => [n, tries]));
      const left: WaitingCall[] = [];
      for (const [index, one] of group.entries()) {
        const made = answered.get(index + 1) ?? tried.get(index + 1);
        if (made === undefined && isLost) left.push(askedAgain(one, Date.now() - asked));
        else one.made(made ?? begun);
      }
      if (left.length > 0) await this.makeGroup(left, lost + 1, head);
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
  }

  /** The calls that the activity has made, also if it failed. */
  private async made(
    group: readonly WaitingCall[],
    lost: number,
    head: ChainEnd | undefined,
  ): Promise<Pick<RunCallsResult, "made" | "open"> & { isLost?: true }> {
    const { tool, call } = group[0] as WaitingCall;
    const { pendingChanges, owner, agent, gate } = this.parts;
    const calls = group.map((one) => one.call);
    const place = {
      n: this.sequences.number(),
      turn: call.turn,
      mission: workflowInfo().workflowId,
      agent,
      now: Date.now(),
      paused_ms: gate.standstill().paused_ms,
    };
    const tries = lost === 0 ? {} : { attempts_before: lost };
    const input = { ...place, calls, ...tries, ...defined({ ledger_head: head, owner }) };
    try {
      const summary = `turn ${call.turn}: ${group.length} calls of ${tool.name}`;
      const left = group.flatMap((one) => one.call.left_ms ?? []);
      const left_ms = left.length === 0 ? undefined : Math.min(...left);
      return await callsSideBySide(tool, summary, left_ms).runCalls(input, ...pendingChanges.forCall());
    } catch (error) {
      if (isCancellation(error)) throw error;
      const loss = lostWorker<CallsJournal>(error);
      const kept = loss ? loss.kept : lastHeartbeatOf<CallsJournal>(error);
      return { made: kept?.made ?? [], ...(loss ? { isLost: true } : {}) };
    }
  }
}

/** The call with the time that has passed while no worker had it. */
const askedAgain = ({ call, ...one }: WaitingCall, passed_ms: number): WaitingCall => ({
  ...one,
  call: { ...call, ...defined({ left_ms: call.left_ms === undefined ? undefined : call.left_ms - passed_ms }) },
});

/** Calls of one tool each, in the order in which they were asked for. */
function groupsOf(calls: readonly WaitingCall[]): WaitingCall[][] {
  const groups: WaitingCall[][] = [];
  const last = new Map<string, { group: WaitingCall[]; bytes: number }>();
  for (const one of calls) {
    const { tool, bytes } = one;
    const before = last.get(tool.name);
    const isFull = before === undefined || before.group.length >= (batchSize(tool) ?? 1);
    if (!isFull && before.bytes + bytes <= BATCH_BYTES) {
      before.group.push(one);
      before.bytes += bytes;
      continue;
    }
    const group = [one];
    groups.push(group);
    last.set(tool.name, { group, bytes });
  }
  return groups;
}
