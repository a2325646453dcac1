import type { Command } from "commander";
import type { PlanHandle, PlanRunResult } from "../../../client/plan-client";
import { NavigatorError } from "../../../core/base/navigator-error";
import { shellWord } from "../../../node/shell-word";
import { wholeNumber } from "../../input/number-argument";
import { ANSWER_MS, withSession } from "../../session/session";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

/** `navigator plan show` and `navigator plan events`: the state and the events of a plan. They need a worker. */
export function registerPlanShow(plan: Command, io: CommandIo): void {
  plan
    .command("show <id>")
    .description("show the state of a plan: its tasks and its open reviews")
    .addHelpText("after", "\nExample:\n  $ navigator plan show lamps")
    .action((id: string) => {
      const work = async ({ client }: import("../../session/session").Session) => {
        const [{ planStatusText }, { blockedLines }, { currentPerson }] = await Promise.all([
          import("../../show/render-plan-status"),
          import("../../session/tell-blocked"),
          import("../../../node/identity/key-store"),
        ]);
        const plan = client.plan(id);
        const [status, reviews, results, blocked] = await Promise.all([
          plan.status(),
          plan.reviews(),
          plan.results(),
          client.blocked(plan.workflow.workflowId),
        ]);
        const ended = await plan.ended();
        const open = ended === null ? reviews.filter((review) => review.status === "open") : [];
        const result = ended === null ? null : await endedPlanResult(plan);
        const found = blocked.length === 0 ? {} : { blocked };
        const answer = { id: plan.id, ...status, ended, reviews: open, results, result, ...found };
        io.result(answer, () =>
          [
            planStatusText({ ...status, ended, result }, open, io.color, currentPerson(client.project)),
            ...blockedLines(blocked),
          ].join("\n"),
        );
        // A plan that was stopped from outside has no result that says why.
        if (ended !== null && result === null) await tellFailure(io, plan);
        return EXIT.done;
      };
      return withSession(io, false, work, { within_ms: ANSWER_MS });
    });

  plan
    .command("events <id>")
    .description("the events of a plan, line by line; with --json as JSON Lines")
    .option("--from <number>", "start at this event (the first has number 0)", "0")
    .option("--follow", "follow new events until the plan ends")
    .addHelpText("after", "\nExample:\n  $ navigator plan events lamps --from 12 --follow")
    .action((id: string, options: { from: string; follow?: boolean }) => {
      const from = wholeNumber("--from", options.from, 0) ?? 0;
      return withSession(io, false, async ({ client }) => {
        const { EventTeller } = await import("../../session/watch-plan");
        const teller = new EventTeller(io);
        const plan = client.plan(id);
        if (options.follow) {
          for await (const event of plan.follow(from)) teller.tell(event);
          await tellFailure(io, plan);
          return EXIT.done;
        }
        const { events, dropped } = await plan.events(from);
        if (dropped > 0)
          io.err(`${dropped} older events are no longer kept: navigator log ${shellWord(plan.workflow.workflowId)}`);
        for (const event of events) teller.tell(event);
        await tellFailure(io, plan);
        return EXIT.done;
      });
    });
}

/** The events say which task failed, and this line what became of the plan. Machines get events only. */
async function tellFailure(io: CommandIo, { workflow }: PlanHandle): Promise<void> {
  const [{ missionEnd }, { failureLines }] = await Promise.all([
    import("../../../client/history"),
    import("../../show/render-missions"),
  ]);
  for (const line of failureLines(workflow.workflowId, await missionEnd(workflow), io.color)) io.out(line);
}

/** The result of an ended plan; null for one that was cancelled or terminated. */
async function endedPlanResult(plan: PlanHandle): Promise<PlanRunResult | null> {
  try {
    return await plan.result();
  } catch (error) {
    if (error instanceof NavigatorError && error.exitCode === EXIT.failed) return null;
    throw error;
  }
}
