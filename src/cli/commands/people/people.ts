import type { Command } from "commander";
import type { PeopleFile } from "../../../core/review/people/people-file";
import { repeated } from "../../input/repeated";
import { CONFIG_OPTION, EXAMPLE_KEY, isoNow, projectPlace } from "../../session/project-people";
import type { CommandIo } from "../../terminal/io";
import { registerPeopleGroups } from "./groups";
import { registerPeopleKeys } from "./keys";

/** `navigator people`: the people, groups and services of a project, in its people.yaml. No server is needed. */
export function registerPeople(program: Command, io: CommandIo): void {
  const people = program
    .command("people")
    .description("who may decide in a project: people, groups and services with their public keys (people.yaml)");

  people
    .command("add <name>")
    .description("add a person; somebody who was removed comes back")
    .option("--key <public>", "the person's public key, as `navigator login` and `whoami` print it")
    .option("--email <address>", "where notifications are sent")
    .option("--group <name>", "a group to join; may be repeated", repeated)
    .option("--oidc <subject>", "the subject of the person's OIDC tokens")
    .option(...CONFIG_OPTION)
    .addHelpText("after", `\nExample:\n  $ navigator people add anna --key ${EXAMPLE_KEY} --group finance`)
    .action(async (name: string, options: AddOptions) => {
      const { addPerson } = await import("../../../node/identity/edit-people");
      const { file } = await projectPlace(io);
      const { group, ...person } = options;
      const after = addPerson(file, name, { ...person, groups: group }, isoNow());
      io.result(personView(after, name), () => `Added ${name} to ${file}. Commit the file.`);
      if (options.key === undefined && options.oidc === undefined)
        io.err(`${name} has no key yet, and can sign nothing: navigator people key ${name} add PUBLIC`);
    });

  people
    .command("list")
    .description("list the people, groups and services of the project")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator people list")
    .action(async () => {
      const [{ loadPeople }, { peopleText }, { peopleVersion }] = await Promise.all([
        import("../../../node/identity/people-on-disk"),
        import("../../show/render-people"),
        import("../../../core/review/people/people-file"),
      ]);
      const { file } = await projectPlace(io);
      const found = loadPeople(file);
      io.result({ file, version: peopleVersion(found), ...found }, () => peopleText(found, file));
    });

  people
    .command("remove <name>")
    .description(
      "somebody left: what the person signs from now on does not count, and no call begins on a yes of before",
    )
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator people remove carl")
    .action(async (name: string) => {
      const { removePerson } = await import("../../../node/identity/edit-people");
      const { file } = await projectPlace(io);
      const after = removePerson(file, name, isoNow());
      io.result(personView(after, name), () => `${name} decides nothing any more. Commit ${file}.`);
      for (const [group, { lead }] of Object.entries(after.groups))
        if (lead === name) io.err(`${name} leads ${group}: name another: navigator people group ${group} --lead NAME`);
    });

  registerPeopleKeys(people, io);
  registerPeopleGroups(people, io);
}

interface AddOptions {
  key?: string;
  email?: string;
  group?: string[];
  oidc?: string;
}

/** What a command answers about one person. */
const personView = ({ people, groups }: PeopleFile, name: string) => ({
  name,
  ...people[name],
  groups: Object.keys(groups).filter((group) => groups[group]?.members.includes(name)),
});
