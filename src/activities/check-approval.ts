import { Context, sleep } from "@temporalio/activity";
import { type WorkflowClient, WorkflowUpdateFailedError } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { defined } from "../core/base/defined";
import { type Failure, failed } from "../core/base/failure";
import { isOfMission, isReviewOf } from "../core/base/ids";
import type { CallToolInput } from "../core/calls/activities";
import { changedTool } from "../core/calls/present-tool";
import type { ToolSpec } from "../core/calls/tool";
import { toolVersion } from "../core/effects/effect-id";
import { countsUnsigned } from "../core/review/admission";
import { approvalProblem, approvalQuorum, isDefault, type SealedApproval } from "../core/review/approval";
import { APPROVE } from "../core/review/kinds/approval";
import { hasPeople } from "../core/review/people/people-file";
import { kindProblem } from "../core/review/people/principal";
import { neededPeople } from "../core/review/policy/agreement";
import type { ReviewTerms } from "../core/review/policy/terms";
import { verifyDecision } from "../node/identity/verify-decision";
import { type ReadPeople, readOrFail } from "./verify-decision";

/** The part of a Temporal client that asks the run whether its approval is still valid. A `Client` implements it. */
export interface ApprovalClient {
  workflow: {
    getHandle(workflowId: string): Pick<ReturnType<WorkflowClient["getHandle"]>, "executeUpdate">;
  };
}

/** Why a call may not be made, or not without an approval; null if it may. Then nobody can take the approval back any more. */
export type CheckApproval = (call: CallToolInput, spec: ToolSpec) => Promise<Failure | null>;

/** How often the run is asked whether the approval is valid, and the pauses between, in ms: half a minute in all. */
const ATTEMPTS = 10;
const FIRST_PAUSE_MS = 125;
const MAX_PAUSE_MS = 4_000;

/** The update of the run; `src/workflows/messages.ts` defines it. */
const START = "startApproved";

/**
 * The last check before an approved call is made (approvals reference, section 3): with the tool that this worker has, the
 * arguments that it was given, the people of its project, the server's clock, and the run that asked.
 */
export function checkApproval(client: ApprovalClient, people: ReadPeople): CheckApproval {
  return async (input, spec) => {
    const { approval, args, idempotency_key: key } = input;
    const changed = changedTool(spec, input);
    if (changed !== null || approval === undefined) return changed;
    const call = { tool: spec.name, tool_version: toolVersion(spec), args, key };
    const { info } = Context.current();
    const workflowId = info.workflowExecution?.workflowId as string;
    // The server's clock: that of this worker may be off. The run checks the present time when the call begins.
    const asked = info.currentAttemptScheduledTimestampMs;
    return (
      approvalProblem(approval, call, asked) ??
      missionProblem(approval, call.tool, workflowId) ??
      (await signatureProblem(approval, spec, people, asked)) ??
      (await begun(client, approval, workflowId))
    );
  };
}

/**
 * Refuses an approval of another mission: a copy from a history approves nothing. It also refuses one of another run:
 * only the run that asked knows whether the approval was withdrawn, and calls once. Another run below would decide for
 * itself. The seal of a retry names both: the mission whose effects it has, and in the id of its review the retry.
 */
function missionProblem({ review, sealed: { mission } }: SealedApproval, tool: string, workflowId: string) {
  if (isOfMission(workflowId, mission) && isReviewOf(review, workflowId, tool)) return null;
  return failed(
    "seal_broken",
    `The call of ${tool} is not the one that review "${review}" approved: it was for ${mission}.`,
    {
      review,
      mission,
    },
  ).fail;
}

/** Whether those who agreed have signed it, where they must. */
async function signatureProblem(
  approval: SealedApproval,
  spec: ToolSpec,
  people: ReadPeople,
  nowMs: number,
): Promise<Failure | null> {
  const file = readOrFail(people);
  if ("reason" in file) return file;
  if (!hasPeople(file)) return null;
  // The author of the tool has set what happens when nobody decides.
  if (isDefault(approval) && termsOf(spec).on_timeout === APPROVE) return null;
  // The author of the seal may have asked for fewer people than the tool does.
  const quorum = Math.max(approvalQuorum(approval), neededPeople(quorumOf(spec)));
  const irreversible = spec.effect === "irreversible";
  const agreed = new Set<string>();
  for (const decision of approval.decisions) {
    const verification = await verifyDecision(file, decision, nowMs);
    const { fail, signed, principal } = verification;
    if (fail !== null)
      return fail.reason === "key_revoked" ? failed("approval_revoked", fail.message, fail.details).fail : fail;
    // Whether a review names a service is checked where it decides.
    const assignees = principal.kind === "service" ? [principal.id] : [];
    if (kindProblem(principal, { assignees, needed: quorum, irreversible }) !== null) continue;
    if (signed !== null || countsUnsigned(irreversible, verification)) agreed.add(decision.by);
  }
  if (agreed.size >= quorum) return null;
  return failed(
    "unverified_decision",
    `The call of ${spec.name} needs the signed yes of ${quorum}, and has ${agreed.size}.`,
    { review: approval.review, quorum, verified: [...agreed] },
  ).fail;
}

const quorumOf = (spec: ToolSpec) => {
  const { quorum, distinct_groups } = termsOf(spec);
  return defined({ quorum, distinctGroups: distinct_groups });
};

const termsOf = ({ approval }: ToolSpec): ReviewTerms => (typeof approval === "object" ? approval : {});

const refusalOf = ({ type }: ApplicationFailure): "seal_broken" | "approval_expired" | "approval_revoked" =>
  type === "seal_broken" || type === "approval_expired" ? type : "approval_revoked";

async function begun(
  client: ApprovalClient,
  { review, seal }: SealedApproval,
  workflowId: string,
): Promise<Failure | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.workflow.getHandle(workflowId).executeUpdate(START, { args: [{ review, seal }] });
      return null;
    } catch (error) {
      const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
      if (cause instanceof ApplicationFailure) {
        return failed(refusalOf(cause), cause.message, { review }).fail;
      }
      // A server takes so many updates of one workflow at once: votes may be on their way.
      if (attempt === ATTEMPTS) throw error;
      await sleep(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt));
    }
  }
}
