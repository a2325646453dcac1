import { stepOf } from "../../src/core/agent/run/run";
import { failed, ok } from "../../src/core/base/failure";
import type { JsonObject } from "../../src/core/base/json";
import type { ModelCall } from "../../src/models";
import { MemoryHost, type MemoryTool } from "../../src/simulate/memory-host";
import type { ToolRegistry } from "../../src/tools";
import { agentRunInput } from "../../src/workflows/start/agent-input";
import type { CompiledMission } from "./compile";
import { agentOf, fencedProgram } from "./mission-agent";
import type { Part } from "./play-conversation";
import type { SuiteSession, UserTurn } from "./suite";
import { addTotals, NO_TOKENS, TokenMeter, type TokenTotals } from "./token-meter";

/**
 * Plays a conversation on the in-memory host: the code of the core that the workflow runs, without a server. It is how all conversations
 * of a suite are counted in a minute; the part `play` counts the same on Temporal, and must come to the same.
 */
export async function playInMemory(
  { conversation, compiled, agents }: Part,
  suite: SuiteSession,
  specs: ToolRegistry,
): Promise<{ problems: string[]; tokens: TokenTotals }> {
  const problems: string[] = [];
  let tokens = NO_TOKENS;
  for (const [at, mission] of compiled.missions.entries()) {
    const judged: Promise<string[]>[] = [];
    const order = mission.turns.flatMap(({ turn, programs }) => programs.map((program) => ({ turn, program })));
    const meter = new TokenMeter();
    let now = mission.turns[0]?.turn ?? 0;
    // A model call tells that the user has spoken: the bridge takes what it is asked in order, so the turn before is over there.
    const complete = async (call: ModelCall) => {
      const { turn, program } = order[call.call - 1] ?? { turn: now, program: NOTHING_LEFT };
      if (turn !== now) judged.push(suite.judge(now));
      now = turn;
      const content = fencedProgram(program);
      meter.add([call.system, ...call.messages.map((message) => message.content)], content);
      return { content, model: "scripted" };
    };
    const tool =
      (name: string): MemoryTool =>
      async (args: JsonObject) => {
        try {
          return ok(await suite.call(now, name, args));
        } catch (error) {
          problems.push(String(error));
          return failed("tool_error", String(error));
        }
      };
    const name = agents[at] as string;
    const host = new MemoryHost({
      model: { complete },
      tools: new Map(mission.tools.map((one) => [one, tool(one)])),
      agent: name,
      decisions: wordsOf(mission, conversation.turns),
    });
    const input = agentRunInput({ agent: agentOf(mission, name, specs), model: "scripted" });
    const { fail } = await stepOf(host.open(input));
    if (fail) problems.push(`${name}: ${fail.reason}: ${fail.message}`);
    judged.push(suite.judge(now));
    problems.push(...(await Promise.all(judged)).flat());
    tokens = addTotals(tokens, meter.totals);
  }
  problems.push(...(await suite.end()));
  return { problems: problems.map((problem) => `${conversation.id}: ${problem}`), tokens };
}

/** A program went wrong, so that there were more model calls than the solution has programs. */
const NOTHING_LEFT = '(fail {:reason :nothing_left :message "The solution has no further program."})';

/** What the user says after each turn of a mission but the last. */
const wordsOf = ({ turns }: CompiledMission, all: readonly UserTurn[]) =>
  turns.slice(1).map(({ turn }) => ({ choice: "next", value: (all[turn] as UserTurn).says, by: "user" }));
