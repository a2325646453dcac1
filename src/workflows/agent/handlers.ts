import { setHandler, workflowInfo } from "@temporalio/workflow";
import { failed, ok, type Result } from "../../core/base/failure";
import { readPauseRequest } from "../../core/base/input/read-pause-request";
import { hasTexts, isObject } from "../../core/base/is-object";
import { type JournalDecision, signedRecord } from "../../core/journal/decision-input";
import { renderMissionLogRows } from "../../core/journal/mission-log";
import type { RecordView } from "../../core/journal/view";
import { bySignal } from "../decision-verifier";
import { asApplicationFailure, valueOrReject } from "../failures";
import { listenForEffects } from "../listen-for-effects";
import * as messages from "../messages";
import { listenForDecisions, type RequestedReviews, takenOrRefused } from "../reviews";
import type { RunPause } from "../run-pause";
import type { RunParts } from "./run-parts";
import type { RunVisibility } from "./visibility";

/** The pause of a run. It is handled before the run is open: a run that is blocked as it starts can be paused, too. */
export function handlePause(pause: RunPause): void {
  pause.listen();
  // A signal of another sender that cannot be read changes nothing.
  setHandler(messages.pauseSignal, (raw) => {
    const read = readPauseRequest(raw);
    if (read.ok) pause.followAbove({ ...read.value, at: typeof raw.at === "number" ? raw.at : Date.now() });
  });
  setHandler(messages.resumeSignal, () => pause.followAbove(undefined));
}

/** The queries, signals and updates of an open run. Temporal handles earlier signals in the order of these handlers. */
export function handleMessages(run: RunParts, visibility: RunVisibility): void {
  const { journal, sequences } = run;
  const refuse = () => run.refuseSignal();
  setHandler(messages.journalQuery, () => journal.rows());
  setHandler(messages.wholeJournalQuery, () => journal.whole());
  setHandler(messages.recordsQuery, () => journal.records());
  listenForEffects(
    () => run.agentRun.ledger,
    refuse,
    (work) => sequences.whenClosed(work),
  );
  setHandler(messages.callsReportedSignal, (raw) => {
    if (!sequences.reported(isObject(raw) ? raw.n : undefined)) refuse();
  });
  setHandler(messages.missionLogQuery, () => renderMissionLogRows(journal.rows()));
  setHandler(messages.progressQuery, () => run.agentRun.progress());
  setHandler(messages.usageQuery, () => visibility.usage());
  setHandler(messages.stepQuery, () => run.agentRun.partialStep());
  setHandler(messages.statusQuery, () => visibility.status());
  listenForDecisions(run.reviews, run.verifier, refuse);
  handleStartOfApproved(run.reviews);
  setHandler(messages.conversationQuery, () => run.models.conversation());
  handleRecords(run, visibility);
}

/** Answers the activity that asks right before it makes a call that people approved. */
function handleStartOfApproved(reviews: RequestedReviews): void {
  setHandler(messages.startApproved, ({ review }) => reviews.start(review), {
    validator: (raw) => {
      if (!hasTexts(raw, ["review", "seal"]))
        throw asApplicationFailure(
          failed("invalid_input", "startApproved needs a review and its seal.", { path: "review" }).fail,
        );
      const { review, seal } = raw;
      const problem = reviews.startProblem(review, seal);
      if (problem) throw asApplicationFailure(problem);
    },
  });
}

/** Decisions of people for the journal. A worker finds out who decided before one counts. */
function handleRecords(run: RunParts, visibility: RunVisibility): void {
  const { chain, journal, sequences, verifier } = run;
  const recorded = async (decision: JournalDecision): Promise<Result<RecordView>> => {
    const verification = await verifier.verify(signedRecord(workflowInfo().workflowId, decision));
    return sequences.whenClosed(() => {
      const admitted = journal.admit(decision, verification);
      if (!admitted.ok) return admitted;
      const row = journal.record(admitted.value);
      visibility.show();
      return ok(row);
    });
  };
  setHandler(
    messages.recordDecision,
    (raw) => {
      chain.advanceClock();
      return recorded(valueOrReject(journal.decision(raw))).then(valueOrReject);
    },
    { validator: (raw) => void valueOrReject(journal.decision(raw)) },
  );
  // A signal cannot be refused, so an invalid one is counted and shown; it does not fail the mission.
  setHandler(messages.recordDecisionSignal, (raw) => {
    chain.advanceClock();
    if (!hasTexts(raw, ["id", "by"])) return run.refuseSignal();
    const decision = journal.decision(raw);
    if (!decision.ok) return run.refuseSignal();
    return takenOrRefused(recorded(bySignal(decision.value)), () => run.refuseSignal());
  });
}
