import { type ProgramEnd, programOf, replyTo } from "./compile-program";
import { asText, type Ending, planTurn } from "./compile-turn";
import type { Conversation, SuiteTool, UserTurn } from "./suite";

/** How a conversation is turned into programs. */
export interface Compiled {
  /** One mission each: a mission's tools are fixed when it starts, so another begins where the suite adds one. */
  missions: CompiledMission[];
  /** Calls that need a value out of an answer of the same turn. */
  dependent: number;
}

export interface CompiledMission {
  tools: string[];
  /** What the user says first, and the conversation before it. */
  prompt: string;
  turns: CompiledUserTurn[];
}

export interface CompiledUserTurn {
  /** Its number in the conversation, from 0. */
  turn: number;
  calls: number;
  programs: string[];
}

export interface CompileOptions {
  ending: Ending;
  /** The model sees all answers of a turn before it says something to the user: one more call for each turn that has calls. */
  worded: boolean;
}

const INSTRUCTIONS = `You serve a user. Do what each message asks for, print the answers, then say in :question what you have done:
(println (:value (tool/ask-person {:question "..." :choices ["next"]}))) gives the user's next message. End with (return ...) when the user has no more to say, or
when you lack a tool.`;

/** Programs for all turns of a conversation. */
export function compileConversation(
  { tools, turns }: Conversation,
  known: ReadonlyMap<string, SuiteTool>,
  { ending, worded }: CompileOptions,
): Compiled {
  const missions: CompiledMission[] = [];
  const isRead = (tool: string) => known.get(tool)?.isRead === true;
  let seen = "";
  let dependent = 0;
  let before = 0;
  turns.forEach((turn, index) => {
    if (index === 0 || turn.adds.length > 0) missions.push(missionFrom(tools, turns, index));
    const last = index === turns.length - 1 || (turns[index + 1] as UserTurn).adds.length > 0;
    seen = `${seen}\n${turn.says}`;
    const plan = planTurn(turn.calls, seen, ending);
    dependent += plan.dependent;
    const parts = worded || plan.programs.length === 0 ? [...plan.programs, []] : plan.programs;
    const programs = parts.map((calls, part) => {
      const end: ProgramEnd = part < parts.length - 1 ? "look" : last ? "return" : "ask";
      const program = programOf(calls, end, { isRead, before, reply: replyTo(turn.calls.length) });
      before += calls.length;
      return program;
    });
    (missions.at(-1) as CompiledMission).turns.push({ turn: index, calls: turn.calls.length, programs });
    seen = [seen, ...turn.calls.map(({ answer }) => asText(answer))].join("\n");
  });
  return { missions, dependent };
}

function missionFrom(tools: readonly string[], turns: readonly UserTurn[], index: number): CompiledMission {
  const added = turns.slice(0, index + 1).flatMap(({ adds }) => adds);
  const { says } = turns[index] as UserTurn;
  return {
    tools: [...new Set([...tools, ...added])],
    prompt: [INSTRUCTIONS, ...earlier(turns.slice(0, index)), `The user says: ${says}`].join("\n\n"),
    turns: [],
  };
}

/** What was said and answered in the mission before this one. */
const earlier = (turns: readonly UserTurn[]): string[] =>
  turns.map(({ says, calls }) =>
    [
      `Earlier the user said: ${says}`,
      ...calls.map(({ tool, args, answer }) => `You called ${tool} ${JSON.stringify(args)}: ${asText(answer)}`),
    ].join("\n"),
  );
