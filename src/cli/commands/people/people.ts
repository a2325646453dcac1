import { hasPeople, type PeopleFile, type PublicKey, peopleVersion } from "../../../core/review/people/people-file";
import {
  addKey,
  addPerson,
  changeGroup,
  delegate,
  keysOf,
  removePerson,
  revokeKey,
  setService,
} from "../../../node/identity/edit-people";
import { serviceKey } from "../../../node/identity/key-store";
import { loadPeople } from "../../../node/identity/people-on-disk";
import { shellWord } from "../../../node/shell-word";
import { repeated, timeArgument } from "../../input/arguments";
import { EXAMPLE_KEY, isoNow, projectPlace } from "../../session/project-people";
import { CONFIG_OPTION, type CommandSpec, required, type TopCommands } from "../../terminal/command";
import { badUsage } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { renderTable } from "../../terminal/render";

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

/** `navigator people group` and `navigator people delegate`. */
const peopleGroupsCommands: readonly CommandSpec[] = [
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
        throw badUsage("--add", "No change is given. Use --add, --remove or --lead.");
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

/** `navigator people key` and `navigator people service`. */
const peopleKeysCommands: readonly CommandSpec[] = [
  {
    name: "key <name> [action] [key]",
    about: "the keys of a person or a service: `list`, `add PUBLIC` or `revoke KID`",
    options: [CONFIG_OPTION],
    notes:
      "Signatures after the revocation do not count. Earlier signatures stay valid as evidence, and no call begins on them any more.",
    examples: [
      "navigator people key anna list",
      `navigator people key anna add ${EXAMPLE_KEY}`,
      "navigator people key anna revoke If4x36FUomFia_hU",
    ],
    run: async (io: CommandIo, name: string, action = "list", key: string | undefined) => {
      const { file } = await projectPlace(io);
      if (action === "list") {
        const keys = keysOf(loadPeople(file), name);
        return io.result({ name, keys }, () => (keys.length === 0 ? `${name} has no keys.` : keysText(keys)));
      }
      if (action !== "add" && action !== "revoke")
        throw badUsage(
          "ACTION",
          `"${action}" is nothing that can be done with keys.`,
          "There are: list, add PUBLIC, revoke KID",
        );
      if (key === undefined)
        throw badUsage(
          "KEY",
          `Name the ${action === "add" ? "public key" : "id of the key"}.`,
          `navigator people key ${shellWord(name)} ${action} ${action === "add" ? "PUBLIC" : "KID"}`,
        );
      const after = action === "add" ? addKey(file, name, key, isoNow()) : revokeKey(file, name, key, isoNow());
      io.result({ name, keys: keysOf(after, name) }, () =>
        action === "add" ? `Added a key of ${name}. Commit ${file}.` : `Revoked ${key} of ${name}. Commit ${file}.`,
      );
    },
  },
  {
    name: "service <name>",
    about: "add a service that signs, such as the page, or give it one more key or right",
    options: [
      ["--key <public>", "its public key (default: that of the service of this name on this machine)"],
      [
        "--may <right>",
        "vouch: it signs for people that it has authenticated. sign_ledger: for heads of ledgers. May be repeated",
        repeated,
      ],
      CONFIG_OPTION,
    ],
    examples: [`navigator people service page --key ${EXAMPLE_KEY} --may vouch`],
    run: async (io: CommandIo, name: string, options: { key?: string; may?: string[] }) => {
      const may = rightsOf(options.may ?? []);
      const { file } = await projectPlace(io);
      const after = setService(file, name, { key: options.key ?? serviceKey(name).x, may }, isoNow());
      io.result({ name, ...after.services[name] }, () => `The service ${name} is in ${file}. Commit the file.`);
    },
  },
];

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
            io.err(`${name} has no key yet, and can sign nothing: navigator people key ${shellWord(name)} add PUBLIC`);
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
        about: "somebody left: new signatures of the person do not count, and no call begins on an earlier yes",
        options: [CONFIG_OPTION],
        examples: ["navigator people remove carl"],
        run: async (io: CommandIo, name: string) => {
          const { file } = await projectPlace(io);
          const after = removePerson(file, name, isoNow());
          io.result(personView(after, name), () => `${name} decides nothing any more. Commit ${file}.`);
          for (const [group, { lead }] of Object.entries(after.groups))
            if (lead === name)
              io.err(`${name} leads ${group}: name another: navigator people group ${shellWord(group)} --lead NAME`);
        },
      },
      ...peopleKeysCommands,
      ...peopleGroupsCommands,
    ],
  },
};

type Right = PeopleFile["services"][string]["may"][number];

function rightsOf(texts: readonly string[]): Right[] {
  return texts.map((text) => {
    if (text === "vouch" || text === "sign_ledger") return text;
    throw badUsage("--may", `--may: "${text}" is no right. There are: vouch, sign_ledger.`);
  });
}

/** The people, groups and services of a project. */
function peopleText(file: PeopleFile, path: string): string {
  if (!hasPeople(file) && Object.keys(file.services).length === 0)
    return [
      `The project has no people (${path}): decisions are taken under any name, and are unverified.`,
      "Begin with yourself: navigator login --add",
    ].join("\n");
  const people = Object.entries(file.people).map(([name, { email = "", keys, removed, delegations }]) => [
    name,
    groupsText(file, name),
    keyCount(keys),
    email,
    removed === undefined
      ? delegations.map(({ to, until }) => `${to} may decide until ${until}`).join(", ")
      : `left at ${removed}`,
  ]);
  const services = Object.entries(file.services).map(([name, { may, keys }]) => [
    name,
    may.join(", ") || "(no right)",
    keyCount(keys),
  ]);
  return [
    renderTable(people, ["NAME", "GROUPS", "KEYS", "E-MAIL", ""]),
    ...(services.length === 0 ? [] : ["", renderTable(services, ["SERVICE", "MAY", "KEYS"])]),
    "",
    `Version: ${peopleVersion(file)} (each decision keeps the version with which it was checked)`,
  ].join("\n");
}

const groupsText = ({ groups }: PeopleFile, name: string): string =>
  Object.entries(groups)
    .filter(([, { members, lead }]) => members.includes(name) || lead === name)
    .map(([group, { lead }]) => (lead === name ? `${group} (leads)` : group))
    .join(", ");

function keyCount(keys: readonly PublicKey[]): string {
  const valid = keys.filter(({ revoked }) => revoked === undefined).length;
  return valid === keys.length ? String(valid) : `${valid}, ${keys.length - valid} revoked`;
}

/** The keys of one person or service. */
const keysText = (keys: readonly PublicKey[]): string =>
  renderTable(
    keys.map(({ kid, public: text, added, revoked }) => [kid, text, added, revoked ?? ""]),
    ["KEY", "PUBLIC", "ADDED", "REVOKED"],
  );
