import type { Hono } from "hono";
import { z } from "zod";
import { findReview } from "../../../client/find-review";
import { recordOrSignal } from "../../../client/runs/record-decision";
import { missionIdOf } from "../../../core/base/ids";
import type { Json, JsonObject } from "../../../core/base/json";
import { NavigatorError } from "../../../core/base/navigator-error";
import type { Message } from "../../../core/calls/host";
import type { MissionConversation } from "../../../core/history/stream/conversation";
import { knownAgent } from "../../../project/known-parts";
import type { WebContext, WebEnv } from "../../context/context";
import { AgUiEncoding, type AgUiMessage, RunAgentInput, textOfMessage } from "../../encodings/ag-ui";
import { frontAnswer, PARKED, readSealedReviewId } from "../../encodings/interrupt";
import type { ConversationSources } from "../../events/conversation-feed";
import { deciderOf } from "../../requests/callers";
import { ownWorkflowId } from "../../requests/own-run";
import { type EndpointCall, readBody } from "../endpoint";
import { decideForCaller } from "../inbox/decisions";
import { answerConversation, type ConversationEncoding } from "./conversation-answer";
import { frontName, isProgramMode, startFrontMission } from "./front-mission";

/**
 * `POST /api/ag-ui/{agent}`: AG-UI 1.0 over SSE (web reference, section 9). The run of the front is the mission of the same id. Open
 * reviews end the run with interrupts; a run with `resume` decides them, as in the inbox, and continues the mission.
 */
export function agUiRoutes(app: Hono<WebEnv>, web: WebContext, sources: ConversationSources): void {
  app.post("/api/ag-ui/:agent", async (c) => {
    const agent = knownAgent(web.project, c.req.param("agent"));
    const input = await readBody(c, RunAgentInput);
    const call: EndpointCall = { ...(await web.backend()), caller: c.get("caller"), web, request: c };
    const { namespace } = call.client.temporal.options;
    const programs = isProgramMode(agent);
    const { workflowId, settled, isGivenUp } =
      input.resume === undefined ? await started(call, agent, input) : await resumed(call, input.resume);
    const encoding = new AgUiEncoding(input, { programs, workflowId });
    const waits: ConversationEncoding["waits"] = (conversation) => {
      if (isGivenUp) return encoding.givenUp();
      const open = openOf(conversation).filter(({ id }) => !settled.has(id));
      return open.length > 0 && conversation.isIdle ? encoding.interrupted(conversation, settled) : null;
    };
    return answerConversation(
      c,
      { sources, log: web.log },
      { namespace, workflowId },
      {
        begin: () => encoding.begin(),
        take: (item) => encoding.take(item),
        waits,
        failed: (code, message) => encoding.failed(code, message),
      },
    );
  });
}

const openOf = (conversation: MissionConversation): { id: string }[] => [
  ...conversation.openReviews.map(({ review }) => ({ id: review.id })),
  ...conversation.parked.map(({ workflow_id }) => ({ id: `${PARKED}${workflow_id}` })),
];

/** The mission of a run, and what this request has settled of what it asks. */
interface Followed {
  workflowId: string;
  settled: ReadonlySet<string>;
  /** The front gave the questions up. */
  isGivenUp?: boolean;
}

async function started(
  call: EndpointCall,
  agent: ReturnType<typeof knownAgent>,
  input: RunAgentInput,
): Promise<Followed> {
  const { runId, messages, forwardedProps } = input;
  const last = messages.findLastIndex(({ role }) => role === "user");
  const given = messages[last];
  const context = forwardedProps?.context as JsonObject | undefined;
  if (given === undefined && context === undefined)
    throw new NavigatorError(
      "invalid_input",
      "The run has neither a message of a person nor `forwardedProps.context`.",
      { details: { path: "messages" } },
    );
  const run = await startFrontMission(call, {
    id: runId,
    agent,
    text: given === undefined ? "" : textOfMessage(given),
    before: messages.slice(0, Math.max(0, last)).flatMap(messageOf),
    ...(context === undefined ? {} : { context }),
  });
  return { workflowId: run.workflow.workflowId, settled: new Set() };
}

function messageOf(message: AgUiMessage): Message[] {
  const content = textOfMessage(message);
  return (message.role === "user" || message.role === "assistant") && content !== ""
    ? [{ role: message.role, content }]
    : [];
}

/** Decides the reviews that an earlier run has asked. @throws NavigatorError the refusals of the inbox; `invalid_input` */
async function resumed(call: EndpointCall, resume: NonNullable<RunAgentInput["resume"]>): Promise<Followed> {
  const settled = new Set<string>();
  const missions = new Set<string>();
  for (const { interruptId, status, payload } of resume) {
    const { workflow_id, id, isOpen } = interruptId.startsWith(PARKED)
      ? await resumeParked(call, interruptId, status, payload)
      : await resumeReview(call, interruptId, status, payload);
    missions.add(missionIdOf(workflow_id));
    if (!isOpen) settled.add(id);
  }
  const [workflowId] = missions;
  if (workflowId === undefined || missions.size > 1)
    throw new NavigatorError("invalid_input", "`resume` must name interrupts of one run.", {
      details: { path: "resume" },
    });
  return { workflowId, settled, isGivenUp: resume.every(({ status }) => status === "cancelled") };
}

interface Answered {
  workflow_id: string;
  id: string;
  isOpen: boolean;
}

async function resumeReview(
  call: EndpointCall,
  interruptId: string,
  status: string,
  payload: unknown,
): Promise<Answered> {
  const { review: id, seal } = readSealedReviewId(interruptId);
  const { workflow_id, review } = await findReview(call.client, id);
  if (status === "cancelled") return { workflow_id, id: review.id, isOpen: review.status === "open" };
  // It was sent once more, or somebody else was faster: the run shows the decision.
  if (review.status !== "open") return { workflow_id, id: review.id, isOpen: false };
  const { by, ...given } = frontAnswer(payload, review);
  const { review: after } = await decideForCaller(call, review.id, given as never, { by: frontName(call, by), seal });
  return { workflow_id, id: review.id, isOpen: after.status === "open" };
}

const ParkedAnswer = z.object({
  id: z.string().min(1),
  value: z.custom<Json>((value) => value !== undefined, "is missing: any JSON value"),
  note: z.string().optional(),
  by: z.string().optional(),
});

/** A decision in the journal of a run that waits for one. */
async function resumeParked(
  call: EndpointCall,
  interruptId: string,
  status: string,
  payload: unknown,
): Promise<Answered> {
  const workflow_id = ownWorkflowId(call.client.project, interruptId.slice(PARKED.length));
  if (status === "cancelled") return { workflow_id, id: interruptId, isOpen: true };
  const answer = ParkedAnswer.safeParse(payload);
  if (!answer.success)
    throw new NavigatorError("invalid_decision", z.prettifyError(answer.error), {
      details: { path: answer.error.issues[0]?.path.join(".") ?? "" },
    });
  const { by: named, ...given } = answer.data;
  const { by, key } = deciderOf(call, frontName(call, named));
  const decision = { ...given, by, via: "http" as const } as Parameters<typeof recordOrSignal>[2];
  await recordOrSignal(call.client, call.client.agent(workflow_id), decision, { key: key ?? null });
  return { workflow_id, id: interruptId, isOpen: false };
}
