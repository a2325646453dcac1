import { withoutSecrets } from "../../core/agent/prompt/key-shapes";
import { joinLines } from "../../core/base/one-line";
import type { EffectReasons, ReasonReview } from "../../core/history/why/effect-reasons";
import { type Colors, renderTable } from "../terminal/render";
import { indented } from "./render-value";
import { actorText } from "./review-course";

/** The reasons of effects, each from the effect back to the people. What looks like a key of a provider is left out. */
export const whyText = (reasons: readonly EffectReasons[], color: Colors): string =>
  reasons.map((one) => effectText(one, color)).join("\n\n");

function effectText(reasons: EffectReasons, color: Colors): string {
  const { effect, run, work, turn, invocation, model, program, reviews, budget, missing } = reasons;
  const { key, tool, state, args, answer, at, task, by, message } = effect;
  const facts = [
    ["effect", key],
    ["at", at],
    ...(args === undefined ? [] : [["args", withoutSecrets(JSON.stringify(args))]]),
    ...(answer === undefined ? [] : [["answer", withoutSecrets(JSON.stringify(answer))]]),
    ...(message === undefined ? [] : [["message", message]]),
    ...(task === undefined ? [] : [["record", task]]),
    ["run", `${run}, turn ${turn}${invocation > 1 ? ` of invocation ${invocation}` : ""}`],
    ...(model === null ? [] : [["model", model]]),
    ...(work === null ? [] : [[work.type === "planRun" ? "plan step" : "node", `${work.step} of ${work.workflow_id}`]]),
    ...(budget.limit === null ? [] : [["budget", JSON.stringify(budget.limit)]]),
    ...(budget.turn_cost === undefined ? [] : [["cost of turn", `$${budget.turn_cost}`]]),
    ...(by === undefined ? [] : [["by", by]]),
  ];
  return [
    joinLines(`${color.bold(tool)} ${state}`),
    indented(renderTable(facts)),
    ...(program === null ? [] : [color.bold("Program"), indented(withoutSecrets(program))]),
    ...reviews.map((review) => reviewText(review, color)),
    ...missing.map((what) => color.dim(`Not known: ${what}.`)),
  ].join("\n");
}

const reviewText = ({ id, title, votes }: ReasonReview, color: Colors): string =>
  [
    `${color.bold("Review")} ${title} (${id})`,
    ...votes.map(({ by, for: whom, choice, at, verified, note, value }) => {
      const change = value === undefined ? "" : ` with ${JSON.stringify(value)}`;
      const words = note === undefined ? "" : `: ${JSON.stringify(note)}`;
      return `  ${at}  ${actorText(by, whom)} (${verified ? "verified" : "not verified"})  ${choice}${change}${words}`;
    }),
  ]
    .map(joinLines)
    .join("\n");
