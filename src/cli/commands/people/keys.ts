import type { Command } from "commander";
import { NavigatorError } from "../../../core/base/navigator-error";
import type { PeopleFile } from "../../../core/review/people/people-file";
import { repeated } from "../../input/repeated";
import { CONFIG_OPTION, EXAMPLE_KEY, isoNow, projectPlace } from "../../session/project-people";
import type { CommandIo } from "../../terminal/io";

/** `navigator people key` and `navigator people service`. */
export function registerPeopleKeys(people: Command, io: CommandIo): void {
  people
    .command("key <name> [action] [key]")
    .description("the keys of a person or a service: `list`, `add PUBLIC` or `revoke KID`")
    .option(...CONFIG_OPTION)
    .addHelpText(
      "after",
      `
What a key signs after it was revoked does not count. What it signed before stays valid as evidence, and no call begins on it any more.

Example:
  $ navigator people key anna list
  $ navigator people key anna add ${EXAMPLE_KEY}
  $ navigator people key anna revoke If4x36FUomFia_hU`,
    )
    .action(async (name: string, action = "list", key: string | undefined) => {
      const { addKey, keysOf, revokeKey } = await import("../../../node/identity/edit-people");
      const { file } = await projectPlace(io);
      if (action === "list") {
        const { loadPeople } = await import("../../../node/identity/people-on-disk");
        const { keysText } = await import("../../show/render-people");
        const keys = keysOf(loadPeople(file), name);
        return io.result({ name, keys }, () => (keys.length === 0 ? `${name} has no keys.` : keysText(keys)));
      }
      if (action !== "add" && action !== "revoke")
        throw new NavigatorError("bad_usage", `"${action}" is nothing that can be done with keys.`, {
          hint: "There are: list, add PUBLIC, revoke KID",
          details: { path: "ACTION" },
        });
      if (key === undefined)
        throw new NavigatorError("bad_usage", `Name the ${action === "add" ? "public key" : "id of the key"}.`, {
          hint: `navigator people key ${name} ${action} ${action === "add" ? "PUBLIC" : "KID"}`,
          details: { path: "KEY" },
        });
      const after = action === "add" ? addKey(file, name, key, isoNow()) : revokeKey(file, name, key, isoNow());
      io.result({ name, keys: keysOf(after, name) }, () =>
        action === "add" ? `Added a key of ${name}. Commit ${file}.` : `Revoked ${key} of ${name}. Commit ${file}.`,
      );
    });

  people
    .command("service <name>")
    .description("add a service that signs, such as the page, or give it one more key or right")
    .option("--key <public>", "its public key (default: that of the service of this name on this machine)")
    .option(
      "--may <right>",
      "vouch: it signs for people whom it has authenticated. sign_ledger: for heads of ledgers. May be repeated",
      repeated,
    )
    .option(...CONFIG_OPTION)
    .addHelpText("after", `\nExample:\n  $ navigator people service page --key ${EXAMPLE_KEY} --may vouch`)
    .action(async (name: string, options: { key?: string; may?: string[] }) => {
      const [{ setService }, { serviceKey }] = await Promise.all([
        import("../../../node/identity/edit-people"),
        import("../../../node/identity/key-store"),
      ]);
      const may = rightsOf(options.may ?? []);
      const { file } = await projectPlace(io);
      const after = setService(file, name, { key: options.key ?? serviceKey(name).x, may }, isoNow());
      io.result({ name, ...after.services[name] }, () => `The service ${name} is in ${file}. Commit the file.`);
    });
}

type Right = PeopleFile["services"][string]["may"][number];

function rightsOf(texts: readonly string[]): Right[] {
  return texts.map((text) => {
    if (text === "vouch" || text === "sign_ledger") return text;
    throw new NavigatorError("bad_usage", `--may: "${text}" is no right. There are: vouch, sign_ledger.`, {
      details: { path: "--may" },
    });
  });
}
