import { useState } from "preact/hooks";
import type { DrawnTask } from "../../../../src/client/tasks/drawn-task";
import { post } from "../../api/request";
import { Confirm } from "../../parts/dialog";
import { ProblemNote } from "../../parts/problem";

/** Steps that somebody outside does, and reports. */
const REPORTED = new Set(["task", "gate", "join"]);

/** The results that lead on from where a task is; none where it needs no report, or where a person decides in the inbox. */
function resultsHere({ graph, way, reviews, stopped, claim }: DrawnTask): string[] {
  const node = graph.nodes.find(({ id }) => id === way.currentStep);
  const isAsked = reviews.some(({ step }) => step === way.currentStep);
  if (node === undefined || !REPORTED.has(node.type) || way.status !== "PENDING") return [];
  if (isAsked || stopped !== undefined || claim !== undefined) return [];
  const ways = graph.edges.filter(({ from, on }) => from === node.id && on !== "max_retries_exceeded");
  const results = new Set(ways.map(({ on }) => on ?? ""));
  // A step that is retried in place has no edge for it.
  if (node.maxRetries > 0) results.add("failed");
  return [...results];
}

/** Reports how the present step ended, for work that is done by hand. A click that is repeated moves the task once. */
export function ReportResult({ task, moved }: { task: DrawnTask; moved: () => void }) {
  const [chosen, setChosen] = useState<{ result: string; step: string; version: number }>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const results = resultsHere(task);
  const { currentStep: step, earlierMoves, moves } = task.way;
  const report = async () => {
    if (chosen === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      const { result, step: expectedStep, version } = chosen;
      await post(`/api/tasks/${encodeURIComponent(task.workflow_id)}/advance`, {
        ...(result === "" ? {} : { result }),
        expectedStep,
        version,
      });
      moved();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
      setChosen(undefined);
    }
  };
  if (results.length === 0 && error === undefined) return null;
  return (
    <>
      {error !== undefined && <ProblemNote error={error} />}
      {results.length > 0 && (
        <div class="row graph-row">
          <span>Done by hand? The result of {step}:</span>
          {results.map((result) => (
            <button
              key={result}
              type="button"
              onClick={() => setChosen({ result, step, version: earlierMoves + moves.length })}
            >
              {result === "" ? "continue" : result}
            </button>
          ))}
        </div>
      )}
      {chosen !== undefined && (
        <Confirm
          title={`Report ${chosen.result === "" ? "that it continues" : `“${chosen.result}”`} for ${chosen.step}?`}
          text={<p>The task moves on, and nobody else is asked for this step.</p>}
          action="Report it"
          isBusy={isBusy}
          confirm={() => void report()}
          close={() => setChosen(undefined)}
        />
      )}
    </>
  );
}
