import type { Command } from "commander";
import { projectOf, projectPrefix, workflowIdIn } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import type { EffectReasons } from "../../core/history/why/effect-reasons";
import { findMission } from "../input/find-mission";
import { withSession } from "../session/session";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

const EXAMPLE = `
EFFECT is the key of an effect, or its beginning: navigator effects ID --json has them. The key names the mission.
Without a server: --file takes an exported history (JSON), or what \`navigator ledger export\` prints.

Example:
  $ navigator why agent/order-42~fRV0WzwTdNmWSYOM_vBXBltgAmFBIwIUV-T_pYNofk8~1
  $ navigator why agent/order-42 --file ledger.jsonl`;

/** `navigator why`: the chain from an effect back to the program, the people and the money. */
export function registerWhy(program: Command, io: CommandIo): void {
  program
    .command("why <effect>")
    .description("why an effect came about: program, turn, model, plan step or node, who approved it, budget")
    .option(
      "--file <file>",
      "an exported ledger, or an exported history (JSON), instead of a server; - reads standard input",
    )
    .addHelpText("after", EXAMPLE)
    .action(async (effect: string, { file }: { file?: string }) => {
      if (effect.trim() === "")
        throw new NavigatorError("invalid_arguments", "EFFECT is empty.", {
          hint: "See the effects of a mission with their keys: navigator effects ID --json",
        });
      const { whyText } = await import("../show/render-why");
      const show = (reasons: EffectReasons[]) => {
        if (reasons.length === 0)
          throw new NavigatorError("not_found", `There is no effect whose key begins with "${effect}" here.`, {
            hint: "See the effects of a mission with their keys: navigator effects ID --json",
          });
        io.result(reasons, () => whyText(reasons, io.color));
      };
      if (file !== undefined) return show(await reasonsIn(file, effect));
      await withSession(io, false, async ({ client }) => {
        const [{ missionTries, takenOverBy }, { whyInHistory }] = await Promise.all([
          import("../../client/retries"),
          import("../../core/history/why/why-in-history"),
        ]);
        const [mission = effect] = effect.split("~");
        const { id, tries } = await findMission(mission, async (id) => ({ id, tries: await missionTries(client, id) }));
        const whole = workflowIdIn(client.project, id);
        if (mission === effect) {
          const [named, ...earlier] = tries;
          show(whyInHistory(named, "", earlier));
          return EXIT.done;
        }
        const key = `${whole}${effect.slice(mission.length)}`;
        // A mission that has taken this one over keeps its keys: the last one tells what became of an effect.
        let last = whole;
        for (let next: string | undefined = whole; next !== undefined; next = await takenOverBy(client, last))
          last = next;
        const reasonsOf = ([one, ...earlier]: typeof tries) => whyInHistory(one, key, earlier);
        const reasons = last === whole ? [] : reasonsOf(await missionTries(client, last));
        show(reasons.length > 0 ? reasons : reasonsOf(tries));
        return EXIT.done;
      });
    });
}

/** Keys have the name of the project before them, which whoever works in the project may leave out. */
function ofProject(effect: string, mission: string): string {
  const prefix = projectPrefix(projectOf(mission));
  return effect.startsWith(prefix) ? effect : `${prefix}${effect}`;
}

async function reasonsIn(file: string, effect: string): Promise<EffectReasons[]> {
  const [{ textInput }, { parseExport }, { whyInExport }, { whyInHistory }, { historyIn }] = await Promise.all([
    import("../input/text-input"),
    import("../../core/history/export/parse-export"),
    import("../../core/history/why/why-in-export"),
    import("../../core/history/why/why-in-history"),
    import("../input/history-file"),
  ]);
  const text = textInput(file);
  const { parsed, problems } = parseExport(text);
  if (parsed !== null) return whyInExport(parsed, ofProject(effect, parsed.header.mission));
  const [first] = problems;
  if (text.includes('"line":"link"'))
    throw new NavigatorError("invalid_ledger", `${file}, line ${first?.line}: ${first?.message}`, {
      hint: `See all that is wrong with it: navigator ledger verify ${file}`,
    });
  return historyIn(text, file, (history, workflow_id) =>
    whyInHistory({ workflow_id, runs: [history], children: [] }, ofProject(effect, workflow_id)),
  );
}
