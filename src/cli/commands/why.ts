import type { Command } from "commander";
import { projectOf, reviewIdIn, workflowIdIn } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import { type EffectReasons, reasonsOfReview } from "../../core/history/why/effect-reasons";
import { findMission } from "../input/find-mission";
import { withSession } from "../session/session";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

const KEYS = "See the effects of a mission with their keys: navigator effects ID --json";

const EXAMPLE = `
ID is the key of an effect, or its beginning (navigator effects ID --json has them), the id of a review, or that of a mission.
Without a server: --file takes an exported history (JSON), or what \`navigator ledger export\` prints.

Example:
  $ navigator why agent/order-42~fRV0WzwTdNmWSYOM_vBXBltgAmFBIwIUV-T_pYNofk8~1
  $ navigator why agent/order-42/refund/1
  $ navigator why agent/order-42 --file ledger.jsonl`;

/** `navigator why`: the chain from an effect back to the program, the people and the money. */
export function registerWhy(program: Command, io: CommandIo): void {
  program
    .command("why <id>")
    .description("why an effect came about: program, turn, model, plan step or node, who approved it, budget")
    .option(
      "--file <file>",
      "an exported ledger, or an exported history (JSON), instead of a server; - reads standard input",
    )
    .addHelpText("after", EXAMPLE)
    .action(async (id: string, { file }: { file?: string }) => {
      if (id.trim() === "")
        throw new NavigatorError("bad_usage", "ID is empty.", { hint: KEYS, details: { path: "ID" } });
      const { whyText } = await import("../show/render-why");
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
      await withSession(io, false, async ({ client }) => {
        const { effectReasons } = await import("../../client/runs/effect-reasons");
        const [mission = id] = id.split("~");
        const key = (whole: string) =>
          mission === id ? "" : `${workflowIdIn(client.project, whole)}${id.slice(mission.length)}`;
        show(await findMission(mission, (whole) => effectReasons(client, whole, key(whole))));
        return EXIT.done;
      });
    });
}

async function reasonsInFile(file: string, id: string): Promise<EffectReasons[]> {
  const [{ textInput }, { parseExport }, { whyInExport }, { whyInHistory }, { historyIn }] = await Promise.all([
    import("../input/text-input"),
    import("../../core/history/export/parse-export"),
    import("../../core/history/why/why-in-export"),
    import("../../core/history/why/why-in-history"),
    import("../input/history-file"),
  ]);
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
      hint: `See all that is wrong with it: navigator ledger verify ${file}`,
      details: { path: `${file}:${first?.line}` },
    });
  return historyIn(text, file, (history, workflow_id) =>
    find(workflow_id, (key) => whyInHistory({ workflow_id, runs: [history], children: [] }, key)),
  );
}
