import { type PeopleFile, peopleVersion } from "../../../core/review/people/people-file";
import { addPerson, removePerson } from "../../../node/identity/edit-people";
import { loadPeople } from "../../../node/identity/people-on-disk";
import { repeated } from "../../input/repeated";
import { CONFIG_OPTION, EXAMPLE_KEY, isoNow, projectPlace } from "../../session/project-people";
import { peopleText } from "../../show/render-people";
import type { TopCommands } from "../../terminal/command";
import type { CommandIo } from "../../terminal/io";
import { peopleGroupsCommands } from "./groups";
import { peopleKeysCommands } from "./keys";

/** `navigator people`: the people, groups and services of a project, in its people.yaml. No server is needed. */
export const peopleCommands: TopCommands = {
  people: {
    commands: [
      {
        name: "add <name>",
        about: "add a person; somebody who was removed comes back",
        options: [
          ["--key <public>", "the person's public key, as `navigator login` and `whoami` print it"],
          ["--email <address>", "where notifications are sent"],
          ["--group <name>", "a group to join; may be repeated", repeated],
          ["--oidc <subject>", "the subject of the person's OIDC tokens"],
          CONFIG_OPTION,
        ],
        examples: [`navigator people add anna --key ${EXAMPLE_KEY} --group finance`],
        run: async (io: CommandIo, name: string, options: AddOptions) => {
          const { file } = await projectPlace(io);
          const { group, ...person } = options;
          const after = addPerson(file, name, { ...person, groups: group }, isoNow());
          io.result(personView(after, name), () => `Added ${name} to ${file}. Commit the file.`);
          if (options.key === undefined && options.oidc === undefined)
            io.err(`${name} has no key yet, and can sign nothing: navigator people key ${name} add PUBLIC`);
        },
      },
      {
        name: "list",
        about: "list the people, groups and services of the project",
        options: [CONFIG_OPTION],
        examples: ["navigator people list"],
        run: async (io: CommandIo) => {
          const { file } = await projectPlace(io);
          const found = loadPeople(file);
          io.result({ file, version: peopleVersion(found), ...found }, () => peopleText(found, file));
        },
      },
      {
        name: "remove <name>",
        about: "somebody left: what the person signs from now on does not count, and no call begins on a yes of before",
        options: [CONFIG_OPTION],
        examples: ["navigator people remove carl"],
        run: async (io: CommandIo, name: string) => {
          const { file } = await projectPlace(io);
          const after = removePerson(file, name, isoNow());
          io.result(personView(after, name), () => `${name} decides nothing any more. Commit ${file}.`);
          for (const [group, { lead }] of Object.entries(after.groups))
            if (lead === name)
              io.err(`${name} leads ${group}: name another: navigator people group ${group} --lead NAME`);
        },
      },
      ...peopleKeysCommands,
      ...peopleGroupsCommands,
    ],
  },
};

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
