import type { Json } from "../../src/core/base/json";
import type { PlannedCall } from "./compile-turn";

/** Gold calls as PTC-Lisp: the programs that the scripted model answers with. */

export interface ProgramContext {
  isRead(tool: string): boolean;
  /** The number of calls of the conversation before this program: ids of tasks are unique in it. */
  before: number;
  /** What is said to the user. */
  reply: string;
}

/** How a program ends: it lets the model see its answers, waits for the user's next words, or ends the mission. */
export type ProgramEnd = "look" | "ask" | "return";

/** What the agent says to the user in a turn. Both sides of the comparison say the same. */
export const replyTo = (calls: number): string =>
  calls === 0 ? "I cannot do that yet: something that I need is missing." : "Done. What is next?";

/** The calls of one program, in order, and what it prints. */
export function programOf(calls: readonly PlannedCall[], end: ProgramEnd, context: ProgramContext): string {
  const { isRead, before, reply } = context;
  const written = calls.map((call, index) => callText(call, isRead(call.tool), before + index + 1));
  const isLinked = calls.some(({ passed }) => passed.size > 0);
  const values = isLinked ? written.map((_, index) => nameOf(index)) : written;
  const shown = values.length === 1 ? (values[0] as string) : `[${values.join(isLinked ? " " : "\n          ")}]`;
  const last = end === "return" ? `(return ${values.length === 0 ? JSON.stringify(reply) : shown})` : print(shown);
  const body = values.length === 0 && end !== "return" ? "" : last;
  const whole = isLinked
    ? `(let [${written.map((one, i) => `${nameOf(i)} ${one}`).join("\n      ")}]\n  ${body})`
    : body;
  return [whole, ...(end === "ask" ? [askText(reply)] : [])].filter((line) => line !== "").join("\n");
}

/** Waits for what the user says next, and shows it to the model. */
const askText = (reply: string): string =>
  `(println (:value (tool/ask-person {:question ${JSON.stringify(reply)} :choices ["next"]})))`;

const print = (shown: string): string => `(println ${shown})`;
const nameOf = (index: number): string => `a${index + 1}`;

/** A call with an effect is a journaled task. */
function callText({ tool, args, passed }: PlannedCall, isRead: boolean, number: number): string {
  const given = Object.entries(args).map(([name, value]) => `:${name} ${valueText(value as Json, passed)}`);
  const call = `(tool/${tool} {${given.join(" ")}})`;
  return isRead ? call : `(task "${tool}-${number}" ${call})`;
}

function valueText(value: Json, passed: PlannedCall["passed"]): string {
  if (typeof value === "string" || typeof value === "number") {
    const from = passed.get(value);
    if (from !== undefined) return from.field.reduce((inner, key) => fieldText(key, inner), nameOf(from.from));
  }
  if (value === null) return "nil";
  if (Array.isArray(value)) return `[${value.map((one) => valueText(one, passed)).join(" ")}]`;
  if (typeof value === "object")
    return `{${Object.entries(value)
      .map(([key, one]) => `${JSON.stringify(key)} ${valueText(one as Json, passed)}`)
      .join(" ")}}`;
  return JSON.stringify(value);
}

const fieldText = (key: string, inner: string): string =>
  /^[a-zA-Z][\w-]*$/.test(key) ? `(:${key} ${inner})` : `(get ${inner} ${JSON.stringify(key)})`;
