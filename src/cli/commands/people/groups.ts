import { changeGroup, delegate } from "../../../node/identity/edit-people";
import { timeArgument } from "../../input/date-argument";
import { repeated } from "../../input/repeated";
import { CONFIG_OPTION, projectPlace } from "../../session/project-people";
import { type CommandSpec, required } from "../../terminal/command";
import { badUsage } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

/** `navigator people group` and `navigator people delegate`. */
export const peopleGroupsCommands: readonly CommandSpec[] = [
  {
    name: "group <name>",
    about: "change a group, or make it; a review names it as `group:NAME`, and who leads it as `lead:NAME`",
    options: [
      ["--add <person>", "a new member; may be repeated", repeated],
      ["--remove <person>", "somebody who is no member any more; may be repeated", repeated],
      ["--lead <person>", "who leads the group"],
      ["--no-lead", "nobody leads it any more"],
      CONFIG_OPTION,
    ],
    examples: ["navigator people group finance --add anna --add ben --lead ben"],
    run: async (
      io: CommandIo,
      name: string,
      options: { add?: string[]; remove?: string[]; lead?: string | boolean },
    ) => {
      const { add = [], remove = [] } = options;
      const lead = options.lead === false ? null : typeof options.lead === "string" ? options.lead : undefined;
      if (add.length + remove.length === 0 && lead === undefined)
        throw badUsage("--add", "Say what changes: --add, --remove or --lead.");
      const { file } = await projectPlace(io);
      const group = changeGroup(file, name, { add, remove, lead }).groups[name];
      io.result({ name, members: [], ...group }, () =>
        group === undefined
          ? `The group ${name} has no members and is removed. Commit ${file}.`
          : `${name}: ${group.members.join(", ")}${group.lead === undefined ? "" : ` (led by ${group.lead})`}. Commit ${file}.`,
      );
    },
  },
  {
    name: "delegate <from> <to>",
    about: "let somebody decide in a person's place for some time",
    options: [
      required("--until <date>", "the last day (UTC), or a time with its zone"),
      ["--begin <date>", "the first day (UTC), or a time with its zone (default: now)"],
      CONFIG_OPTION,
    ],
    examples: ["navigator people delegate anna ben --until 2027-01-06"],
    run: async (io: CommandIo, from: string, to: string, options: { until: string; begin?: string }) => {
      const until = timeArgument("--until", options.until, { end: true });
      const begin = options.begin === undefined ? undefined : timeArgument("--begin", options.begin);
      if (Date.parse(until) <= Math.max(Date.now(), begin === undefined ? 0 : Date.parse(begin)))
        throw badUsage("--until", `--until: it would be over at ${until}, before it begins.`);
      const { file } = await projectPlace(io);
      const after = delegate(file, from, { to, begin, until });
      io.result(
        { from, delegations: after.people[from]?.delegations ?? [] },
        () =>
          `${to} may decide for ${from}${begin === undefined ? "" : ` from ${begin}`} until ${until}. Commit ${file}.`,
      );
    },
  },
];
