import { userInfo } from "node:os";
import { defined } from "../../core/base/defined";
import type { PeopleFile, PublicKey } from "../../core/review/people/people-file";
import { addPerson } from "../../node/identity/edit-people";
import { currentPerson, type LoggedIn, loggedIn, logIn, logOut } from "../../node/identity/key-store";
import { loadPeople } from "../../node/identity/people-on-disk";
import { loadConfig } from "../../node/settings";
import { shellWord } from "../../node/shell-word";
import { inProjectText, isoNow, type ProjectPlace, projectPlace } from "../session/project-people";
import { CONFIG_OPTION, type TopCommands } from "../terminal/command";

import type { CommandIo } from "../terminal/io";

/** `navigator login`, `logout` and `whoami`: who the user of this machine is in a project. No server is needed. */
export const loginCommands: TopCommands = {
  login: {
    options: [
      ["--as <name>", "your name in the project's people.yaml (default: as before, else your user name)"],
      ["--add", "add yourself to people.yaml, where you are not in it yet"],
      ["--new", "make a new key, for example because the old one was seen by others"],
      CONFIG_OPTION,
    ],
    notes: "The private key stays in NAVIGATOR_IDENTITY (default ~/.config/navigator), and only you can read it.",
    examples: ["navigator login --as anna"],
    run: async (io: CommandIo, options: LoginOptions) => {
      const place = await projectPlace(io);
      // Refuse a wrong file before anything changes.
      let people = loadPeople(place.file);
      const { project } = place;
      const name = options.as ?? currentPerson(project) ?? userInfo().username;
      const { made, ...user } = logIn(project, name, defined({ fresh: options.new }));
      if (options.add && keyIn(people, user) === undefined) {
        people = addPerson(place.file, name, { key: user.key.x }, isoNow());
      }
      const { identity } = loadConfig();
      io.result({ ...view(place, user, people), made }, () =>
        [
          `Logged in as ${name}${inProjectText(project)}.${made ? ` Made a key, which stays in ${identity}.` : ""}`,
          ...lines(place, user, people),
        ].join("\n"),
      );
    },
  },
  logout: {
    options: [CONFIG_OPTION],
    examples: ["navigator logout"],
    run: async (io: CommandIo) => {
      const { project } = await projectPlace(io);
      const person = logOut(project);
      io.result({ project, person }, () =>
        person === null
          ? `Nobody was logged in${inProjectText(project)}.`
          : `${person} is logged out${inProjectText(project)}.`,
      );
    },
  },
  whoami: {
    options: [CONFIG_OPTION],
    examples: ["navigator whoami"],
    run: async (io: CommandIo) => {
      const place = await projectPlace(io);
      const { project } = place;
      const user = loggedIn(project);
      if (user === null)
        return io.result(
          { project, person: null },
          () => `Nobody is logged in${inProjectText(project)}. Log in: navigator login --as NAME`,
        );
      const people = loadPeople(place.file);
      io.result(view(place, user, people), () =>
        [`${user.person}${inProjectText(project)}`, ...lines(place, user, people)].join("\n"),
      );
    },
  },
};

interface LoginOptions {
  as?: string;
  add?: boolean;
  new?: boolean;
}

const personOf = ({ people }: PeopleFile, name: string): PeopleFile["people"][string] | undefined =>
  Object.hasOwn(people, name) ? people[name] : undefined;

const keyIn = (people: PeopleFile, { person, key }: LoggedIn): PublicKey | undefined =>
  personOf(people, person)?.keys.find(({ public: x }) => x === key.x);

function view({ project, file }: ProjectPlace, user: LoggedIn, people: PeopleFile) {
  const { person, key } = user;
  const groups = Object.entries(people.groups);
  return {
    project,
    person,
    kid: key.kid,
    public: key.x,
    file,
    /** Whether what this key signs counts in the project. */
    known: status(user, people) === "known",
    groups: groups.filter(([, { members }]) => members.includes(person)).map(([name]) => name),
    leads: groups.filter(([, { lead }]) => lead === person).map(([name]) => name),
  };
}

function status(user: LoggedIn, people: PeopleFile): "known" | "removed" | "revoked" | "other_key" | "absent" {
  const there = personOf(people, user.person);
  if (there === undefined) return "absent";
  if (there.removed !== undefined) return "removed";
  const key = keyIn(people, user);
  if (key === undefined) return "other_key";
  return key.revoked === undefined ? "known" : "revoked";
}

/** The key, and what is to do so that the project knows it. */
function lines(place: ProjectPlace, user: LoggedIn, people: PeopleFile): string[] {
  const { person, key } = user;
  const name = shellWord(person);
  const { groups, leads } = view(place, user, people);
  const belongs = [...groups.map((group) => (leads.includes(group) ? `${group} (leads)` : group))];
  const stateLines = {
    known: [`The project knows this key.${belongs.length === 0 ? "" : ` Groups: ${belongs.join(", ")}.`}`],
    removed: [`${person} is not one of the project's people any more.`],
    revoked: ["This key was revoked: make a new one with `navigator login --new`."],
    other_key: [
      `The project does not know this key. The owner of ${place.file} runs:`,
      `  navigator people key ${name} add ${key.x}`,
    ],
    absent: [
      `The project does not know ${person}. The owner of ${place.file} runs:`,
      `  navigator people add ${name} --key ${key.x}`,
    ],
  }[status(user, people)];
  return [`  public key  ${key.x}`, `  key id      ${key.kid}`, ...stateLines];
}
