import type { Json } from "../../base/json";

/** Extracts the JSON from a model's answer (agent reference, section 15). */
type ExtractedJson = { ok: true; value: Json } | { ok: false; problem: string };

const FENCE = /```(?:json)?[ \t]*\n([\s\S]*?)```/i;

/** A fenced block (tagged json or untagged), else the first object or list with its matching close. */
export function extractJson(answer: string): ExtractedJson {
  const fenced = FENCE.exec(answer)?.[1]?.trim();
  const text = fenced !== undefined && fenced !== "" ? fenced : (bracketed(answer) ?? answer.trim());
  if (text === "") return { ok: false, problem: "the answer has no JSON" };
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    const problem = /^[[{"]/.test(text)
      ? `the JSON is malformed: ${(error as Error).message}`
      : "the answer has no JSON";
    return { ok: false, problem };
  }
}

/** From the first `{` or `[` to the bracket that closes it; brackets in texts do not count. */
function bracketed(answer: string): string | undefined {
  const start = answer.search(/[[{]/);
  if (start < 0) return undefined;
  const open: string[] = [];
  let inText = false;
  for (let at = start; at < answer.length; at++) {
    const c = answer[at] as string;
    if (inText) {
      if (c === "\\") at += 1;
      else if (c === '"') inText = false;
    } else if (c === '"') inText = true;
    else if (c === "{" || c === "[") open.push(c === "{" ? "}" : "]");
    else if (c === "}" || c === "]") {
      if (open.pop() !== c) return answer.slice(start);
      if (open.length === 0) return answer.slice(start, at + 1);
    }
  }
  return answer.slice(start);
}
