import { effectReasons } from "../../client/runs/effect-reasons";
import { withoutSecrets } from "../../core/agent/prompt/key-shapes";
import { projectOf, reviewIdIn, workflowIdIn } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import { joinLines } from "../../core/base/one-line";
import { parseExport } from "../../core/history/export/parse-export";
import { type EffectReasons, type ReasonReview, reasonsOfReview } from "../../core/history/why/effect-reasons";
import { whyInExport } from "../../core/history/why/why-in-export";
import { whyInHistory } from "../../core/history/why/why-in-history";
import { shellWord } from "../../node/shell-word";
import { findMission } from "../input/find-mission";
import { historyIn } from "../input/history-file";
import { textInput } from "../input/text-input";
import { withSession } from "../session/session";
import { actorText } from "../show/review-course";
import { indented } from "../show/values";
import type { TopCommands } from "../terminal/command";
import { badUsage } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { type Colors, renderTable } from "../terminal/render";

const KEYS = "See the effects of a mission with their keys: navigator effects ID --json";

/** `navigator why`: the chain from an effect back to the program, the people and the money. */
export const whyCommands: TopCommands = {
  why: {
    options: [
      [
        "--file <file>",
        "an exported ledger, or an exported history (JSON), instead of a server; - reads standard input",
      ],
    ],
    notes: `ID is the key of an effect, or its beginning (navigator effects ID --json has them), the id of a review, or that of a mission.
Without a server: --file takes an exported history (JSON), or what \`navigator ledger export\` prints.`,
    examples: [
      "navigator why agent/order-42~fRV0WzwTdNmWSYOM_vBXBltgAmFBIwIUV-T_pYNofk8~1",
      "navigator why agent/order-42/refund/1",
      "navigator why agent/order-42 --file ledger.jsonl",
    ],
    run: async (io: CommandIo, id: string, { file }: { file?: string }) => {
      if (id.trim() === "") throw badUsage("ID", "ID is empty.", KEYS);
      const show = (reasons: EffectReasons[]) => {
        if (reasons.length === 0)
          throw new NavigatorError(
            "not_found",
            `No effect has a key that begins with "${id}", and no review of this id asked about one.`,
            { hint: KEYS, details: { path: id, kind: "effect" } },
          );
        io.result(reasons, () => whyText(reasons, io.color));
      };
      if (file !== undefined) return show(await reasonsInFile(file, id));
      await withSession(io, "read", async ({ client }) => {
        const [mission = id] = id.split("~");
        const key = (whole: string) =>
          mission === id ? "" : `${workflowIdIn(client.project, whole)}${id.slice(mission.length)}`;
        show(await findMission(mission, (whole) => effectReasons(client, whole, key(whole))));
      });
    },
  },
};

async function reasonsInFile(file: string, id: string): Promise<EffectReasons[]> {
  const find = (mission: string, read: (key: string) => EffectReasons[]) => {
    const project = projectOf(mission);
    const ofKey = read(workflowIdIn(project, id));
    return ofKey.length > 0 ? ofKey : reasonsOfReview(read(""), reviewIdIn(project, id));
  };
  const text = textInput(file);
  const { parsed, problems } = parseExport(text);
  if (parsed !== null) return find(parsed.header.mission, (key) => whyInExport(parsed, key));
  const [first] = problems;
  if (text.includes('"line":"link"'))
    throw new NavigatorError("invalid_input", `${file}, line ${first?.line}: ${first?.message}`, {
      hint: `See all that is wrong with it: navigator ledger verify ${shellWord(file)}`,
      details: { path: `${file}:${first?.line}` },
    });
  return historyIn(text, file, (history, workflow_id) =>
    find(workflow_id, (key) => whyInHistory({ workflow_id, runs: [history], children: [] }, key)),
  );
}

/** The reasons of effects, each from the effect back to the people. What looks like a key of a provider is left out. */
const whyText = (reasons: readonly EffectReasons[], color: Colors): string =>
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
    ...votes.map(({ by, for: represented, choice, at, verified, note, value }) => {
      const change = value === undefined ? "" : ` with ${JSON.stringify(value)}`;
      const words = note === undefined ? "" : `: ${JSON.stringify(note)}`;
      return `  ${at}  ${actorText(by, represented)} (${verified ? "verified" : "not verified"})  ${choice}${change}${words}`;
    }),
  ]
    .map(joinLines)
    .join("\n");
