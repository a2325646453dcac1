import { CancelledFailure } from "@temporalio/common";
import { isCancellation } from "@temporalio/workflow";
import { type UsageMeter, usageOfReply } from "../../core/agent/budget/mission-usage";
import { conversationDelta, EMPTY_CONVERSATION } from "../../core/agent/run/conversation";
import type { AgentState } from "../../core/agent/run/run";
import { jsonBytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { failed, ok, type Result } from "../../core/base/failure";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import type { ModelReply, ModelRequest } from "../../core/calls/host";
import type { Conversation, ConversationDelta } from "../../core/calls/model-call";
import type { RunCallsInput, RunCallsResult } from "../../core/calls/run-calls";
import { blockedModelCalls, modelCalls } from "../activity-calls";
import { NotConfigured, notConfigured, unlessItFails } from "../blocked-calls";
import { modelCallFailure } from "../failures";
import type { CallParts } from "./call-parts";
import type { CallSequences, CallsPlace } from "./call-sequences";

/** The further fields that the model calls of a run need. */
interface ModelCallsOptions {
  sequences: CallSequences;
  /** Counts the usage of the run and the agents below it. */
  used: UsageMeter;
  /** Identifies the conversation across workers. */
  conversationKey: string;
  /** Model calls made by earlier runs of this workflow (continue-as-new). */
  callsMade: number;
  /** The same for the whole tree of agents. */
  treeCallsMade: number;
}

/** The model calls of a run: each sends the new part of the conversation (engine reference, section 13). */
export class AgentModelCalls {
  private sent: Conversation = EMPTY_CONVERSATION;
  private version = 0;
  /** The state of the run as it asks its model; undefined: no call is made after a reply. */
  state: (() => AgentState) | undefined;
  /** Model calls so far, of all runs of this workflow. */
  count: number;
  /** The same for the whole tree of agents. */
  treeCount: number;

  constructor(
    private readonly parts: CallParts,
    private readonly options: ModelCallsOptions,
  ) {
    this.count = options.callsMade;
    this.treeCount = options.treeCallsMade;
  }

  /** The conversation of the current model call, for a worker that does not have it in its cache. */
  conversation(): { version: number; conversation: Conversation; run?: CallSequences["asked"] } {
    return { version: this.version, conversation: this.sent, ...defined({ run: this.options.sequences.asked }) };
  }

  async call(request: ModelRequest): Promise<Result<ModelReply>> {
    const { system, messages } = request;
    const next = { system, messages };
    const conversation = conversationDelta(this.options.conversationKey, this.version, this.sent, next);
    const bytes = jsonBytes(conversation as unknown as Json);
    if (bytes > MAX_PAYLOAD_BYTES)
      return failed("llm_error", `The prompt grew by ${bytes} bytes in one turn; the limit is ${MAX_PAYLOAD_BYTES}.`, {
        bytes,
      });
    const { gate, cost, chain } = this.parts;
    const due = await gate.opened(request.deadline_ms);
    this.sent = next;
    this.version = conversation.version;
    this.count += 1;
    this.treeCount += 1;
    cost.answered();
    try {
      const answer = await this.served(request, conversation, due);
      chain.advanceClock();
      if (!answer.ok) return answer;
      const reply = answer.value.reply as ModelReply;
      this.options.used.add(usageOfReply(reply.tokens, reply.model ?? request.model));
      return ok(reply);
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (error instanceof NotConfigured) return notConfigured(error);
      return modelCallFailure(error);
    }
  }

  /** Asks the model, as soon as a worker has it. */
  private served(
    { system: _, messages: __, deadline_ms: ___, retry, ...rest }: ModelRequest,
    conversation: ConversationDelta,
    due: number | undefined,
  ): Promise<Result<RunCallsResult>> {
    const { pendingChanges, gate, chain, agent } = this.parts;
    const model = {
      ...rest,
      ...(retry === "brief" ? { retry } : {}),
      agent,
      call: this.count,
      ...(this.treeCount === this.count ? {} : { tree_call: this.treeCount }),
      conversation,
    };
    const asked = { turn: rest.turn, model, ...defined({ ledger_head: chain.headToSign() }) };
    const summary = `turn ${rest.turn}: model`;
    let last: CallsPlace | undefined;
    return gate.served<RunCallsResult>(due, {
      call: async (_, late) =>
        ok(
          await this.asked(late, (place, alone) => {
            last = place;
            const input: RunCallsInput = { ...place, ...asked };
            return modelCalls(summary, retry, alone).runCalls(input, ...pendingChanges.forCall());
          }),
        ),
      untilServed: (limit) => {
        const { run: _, kept: __, ...place } = last as CallsPlace;
        const input: RunCallsInput = { ...place, ...asked, blocked_ms: limit };
        return unlessItFails(async () => ok(await blockedModelCalls(summary).runCalls(input)));
      },
    });
  }

  private async asked(due: number | undefined, ask: Parameters<CallSequences["askModel"]>[2]): Promise<RunCallsResult> {
    // A run that shall continue as new does so before the next call.
    const state = this.parts.historyBudget.isUsed(0) ? undefined : this.state;
    try {
      return await this.options.sequences.askModel(state, due, ask);
    } catch (error) {
      // An activity that is asked to end may end in another way than by the cancellation.
      const isLate = due !== undefined && Date.now() >= due && !isCancellation(error);
      throw isLate ? new CancelledFailure("the time of the mission is over") : error;
    }
  }
}
