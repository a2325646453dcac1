import type { NavigatorClient } from "../../client/client";
import type { PlanHandle, PlanRunResult, PlanStatus, ShownEvent } from "../../client/plan-client";
import { planRunWorkflowId, planTaskRunId, planWorkflowId } from "../../core/base/ids";
import { isAbsent } from "../../core/base/navigator-error";
import { joinLines } from "../../core/base/one-line";
import { PlanTracer } from "../../core/plan/run/tracer";
import type { Review } from "../../core/review/review";
import { currentPerson } from "../../node/identity/key-store";
import { shellWord } from "../../node/shell-word";
import { planEndLines, resultsOf } from "../show/render-plan";
import { planWaitingText } from "../show/render-plan-status";
import { EXIT, type ExitCode } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

const POLL_MS = 250;
/** How often task runs are asked whether they wait for a person. */
const ASK_MS = 1_000;

/**
 * Prints the events of a plan as they happen, until it ends or until all of its remaining work waits for people.
 *
 * @param stay whether to continue while it waits
 * @param again the command that continues it
 */
export async function watchPlan(
  io: CommandIo,
  client: NavigatorClient,
  plan: PlanHandle,
  { stay, again }: { stay: boolean; again: string },
): Promise<ExitCode> {
  const teller = new EventTeller(io);
  const runs = new Map<string, string>();
  const shown = new Set<string>();
  for (let next = 0, asked = 0; ; ) {
    // Both are read before the events, so that the events include everything up to then.
    const over = (await plan.ended()) !== null;
    const status = await plan.status();
    const answer = await plan.events(next);
    next = answer.next;
    for (const event of answer.events) {
      teller.show(event);
      if (event.type === "task_started") runs.set(event.task_id, runOf(plan.id, event));
    }
    if (over) return report(io, plan, await plan.result());
    if (Date.now() - asked >= ASK_MS) {
      asked = Date.now();
      const open = await openReviews(client, plan, status, runs);
      if (open.length > 0 && !stay) {
        return waiting(io, plan, open, { again, person: currentPerson(client.project) });
      }
      for (const { id, title } of open) {
        if (!shown.has(id))
          io.err(`Waiting for a person: ${joinLines(title)}  (navigator review show ${shellWord(id)})`);
        shown.add(id);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Events as lines for people, as JSON Lines for machines. */
export class EventTeller {
  private readonly tracer = new PlanTracer();

  constructor(private readonly io: CommandIo) {}

  show(event: ShownEvent): void {
    // Readers do not need the details that the core adds to a Step.
    const line = event.type === "task_step" ? null : this.tracer.line(event);
    if (this.io.json || line !== null) this.io.event(event, () => line ?? "");
  }
}

const runOf = (id: string, event: ShownEvent & { type: "task_started" }): string =>
  planRunWorkflowId(planWorkflowId(id), planTaskRunId(event.place.execution, event.task_id, event.attempt));

/** The open reviews; empty while any task still works without people. */
async function openReviews(
  client: NavigatorClient,
  plan: PlanHandle,
  status: PlanStatus,
  runs: ReadonlyMap<string, string>,
): Promise<Review[]> {
  const working = status.tasks.filter(({ state }) => state === "running").map(({ task_id }) => task_id);
  if (working.length === 0) return [];
  const own = status.open_reviews === 0 ? [] : openOf(await plan.reviews());
  const others = working.filter((id) => !own.some(({ data }) => data.task_id === id));
  const asked = await Promise.all(others.map((id) => reviewsOfRun(client, runs.get(id))));
  return asked.every((reviews) => reviews.length > 0) ? [...own, ...asked.flat()] : [];
}

/** A task's agent may ask people itself. One that has not started, or has ended, asks nobody. */
async function reviewsOfRun(client: NavigatorClient, workflowId: string | undefined): Promise<Review[]> {
  if (workflowId === undefined) return [];
  try {
    const own = openOf(await client.reviewed(workflowId).reviews());
    if (own.length > 0) return own;
    // The agents that it runs may ask, too.
    return (await client.openReviews({ within: workflowId })).open.map(({ review }) => review);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

const openOf = (reviews: readonly Review[]): Review[] => reviews.filter(({ status }) => status === "open");

/** @param person who is logged in */
async function waiting(
  io: CommandIo,
  plan: PlanHandle,
  reviews: Review[],
  { again, person }: { again: string; person: string | undefined },
): Promise<ExitCode> {
  const results = await plan.results();
  const open = reviews.map(({ id, title, choices }) => ({ id, title, choices }));
  const answer = { id: plan.id, workflow_id: plan.workflow.workflowId, status: "waiting", reviews: open, results };
  io.event(answer, () => `\n${planWaitingText(reviews, again, io.color, person)}`);
  return EXIT.waiting;
}

function report(io: CommandIo, plan: PlanHandle, result: PlanRunResult): ExitCode {
  const answer = { id: plan.id, workflow_id: plan.workflow.workflowId, ...result, results: resultsOf(result) };
  io.event(answer, () => ["", ...planEndLines(result, io.color)].join("\n"));
  if (result.status === "waiting") {
    io.err(
      "Run it again with the decisions and the finished results: a new --id, --reviews '{\"TASK\": DECISION}' and --initial-results @results.json",
    );
    return EXIT.waiting;
  }
  return result.status === "ok" ? EXIT.done : EXIT.failed;
}
