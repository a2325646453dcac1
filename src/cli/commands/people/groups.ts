import type { Command } from "commander";
import { NavigatorError } from "../../../core/base/navigator-error";
import { timeArgument } from "../../input/date-argument";
import { repeated } from "../../input/repeated";
import { CONFIG_OPTION, projectPlace } from "../../session/project-people";
import type { CommandIo } from "../../terminal/io";

/** `navigator people group` and `navigator people delegate`. */
export function registerPeopleGroups(people: Command, io: CommandIo): void {
  people
    .command("group <name>")
    .description("change a group, or make it; a review names it as `group:NAME`, and who leads it as `lead:NAME`")
    .option("--add <person>", "a new member; may be repeated", repeated)
    .option("--remove <person>", "somebody who is no member any more; may be repeated", repeated)
    .option("--lead <person>", "who leads the group")
    .option("--no-lead", "nobody leads it any more")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator people group finance --add anna --add ben --lead ben")
    .action(async (name: string, options: { add?: string[]; remove?: string[]; lead?: string | boolean }) => {
      const { add = [], remove = [] } = options;
      const lead = options.lead === false ? null : typeof options.lead === "string" ? options.lead : undefined;
      if (add.length + remove.length === 0 && lead === undefined)
        throw new NavigatorError("bad_usage", "Say what changes: --add, --remove or --lead.", {
          details: { path: "--add" },
        });
      const { changeGroup } = await import("../../../node/identity/edit-people");
      const { file } = await projectPlace(io);
      const group = changeGroup(file, name, { add, remove, lead }).groups[name];
      io.result({ name, members: [], ...group }, () =>
        group === undefined
          ? `The group ${name} has no members and is removed. Commit ${file}.`
          : `${name}: ${group.members.join(", ")}${group.lead === undefined ? "" : ` (led by ${group.lead})`}. Commit ${file}.`,
      );
    });

  people
    .command("delegate <from> <to>")
    .description("let somebody decide in a person's place for some time")
    .requiredOption("--until <date>", "the last day (UTC), or a time with its zone")
    .option("--begin <date>", "the first day (UTC), or a time with its zone (default: now)")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator people delegate anna ben --until 2027-01-06")
    .action(async (from: string, to: string, options: { until: string; begin?: string }) => {
      const until = timeArgument("--until", options.until, { end: true });
      const begin = options.begin === undefined ? undefined : timeArgument("--begin", options.begin);
      if (Date.parse(until) <= Math.max(Date.now(), begin === undefined ? 0 : Date.parse(begin)))
        throw new NavigatorError("bad_usage", `--until: it would be over at ${until}, before it begins.`, {
          details: { path: "--until" },
        });
      const { delegate } = await import("../../../node/identity/edit-people");
      const { file } = await projectPlace(io);
      const after = delegate(file, from, { to, begin, until });
      io.result(
        { from, delegations: after.people[from]?.delegations ?? [] },
        () =>
          `${to} may decide for ${from}${begin === undefined ? "" : ` from ${begin}`} until ${until}. Commit ${file}.`,
      );
    });
}
