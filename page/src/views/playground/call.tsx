import { useId, useState } from "preact/hooks";
import type { Json } from "../../../../src/core/base/json";
import type { CallToAnswer, GivenAnswer, PlaygroundCall } from "../../../../src/web/playground/playground-calls";
import { Value } from "../../parts/code";
import { durationText } from "../../parts/text";

const FROM_WORDS = {
  given: "a kept answer",
  stub: "your answer",
  sample: "a made-up answer",
  real: "the tool itself",
} as const;
const WHY_WORDS = {
  effect: "It has an effect, and waits for your word.",
  approval: "People must approve it: only a mission can make it. Give it an answer, or start a mission.",
  later: "Its answer would come from outside, later. Give it an answer.",
} as const;

/** One call, with its answer, which can be changed for the next run. */
export function Call({
  call,
  answerCall,
  answerTool,
}: {
  call: PlaygroundCall | CallToAnswer;
  answerCall: (answer: GivenAnswer) => void;
  answerTool: (tool: string, value: Json) => void;
}) {
  const { tool, args, effect } = call;
  const first = "from" in call ? (call.fail === undefined ? (call.ok ?? null) : null) : null;
  const [text, setText] = useState(JSON.stringify(first, null, 2));
  const id = useId();
  const read = readJson(text);
  return (
    <div class="call">
      <h4>
        <code>{tool}</code> <code class="value">{JSON.stringify(args)}</code>{" "}
        <span class="quiet">
          {effect === "read" ? "" : effect === "irreversible" ? "cannot be taken back; " : "changes something; "}
          {"from" in call ? `${FROM_WORDS[call.from]}, ${durationText(call.took_ms)}` : WHY_WORDS[call.why]}
        </span>
      </h4>
      {"from" in call && (call.fail === undefined ? <Value of={call.ok ?? null} /> : <p>{call.fail.message}</p>)}
      <details>
        <summary>Answer it yourself</summary>
        <div class="field">
          <label for={id}>Answer of {tool}, as JSON</label>
          <textarea
            id={id}
            rows={3}
            spellcheck={false}
            value={text}
            aria-invalid={"problem" in read}
            aria-describedby={`${id}-note`}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <p class="note" id={`${id}-note`}>
            {"problem" in read ? read.problem : "It counts when the program runs again."}
          </p>
        </div>
        <p class="row">
          <button
            type="button"
            disabled={"problem" in read}
            onClick={() => "value" in read && answerCall({ tool, args, ok: read.value })}
          >
            Use it for this call
          </button>
          <button
            type="button"
            disabled={"problem" in read}
            onClick={() => "value" in read && answerTool(tool, read.value)}
          >
            Use it for every call of {tool}
          </button>
        </p>
      </details>
    </div>
  );
}

function readJson(text: string): { value: Json } | { problem: string } {
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { problem: `it is no JSON: ${(error as Error).message}` };
  }
}
