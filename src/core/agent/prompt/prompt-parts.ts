import { estimateTokens } from "../budget/token-counts";

/** A part of a prompt: its name, and how much of the prompt it is. */
interface PromptPart {
  /** The message: `system` or `user`; `schema` goes with them. */
  message: "system" | "user" | "schema";
  /** As in `language_reference`, `tools`, `data`, `mission`; `text` is what has no name. */
  name: string;
  chars: number;
  /** Estimated. The parts of a message add up to the estimate of the whole. */
  tokens: number;
}

/** Where a part begins: with a tag, or with a heading. */
const BEGIN =
  /^(?:<(role|language_reference|output_format|mission|mission_log|context_data|expected_output|task)>|;; === (tools|data)\/? ===|;; (No tools) available|# (Expected Output)|## (Progress)|# (Mission Log))/gm;

/** The parts of one message, in order. Together they are the whole text. */
export function promptParts(message: PromptPart["message"], text: string): PromptPart[] {
  const begins = [...text.matchAll(BEGIN)].map((match) => ({
    at: match.index,
    name: nameOf(match.slice(1).find((name) => name !== undefined) as string),
  }));
  const starts = begins[0]?.at === 0 ? begins : [{ at: 0, name: "text" }, ...begins];
  const parts = starts.map(({ at, name }, i) => {
    const end = starts[i + 1]?.at ?? text.length;
    const tokens = estimateTokens(text.slice(0, end)) - estimateTokens(text.slice(0, at));
    return { message, name, chars: end - at, tokens };
  });
  return parts.filter(({ chars }) => chars > 0);
}

const nameOf = (heading: string): string =>
  heading === "No tools" ? "tools" : heading.toLowerCase().replaceAll(" ", "_");
