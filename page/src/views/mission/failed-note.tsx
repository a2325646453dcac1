import type { FailedPlace } from "../../../../src/core/history/why/failed-place";
import type { LastCallThatFailed } from "../../../../src/core/history/why/last-failed-call";
import { Program } from "../../parts/code";
import { missionAddress, turnAddress } from "../../router";
import { LastFailedCall } from "./last-failed-call";
import { CallLine } from "./turns";

/** Lines of the program on both sides of the place that failed. */
const AROUND = 3;

/** Why it failed, where that began, and what helps: all that is needed to understand it. */
export function FailedNote({
  failed,
  lastCall,
  workflowId,
}: {
  failed: FailedPlace;
  lastCall: LastCallThatFailed | undefined;
  workflowId: string;
}) {
  const {
    code,
    message,
    meaning,
    hint,
    turn,
    invocation = 1,
    turn_error,
    program,
    line,
    column,
    call,
    call_turn,
  } = failed;
  const isBelow = failed.workflow_id !== workflowId;
  return (
    <section class="problem failed" aria-label="Why it failed">
      <p>
        <strong>{message}</strong> <code>{code}</code>
      </p>
      {meaning !== undefined && <p>{meaning}</p>}
      {hint !== undefined && <p>{hint}</p>}
      {isBelow && (
        <p>
          It began in <a href={missionAddress(failed.workflow_id)}>{failed.workflow_id}</a>.
        </p>
      )}
      {turn !== undefined && (
        <p>
          <a href={turnAddress(failed.workflow_id, turn, invocation)}>
            {isBelow ? "In its turn" : "In turn"} {turn}
          </a>
          {line !== undefined && `, at line ${line}${column === undefined ? "" : `, column ${column}`} of the program`}
          {turn_error !== undefined && turn_error !== `${code}: ${message}` && <>: {turn_error}</>}
        </p>
      )}
      {call !== undefined && (
        <div class="failed-call">
          <h2>
            {call_turn === undefined ? (
              "The call that failed"
            ) : (
              <>
                The last call that failed, in{" "}
                <a href={turnAddress(failed.workflow_id, call_turn, lastCall?.invocation ?? 1)}>turn {call_turn}</a>
              </>
            )}
          </h2>
          <CallLine call={call} />
        </div>
      )}
      {call === undefined && lastCall !== undefined && <LastFailedCall call={lastCall} />}
      {program !== undefined && (
        <details open={call === undefined || call_turn !== undefined}>
          <summary>The program of that turn</summary>
          <Program code={line === undefined ? program : excerpt(program, line)} />
        </details>
      )}
    </section>
  );
}

/** The lines around a place, the place marked. */
function excerpt(program: string, line: number): string {
  const lines = program.split("\n");
  if (line < 1 || line > lines.length) return program;
  return lines
    .map((text, i) => ({ text, number: i + 1 }))
    .filter(({ number }) => Math.abs(number - line) <= AROUND)
    .map(({ text, number }) => (number === line && lines.length > 1 ? `${text}  ; <- line ${line}` : text))
    .join("\n");
}
