import type { AgentDefinition } from "../../src/core/agent/definition/definition";
import type { JsonObject } from "../../src/core/base/json";
import { defineAgent } from "../../src/project/authoring/define-agent";
import { program, type TestMission } from "../../src/testing/mission";
import type { Random } from "../frame/random";

/** A mission of many model calls; the text of each occurs nowhere else. */
export interface Talk {
  kind: string;
  agent: AgentDefinition;
  mission: TestMission;
  /** Marks, one in each of these texts. */
  marks: string[];
  /** Whether the prompt repeats these texts by its own rule: the checklist of a plan (agent reference, section 10.3). */
  repeats: boolean;
}

interface Kind {
  /** A program that contains `text`. */
  write(text: string, index: number): string;
  definition?: object;
  repeats?: true;
}

/** What grows in a conversation: each kind of mission has another part of it. */
const KINDS: { [kind: string]: Kind } = {
  prints: { write: (text) => `(println "${text}")` },
  definitions: { write: (text, index) => `(def d${index % 10} "${text}")` },
  records: { write: (text, index) => `(task "t${index}" (tool/echo {:v "${text}"}))` },
  tools: { write: (text) => `(tool/echo {:v "${text}"})` },
  mistakes: { write: (text) => `(undefined-yet "${text}")` },
  checklist: { write: (text, index) => `(step-done "s${index % 5}" "${text}")`, repeats: true },
};

/** The kinds of missions, in the order of their cases. */
export const TALKS = Object.keys(KINDS);

/** @param calls how often the model is called; the last answer ends the mission */
export function makeTalk(kind: string, calls: number, random: Random): Talk {
  const { write, repeats = false } = KINDS[kind] as Kind;
  const marks = random.list(calls - 1, (index) => `mark-${index}-${random.int(0, 999_999)};`);
  const script = marks.map((mark, index) => program(write(`${mark}${words(random)}`, index)));
  const plan = repeats ? random.list(5, (index) => [`s${index}`, `step ${index}`] as const) : [];
  return {
    kind,
    marks,
    repeats,
    agent: defineAgent("Talk for a while.", {
      name: "talker",
      tools: ["echo"],
      plan,
      max_turns: calls + 1,
      turn_budget: calls + 1,
    }),
    mission: {
      script: [...script, program("(return :done)")],
      tools: { echo: (args: JsonObject) => args },
    },
  };
}

const words = (random: Random): string =>
  random.list(random.int(20, 60), () => random.pick(["alpha", "bravo", "coda", "delta", "echo", "fox"])).join(" ");
