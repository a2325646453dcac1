import { missionEnd } from "../../../client/history";
import type { PlanHandle, PlanRunResult } from "../../../client/plan-client";
import { NavigatorError } from "../../../core/base/navigator-error";
import { currentPerson } from "../../../node/identity/key-store";
import { shellWord } from "../../../node/shell-word";
import { wholeNumber } from "../../input/number-argument";
import { withSession } from "../../session/session";
import { blockedLines } from "../../session/tell-blocked";
import { EventTeller } from "../../session/watch-plan";
import { failureLines } from "../../show/render-missions";
import { planStatusText } from "../../show/render-plan-status";
import type { CommandSpec } from "../../terminal/command";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

/** `navigator plan show` and `navigator plan events`: the state and the events of a plan. They need a worker. */
export const planShowCommands: readonly CommandSpec[] = [
  {
    name: "show <id>",
    about: "show the state of a plan: its tasks and its open reviews",
    examples: ["navigator plan show lamps"],
    run: (io: CommandIo, id: string) => {
      const work = async ({ client }: import("../../session/session").Session) => {
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
      return withSession(io, "ask", work);
    },
  },
  {
    name: "events <id>",
    about: "the events of a plan, line by line; with --json as JSON Lines",
    options: [
      ["--from <number>", "start at this event (the first has number 0)", "0"],
      ["--follow", "follow new events until the plan ends"],
    ],
    examples: ["navigator plan events lamps --from 12 --follow"],
    run: (io: CommandIo, id: string, options: { from: string; follow?: boolean }) => {
      const from = wholeNumber("--from", options.from, 0) ?? 0;
      return withSession(io, "read", async ({ client }) => {
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
      });
    },
  },
];

/** The events say which task failed, and this line what became of the plan. Machines get events only. */
async function tellFailure(io: CommandIo, { workflow }: PlanHandle): Promise<void> {
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
