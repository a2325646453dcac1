import { useState } from "preact/hooks";
import type { Json } from "../../../../src/core/base/json";
import { post, runPath } from "../../api/request";
import type { InboxItem } from "../../api/types";
import { Value } from "../../parts/code";
import { ProblemNote } from "../../parts/problem";
import { Age } from "../../parts/text";
import { missionAddress, reviewAddress } from "../../router";
import { useSession } from "../../session";
import { LastFailedCall } from "./last-failed-call";
import type { ShownRun } from "./run";

/** What it waits for, each with a way to do something about it. */
export function Waits({ run, again }: { run: ShownRun; again: () => void }) {
  const { waits, retrying, failed, last_failed_call } = run;
  if (waits.length === 0 && retrying.length === 0) return null;
  return (
    <section class="panel waits" aria-label="What it waits for">
      <h2>It waits for</h2>
      <ul>
        {waits.map((item) => (
          <li key={`${item.workflow_id} ${item.review?.id ?? item.kind}`}>
            <Wait item={item} isOwn={item.workflow_id === run.workflow_id} again={again} />
          </li>
        ))}
        {retrying.map(({ what, attempt, message }) => (
          <li key={`${what} ${message}`}>
            <code>{what}</code>, attempt {attempt}. The last one failed: {message}
          </li>
        ))}
      </ul>
      {failed === null && last_failed_call !== undefined && <LastFailedCall call={last_failed_call} />}
    </section>
  );
}

function Wait({ item, isOwn, again }: { item: InboxItem; isOwn: boolean; again: () => void }) {
  const { title, review, since, assignees, workflow_id, blocked, parked } = item;
  return (
    <>
      {review === undefined ? <strong>{title}</strong> : <a href={reviewAddress(review.id)}>{title}</a>}{" "}
      <span class="quiet">
        {review !== undefined && `for ${assignees.join(", ")}, `}
        {since > 0 && (
          <>
            since <Age since={since} />
          </>
        )}
      </span>
      {!isOwn && (
        <>
          {" "}
          in <a href={missionAddress(workflow_id)}>{workflow_id}</a>
        </>
      )}
      {blocked !== undefined && <p>{blocked.help}</p>}
      {parked !== undefined && (
        <>
          <p>
            It returned <Value of={parked.waiting} />
          </p>
          <RecordDecision workflowId={workflow_id} again={again} />
        </>
      )}
    </>
  );
}

/** Writes a decision into the journal, which wakes a mission that waits for one. */
function RecordDecision({ workflowId, again }: { workflowId: string; again: () => void }) {
  const { has_people, person } = useSession();
  const [draft, setDraft] = useState({ id: "", value: "true", note: "", by: person ?? "" });
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change });
  const send = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { id, note, by } = draft;
      const value = recordValue(draft.value);
      await post(runPath(workflowId, "/signal"), {
        id,
        value,
        ...(note && { note }),
        ...(!has_people && by && { by }),
      });
      again();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  const fields = [
    ["id", "Record id", "payment_confirmed_42", true],
    ["value", "Value (JSON, or a text)", "true", true],
    ["note", "Note", "", false],
    ...(has_people ? [] : [["by", "Who decides", "", true] as const]),
  ] as const;
  return (
    <details>
      <summary>Record a decision in its journal</summary>
      <form
        class="record"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {fields.map(([field, label, placeholder, isRequired]) => (
          <div class="field" key={field}>
            <label for={`record-${field}`}>{label}</label>
            <input
              id={`record-${field}`}
              required={isRequired}
              placeholder={placeholder}
              value={draft[field]}
              onInput={(event) => set({ [field]: event.currentTarget.value })}
            />
          </div>
        ))}
        {error !== undefined && <ProblemNote error={error} />}
        <button type="submit" class="main" disabled={isBusy}>
          {isBusy ? "Recording …" : "Record it"}
        </button>
      </form>
    </details>
  );
}

function recordValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
