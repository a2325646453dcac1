import { useState } from "preact/hooks";
import { post } from "../../api/request";
import type { ListedMission } from "../../api/types";
import { Confirm } from "../../parts/dialog";
import { ProblemNote } from "../../parts/problem";
import { missionAddress } from "../../router";

/** What became of each. */
interface BulkAnswer {
  done: number;
  results: { workflow_id: string; ok: boolean; new_id?: string; code?: string; message?: string; hint?: string }[];
}

type BulkAction = "cancel" | "retry";

const WORDS: { readonly [kind in BulkAction]: { verb: string; done: string; warning: string } } = {
  cancel: {
    verb: "Cancel",
    done: "cancelled",
    warning: "They are asked to stop, with all that runs below them. What they did stays done.",
  },
  retry: {
    verb: "Retry",
    done: "tried again",
    warning:
      "Each starts once more with the same input, as a new mission. What the first one has finished is taken over, and not done again.",
  },
};

export const missionsText = (n: number): string => `${n} ${n === 1 ? "mission" : "missions"}`;

/** Whether a mission has ended. */
export const isOver = ({ state }: Pick<ListedMission, "state">): boolean =>
  !["running", "waiting", "blocked", "paused"].includes(state);

/** What can be done with all that were chosen, and what became of it. */
export function BulkBar({
  chosen,
  clear,
  again,
}: {
  chosen: readonly ListedMission[];
  clear: () => void;
  again: () => void;
}) {
  const [asked, setAsked] = useState<BulkAction | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<{ kind: BulkAction; answer?: BulkAnswer; error?: unknown } | null>(null);
  const fits: { readonly [kind in BulkAction]: readonly ListedMission[] } = {
    cancel: chosen.filter((mission) => !isOver(mission)),
    retry: chosen.filter((mission) => isOver(mission) && mission.state !== "completed"),
  };
  const go = async (kind: BulkAction) => {
    setBusy(true);
    try {
      const ids = fits[kind].map(({ workflow_id }) => workflow_id);
      setOutcome({ kind, answer: await post<BulkAnswer>(`/api/missions/${kind}`, { ids }) });
      clear();
    } catch (error) {
      setOutcome({ kind, error });
    }
    setBusy(false);
    setAsked(null);
    again();
  };
  return (
    <>
      {chosen.length > 0 && (
        <div class="row bulk-bar" role="toolbar" aria-label="With the chosen missions">
          <strong>{missionsText(chosen.length)} chosen</strong>
          {(["cancel", "retry"] as const).map((kind) => (
            <button key={kind} type="button" disabled={fits[kind].length === 0} onClick={() => setAsked(kind)}>
              {WORDS[kind].verb} {fits[kind].length}
            </button>
          ))}
          <button type="button" onClick={clear}>
            Choose none
          </button>
        </div>
      )}
      <div aria-live="polite">{outcome !== null && <Outcome {...outcome} close={() => setOutcome(null)} />}</div>
      {asked !== null && (
        <Confirm
          title={`${WORDS[asked].verb} ${missionsText(fits[asked].length)}?`}
          action={`${WORDS[asked].verb} ${missionsText(fits[asked].length)}`}
          text={
            <>
              <p>{WORDS[asked].warning}</p>
              {fits[asked].length < chosen.length && (
                <p class="quiet">
                  {missionsText(chosen.length - fits[asked].length)} of the chosen ones{" "}
                  {asked === "cancel" ? "have ended already" : "have not ended yet, or have succeeded"}, and stay as
                  they are.
                </p>
              )}
            </>
          }
          isBusy={isBusy}
          confirm={() => void go(asked)}
          close={() => setAsked(null)}
        />
      )}
    </>
  );
}

function Outcome({
  kind,
  answer,
  error,
  close,
}: {
  kind: BulkAction;
  answer?: BulkAnswer;
  error?: unknown;
  close: () => void;
}) {
  if (answer === undefined) return <ProblemNote error={error} />;
  const refused = answer.results.filter(({ ok }) => !ok);
  const started = answer.results.flatMap(({ new_id }) => (new_id === undefined ? [] : [new_id]));
  return (
    <div class={refused.length === 0 ? "bulk-result" : "problem"}>
      <p>
        <strong>
          {missionsText(answer.done)} {WORDS[kind].done}
          {refused.length > 0 && `, ${refused.length} refused`}.
        </strong>{" "}
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
      {started.length > 0 && (
        <p>
          {started.map((id) => (
            <a key={id} class="bulk-listed" href={missionAddress(id)}>
              {id}
            </a>
          ))}
        </p>
      )}
      {refused.map(({ workflow_id, code, message, hint }) => (
        <p key={workflow_id}>
          {message} <code>{code}</code> {hint}
        </p>
      ))}
    </div>
  );
}
