import type { PeopleFile } from "../../../core/review/people/people-file";
import { addKey, keysOf, revokeKey, setService } from "../../../node/identity/edit-people";
import { serviceKey } from "../../../node/identity/key-store";
import { loadPeople } from "../../../node/identity/people-on-disk";
import { repeated } from "../../input/repeated";
import { CONFIG_OPTION, EXAMPLE_KEY, isoNow, projectPlace } from "../../session/project-people";
import { keysText } from "../../show/render-people";
import type { CommandSpec } from "../../terminal/command";
import { badUsage } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

/** `navigator people key` and `navigator people service`. */
export const peopleKeysCommands: readonly CommandSpec[] = [
  {
    name: "key <name> [action] [key]",
    about: "the keys of a person or a service: `list`, `add PUBLIC` or `revoke KID`",
    options: [CONFIG_OPTION],
    notes:
      "What a key signs after it was revoked does not count. What it signed before stays valid as evidence, and no call begins on it any more.",
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
          `navigator people key ${name} ${action} ${action === "add" ? "PUBLIC" : "KID"}`,
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
        "vouch: it signs for people whom it has authenticated. sign_ledger: for heads of ledgers. May be repeated",
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

type Right = PeopleFile["services"][string]["may"][number];

function rightsOf(texts: readonly string[]): Right[] {
  return texts.map((text) => {
    if (text === "vouch" || text === "sign_ledger") return text;
    throw badUsage("--may", `--may: "${text}" is no right. There are: vouch, sign_ledger.`);
  });
}
