import { useEffect } from "preact/hooks";
import type { StreamedCall } from "../../../../src/core/history/stream/transcript";
import type { StoryCall } from "../../../../src/core/history/trace/story";
import { Program, Value } from "../../parts/code";
import { countText, durationText, moneyText } from "../../parts/text";
import { missionAddress } from "../../router";
import type { ShownTurn } from "./run";
import { ScrolledText } from "./scrolled-text";

/** The turns of an agent's run: what the model wrote, and what came of it. The one in the address is brought into view. */
export function Turns({ turns, failedTurn }: { turns: readonly ShownTurn[]; failedTurn?: number | undefined }) {
  useEffect(() => {
    const show = () => {
      const turn = location.hash.startsWith("#turn-") && document.getElementById(location.hash.slice(1));
      // After the focus has moved, which scrolls as well.
      if (turn) requestAnimationFrame(() => turn.scrollIntoView());
    };
    show();
    addEventListener("popstate", show);
    return () => removeEventListener("popstate", show);
  }, []);
  return (
    <ol class="turns">
      {turns.map((turn) => (
        <li key={`${turn.invocation}.${turn.number}`} id={`turn-${turn.invocation}.${turn.number}`}>
          <Turn turn={turn} isFailed={turn.number === failedTurn && turn === turns.at(-1)} />
        </li>
      ))}
    </ol>
  );
}

function Turn({ turn, isFailed }: { turn: ShownTurn; isFailed: boolean }) {
  const { number, invocation, recorded, calls } = turn;
  const last = calls.at(-1);
  const isWriting = last?.state === "open";
  const dropped = droppedTexts(calls);
  return (
    <article class={isFailed ? "panel turn turn-failed" : "panel turn"} aria-label={`Turn ${number}`}>
      <h3>
        Turn {number}
        {invocation > 1 && (
          <span class="quiet"> after {invocation === 2 ? "a decision" : `${invocation - 1} decisions`}</span>
        )}
      </h3>
      <TurnFacts turn={turn} />
      <Dropped texts={dropped} />
      {last !== undefined && last.text !== "" && recorded?.program === undefined && (
        <ModelText call={last} attempt={dropped.length + 1} />
      )}
      {isWriting && recorded?.program !== undefined && (
        <ModelText call={last as StreamedCall} attempt={dropped.length + 1} />
      )}
      {recorded === undefined && last === undefined && <p class="quiet">The model is asked …</p>}
      {typeof recorded?.program === "string" && !isWriting && <Program code={recorded.program} />}
      {recorded?.program === null && !isWriting && recorded.reply !== undefined && (
        <ScrolledText class="reply" label="The answer of the model">
          {recorded.reply}
        </ScrolledText>
      )}
      {recorded?.program === null &&
        recorded.reply === undefined &&
        last === undefined &&
        recorded.duration_ms === undefined && <p class="quiet">The model is asked …</p>}
      {typeof recorded?.program === "string" &&
        !isWriting &&
        last !== undefined &&
        last.text.trim() !== recorded.program.trim() && (
          <details>
            <summary>The whole answer of the model</summary>
            <ScrolledText label="The whole answer">{last.text}</ScrolledText>
          </details>
        )}
      {recorded !== undefined && recorded.calls.length > 0 && <Calls calls={recorded.calls} />}
      {recorded !== undefined && recorded.prints.length > 0 && (
        <>
          <h4>Printed</h4>
          <ScrolledText label="Printed text">{recorded.prints.join("\n")}</ScrolledText>
        </>
      )}
      {recorded?.error !== undefined && (
        <p class="turn-error">
          <strong>Failed:</strong> {recorded.error}
        </p>
      )}
      {recorded?.told !== undefined && (
        <details>
          <summary>Feedback to the model</summary>
          <ScrolledText label="Feedback to the model">{recorded.told}</ScrolledText>
        </details>
      )}
    </article>
  );
}

function TurnFacts({ turn: { recorded, calls } }: { turn: ShownTurn }) {
  const model = recorded?.model ?? calls.at(-1)?.model;
  const facts = [
    model,
    recorded?.tokens && `${countText(recorded.tokens.input)} tokens in, ${countText(recorded.tokens.output)} out`,
    recorded?.cost !== undefined && moneyText(recorded.cost),
    recorded?.duration_ms !== undefined ? durationText(recorded.duration_ms) : "not over",
  ].filter(Boolean);
  return <p class="quiet facts">{facts.join(" · ")}</p>;
}

/** The text of the model as it arrives. */
function ModelText({ call, attempt }: { call: StreamedCall; attempt: number }) {
  return (
    <div class="model-text">
      <p class="quiet">
        {call.state === "open" && (attempt > 1 ? `The model writes, attempt ${attempt} …` : "The model writes …")}
        {call.state === "failed" && `The attempt failed (${call.error}); it may be made again.`}
        {call.state === "lost" && "A part of it was not kept; the history has the whole answer."}
      </p>
      <ScrolledText label="What the model writes" data-stream={call.state}>
        {call.text}
      </ScrolledText>
    </div>
  );
}

/** Text that does not count: attempts that the engine made again, and calls that failed and that the agent made again. */
const droppedTexts = (calls: readonly StreamedCall[]): string[] =>
  calls.flatMap(({ dropped, state, text }, i) => [
    ...dropped,
    ...(state === "failed" && text !== "" && i < calls.length - 1 ? [text] : []),
  ]);

function Dropped({ texts }: { texts: readonly string[] }) {
  return (
    <>
      {texts.map((text, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attempts do not move
        <div class="dropped" key={i}>
          <p class="quiet">Attempt {i + 1} was cut off and made again. Its text does not count:</p>
          <ScrolledText label="A cut off attempt">
            <del>{text}</del>
          </ScrolledText>
        </div>
      ))}
    </>
  );
}

function Calls({ calls }: { calls: readonly StoryCall[] }) {
  return (
    <>
      <h4>Calls</h4>
      <ul class="calls">
        {calls.map((call, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: calls do not move
          <li key={i}>
            <CallLine call={call} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A call with its arguments, and its answer or why there is none. */
export function CallLine({ call }: { call: StoryCall }) {
  const { name, args, answer, error, duration_ms, child } = call;
  return (
    <>
      <code class="call-name">{name}</code>{" "}
      {duration_ms !== undefined && <span class="quiet">{durationText(duration_ms)}</span>}
      {child !== undefined && (
        <>
          {" "}
          <a href={missionAddress(child)}>its run</a>
        </>
      )}
      <dl class="call-facts">
        {args !== undefined && (
          <>
            <dt>Arguments</dt>
            <dd>
              <Value of={args} />
            </dd>
          </>
        )}
        <dt>{error === undefined ? "Answer" : "Error"}</dt>
        <dd class={error === undefined ? "" : "turn-error"}>
          {error ?? (answer === undefined ? <span class="quiet">none yet</span> : <Value of={answer} />)}
        </dd>
      </dl>
    </>
  );
}
