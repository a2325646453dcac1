import { isCancellation, sleep } from "@temporalio/workflow";
import type { Tries } from "../../core/agent/sequence/call-sequence";
import { jsonBytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { failed, ok, type Result } from "../../core/base/failure";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import type { CallToolInput } from "../../core/calls/activities";
import { callInput } from "../../core/calls/call-input";
import type { EffectLookup, KeyedCall } from "../../core/calls/host";
import { type CallPlan, planCall } from "../../core/calls/plan-call";
import type { MadeCall } from "../../core/calls/run-calls";
import type { ToolSpec } from "../../core/calls/tool";
import { attemptPolicy, delayAfter } from "../../core/calls/tool-attempts";
import { blockedToolCalls, localCalls, lookUpCalls, toolCalls, versionCalls } from "../activity-calls";
import { NotConfigured, notConfigured, unlessItFails } from "../blocked-calls";
import { rootCause, toolCallFailure } from "../failures";
import type { CallParts } from "./call-parts";
import type { CallSequences } from "./call-sequences";
import type { CallsSideBySide } from "./calls-side-by-side";

/** The tool calls of a run (engine reference, section 16): an answer that an activity has, a call side by side, a local read, or alone. */
export class AgentToolCalls {
  constructor(
    private readonly parts: CallParts,
    private readonly sequences: CallSequences,
    private readonly sideBySide: CallsSideBySide,
  ) {}

  async call(call: KeyedCall): Promise<Result<Json>> {
    const tool = this.parts.tools.get(call.name);
    if (!tool)
      return failed(
        "tool_not_found",
        `Unknown tool: ${call.name}. Available tools: ${[...this.parts.tools.keys()].join(", ")}`,
      );
    const bytes = jsonBytes(call.args);
    if (bytes > MAX_PAYLOAD_BYTES)
      return failed(
        "tool_error",
        `the arguments are ${bytes} bytes; the limit is ${MAX_PAYLOAD_BYTES}. Pass a reference instead.`,
        {
          code: "payload_too_large",
          bytes,
        },
      );
    const { gate, historyBudget } = this.parts;
    const { sequences } = this;
    const made = await sequences.answer({ name: call.name, idempotency_key: call.key });
    if (made !== undefined) return this.madeBySequence(tool, call, made);
    const closed = gate.closed();
    if (closed !== undefined) await closed;
    const tried = sequences.madeAlone();
    try {
      const answer = await this.makeCall(tool, call, bytes, tried);
      historyBudget.note(bytes + (answer.ok ? jsonBytes(answer.value) : 0));
      // Without the signature that may come with it.
      return answer.ok ? ok(answer.value) : { ok: false, fail: answer.fail };
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (error instanceof NotConfigured) return notConfigured(error);
      return toolCallFailure(call.name, error);
    }
  }

  private madeBySequence(tool: ToolSpec, call: KeyedCall, { began, at, answer }: MadeCall): Result<Json> {
    const { chain, historyBudget } = this.parts;
    chain.advanceTo(began);
    this.noteCall(tool, call);
    chain.advanceTo(at);
    historyBudget.note(jsonBytes(call.args) + jsonBytes(answer as unknown as Json));
    return answer;
  }

  private async makeCall(
    tool: ToolSpec,
    call: KeyedCall,
    bytes: number,
    tried: Tries | undefined,
  ): Promise<Result<Json>> {
    const { gate, chain, cost } = this.parts;
    const due = gate.due(call);
    const situation = {
      parallel: call.parallel === true,
      approved: call.approval !== undefined,
      late: due !== undefined && due <= Date.now(),
      blocked: false,
      tried: tried !== undefined,
    };
    const input = callInput(call, tool, this.parts);
    this.noteCall(tool, call);
    let tries = tried;
    if (planCall(tool, situation) === "side_by_side") {
      const made = await this.sideBySide.make(tool, input, due, bytes);
      if (made !== undefined && "answer" in made) {
        chain.advanceClock();
        return made.answer;
      }
      tries = made;
    }
    cost.answered();
    const plan = (blocked: boolean) => planCall(tool, { ...situation, blocked, tried: true });
    const answer = await this.makeAlone(tool, call, input, tries, plan);
    if (plan(false) !== "local") chain.advanceClock();
    return answer;
  }

  private async makeAlone(
    tool: ToolSpec,
    call: KeyedCall,
    input: CallToolInput,
    tries: Tries | undefined,
    plan: (blocked: boolean) => CallPlan,
  ): Promise<Result<Json>> {
    const { gate, chain, pendingChanges, local } = this.parts;
    const summary = `${call.task === undefined ? `turn ${call.turn}` : `task ${call.task}`}: ${call.name}`;
    const wait_ms = tries === undefined ? 0 : (tries.after_ms ?? delayAfter(attemptPolicy(tool), tries.attempts));
    const alone = { ...input, ...defined({ attempts_before: tries?.attempts }) };
    const make = (blocked: boolean): Promise<Result<Json>> => {
      if (plan(blocked) === "local") return local(() => localCalls(tool, summary).callTool(alone));
      const head = defined({ ledger_head: chain.headToSign() });
      return toolCalls(tool, summary, tries?.attempts).callTool({ ...alone, ...head }, ...pendingChanges.forCall());
    };
    return gate.served(gate.due(call), {
      call: async (blocked) => {
        if (wait_ms !== 0 && !blocked) await sleep(wait_ms);
        return make(blocked);
      },
      untilServed: async (limit) => {
        const blocked = () => blockedToolCalls(tool, summary).callTool({ ...alone, blocked_ms: limit });
        // An irreversible call that has begun is not repeated.
        return tool.effect === "irreversible" ? { value: await blocked() } : unlessItFails(blocked);
      },
    });
  }

  /** A call with an effect begins: the next event has its link. */
  private noteCall(tool: ToolSpec, { name, args, key, turn, effect, approval }: KeyedCall): void {
    if (effect === undefined) return;
    this.parts.chain.effect({
      key,
      tool: name,
      effect: effect.kind,
      state: "intended",
      args,
      turn,
      ...(tool.approval ? { approval: true } : {}),
      ...defined({ by: effect.by, deed: effect.deed, review: approval?.review }),
    });
  }

  /** The answer is "unknown" if no worker has the tool any more, or if the tool fails. */
  async lookUp(call: KeyedCall): Promise<EffectLookup> {
    const tool = this.parts.tools.get(call.name);
    if (!tool) return { state: "unknown" };
    const input = callInput(call, tool, this.parts);
    const closed = this.parts.gate.closed();
    if (closed !== undefined) await closed;
    this.parts.cost.answered();
    try {
      const found = await lookUpCalls(tool, `look up ${call.name}`).lookUpEffect(input);
      return found.ok ? found.value : { state: "unknown", message: found.fail.message };
    } catch (error) {
      if (isCancellation(error)) throw error;
      return { state: "unknown", message: rootCause(error).message };
    }
  }

  /** If no worker has the tool, the agent's spec counts. */
  present(spec: ToolSpec, parallel = false): Promise<ToolSpec> {
    return this.parts
      .local(() => versionCalls(spec, parallel).describeTools([spec.name]))
      .then((found) => (found.ok ? (found.value[0] as ToolSpec) : spec))
      .catch((error: unknown) => {
        if (isCancellation(error)) throw error;
        return spec;
      });
  }
}
