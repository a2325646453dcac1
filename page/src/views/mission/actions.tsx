import { useState } from "preact/hooks";
import { post, RequestError, runPath } from "../../api/request";
import { Confirm } from "../../parts/dialog";
import { ProblemNote } from "../../parts/problem";
import { go, missionAddress } from "../../router";
import type { ShownRun } from "./run";

interface Action {
  name: string;
  title: string;
  warning: string;
  /** It goes without a question: it is taken back as easily. */
  atOnce?: true;
  /** The label of the button that does nothing. */
  leave?: string;
  takesNote?: true;
}

const ACTIONS: { readonly [action: string]: Action } = {
  cancel: {
    name: "Cancel the mission",
    title: "Cancel it?",
    warning: "It is asked to stop, with all that runs below it. What it did stays done.",
    leave: "Keep it running",
    takesNote: true,
  },
  pause: {
    name: "Pause",
    title: "Pause it?",
    warning: "It begins nothing new until it is resumed. Work under way ends and is kept, and people may still decide.",
    leave: "Keep it running",
    takesNote: true,
  },
  resume: { name: "Resume", title: "Resume it?", warning: "", atOnce: true },
  terminate: {
    name: "Terminate the mission",
    title: "Terminate it?",
    warning:
      "It ends at once with all that runs below it, without being asked: nothing is cleaned up, and a call under way may still happen.",
    leave: "Keep it running",
    takesNote: true,
  },
  retry: {
    name: "Try again",
    title: "Try it again?",
    warning:
      "A new mission starts with the same input. It takes over what this one has finished: its records and its effects are not made a second time.",
    takesNote: true,
  },
  retry_unknown: {
    name: "Try again all the same",
    title: "Try it again, although calls may be made twice?",
    warning: "",
    takesNote: true,
  },
  afresh: {
    name: "Start afresh",
    title: "Start it afresh?",
    warning:
      "A new mission starts with the same input. It knows nothing of this one: what this one did to the world is done a second time.",
    takesNote: true,
  },
};

/** The ways to try again, and what each sends. */
const RETRIES: { readonly [action: string]: object } = {
  retry: {},
  retry_unknown: { accept_unknown: true },
  afresh: { afresh: true },
};

/** What can be done to it. What cannot be taken back is asked about first. */
export function Actions({ run, again }: { run: ShownRun; again: () => void }) {
  const [asked, setAsked] = useState<string | null>(null);
  const [note, setNote] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [unknown, setUnknown] = useState("");
  const [error, setError] = useState<unknown>();
  const act = async (action: string) => {
    setBusy(true);
    setError(undefined);
    try {
      const how = RETRIES[action];
      const path = runPath(run.workflow_id, `/${how === undefined ? action : "retry"}`);
      const { workflow_id } = await post<{ workflow_id: string }>(path, { ...(note === "" ? {} : { note }), ...how });
      if (how !== undefined) go(missionAddress(workflow_id));
      again();
      setAsked(null);
    } catch (problem) {
      const isUnknown = problem instanceof RequestError && problem.problem.code === "confirmation_required";
      if (isUnknown) setUnknown(problem.message);
      else setError(problem);
      setAsked(isUnknown ? "retry_unknown" : null);
    }
    setBusy(false);
  };
  const shown = asked === null ? undefined : ACTIONS[asked];
  return (
    <>
      <div class="row actions">
        {run.actions.flatMap((action) => {
          const one = ACTIONS[action];
          return one === undefined
            ? []
            : [
                <button
                  key={action}
                  type="button"
                  class={action === "terminate" ? "danger" : ""}
                  disabled={isBusy}
                  onClick={() => (one.atOnce ? void act(action) : setAsked(action))}
                >
                  {one.name}
                </button>,
              ];
        })}
      </div>
      {error !== undefined && <ProblemNote error={error} />}
      {asked !== null && shown !== undefined && (
        <Confirm
          title={shown.title}
          action={shown.name}
          text={
            <>
              <p>{asked === "retry_unknown" ? unknown : shown.warning}</p>
              {shown.takesNote && (
                <p class="field">
                  <label for="action-note">Why (it stands in the history)</label>
                  <input id="action-note" value={note} onInput={(event) => setNote(event.currentTarget.value)} />
                </p>
              )}
            </>
          }
          {...(shown.leave === undefined ? {} : { leave: shown.leave })}
          isBusy={isBusy}
          confirm={() => void act(asked)}
          close={() => setAsked(null)}
        />
      )}
    </>
  );
}
