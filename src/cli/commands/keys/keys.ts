import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { NavigatorError } from "../../../core/base/navigator-error";
import type { EncryptionKey } from "../../../node/encoding/encryption-keys";
import { CONFIG_OPTION } from "../../session/project-people";
import { withSession } from "../../session/session";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { renderTable } from "../../terminal/render";

/** So many open workflows are named when a key cannot be retired. */
const NAMED = 5;

/**
 * `navigator keys`: the encryption keys of a project (docs/encryption.md). The keys by which people sign are those of
 * `navigator login` and `navigator people key`.
 */
export function registerKeys(program: Command, io: CommandIo): void {
  const keys = program
    .command("keys")
    .description("encryption keys: what the Temporal server keeps of the project is encrypted with them")
    .addHelpText(
      "after",
      `
Whoever has a key of the project encrypts with the newest and reads with all. Every worker, page and command line needs the same keys.
People sign with other keys: navigator login, navigator people key.`,
    );

  keys
    .command("create")
    .description("make a key: the first one encrypts from now on, a later one stands by until `keys use`")
    .option("--id <id>", "its id, which payloads show (default: the project, the day and six letters)")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator keys create")
    .action(async ({ id }: { id?: string }) => {
      const [place, { createKey }] = await Promise.all([ownKeys(io), import("../../../node/encoding/change-keys")]);
      const { made, content } = createKey(place, id);
      const encrypts = content.newest === made;
      io.result({ id: made, encrypts, file: place.file }, () =>
        [
          encrypts
            ? `Made the key ${made}. What the project writes from now on is encrypted with it.`
            : `Made the key ${made}, which stands by. Bring it to every machine, and then: navigator keys use ${made}`,
          `It is in ${place.file}: keep a copy, without it nobody can read what it encrypted.`,
        ].join("\n"),
      );
      if (encrypts)
        io.err(
          'Restart the workers and servers: they write in the clear until then. And write codec: "aes-gcm" into navigator.config, so that a process without keys refuses to.',
        );
    });

  keys
    .command("list")
    .description("list the keys that this process has, without the keys themselves")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator keys list")
    .action(async () => {
      const [{ encodingOfFolder }, { HOW_TO_GET_KEYS, keyFingerprint }] = await Promise.all([
        import("../../../project/encoding"),
        import("../../../node/encoding/encryption-keys"),
      ]);
      const { keys: found, codecs } = await encodingOfFolder(process.env, io.config);
      const newest = found.newest()?.id;
      const shown = found.all().map((key: EncryptionKey) => ({
        id: key.id,
        encrypts: key.id === newest,
        created_at: key.created_at,
        fingerprint: keyFingerprint(key.secret),
      }));
      const retired = found.retired();
      io.result({ place: found.place, codecs, keys: shown, retired }, () =>
        shown.length + retired.length === 0
          ? `There is no key in ${found.place}. ${HOW_TO_GET_KEYS}`
          : renderTable([
              ...shown.map((key) => [
                key.id,
                key.encrypts ? io.color.green("encrypts") : "reads",
                `fingerprint ${key.fingerprint}`,
                `created ${key.created_at}`,
              ]),
              ...retired.map(({ id, retired_at }) => [id, "retired", "", `retired ${retired_at}`]),
            ]),
      );
    });

  keys
    .command("rotate")
    .description("make a key and encrypt with it from now on; what older keys encrypted stays readable")
    .option("--id <id>", "the id of the new key")
    .option(...CONFIG_OPTION)
    .addHelpText(
      "after",
      `
With workers on several machines make the key first (navigator keys create), bring it to all of them, and then use it (navigator keys use ID).

Example:
  $ navigator keys rotate`,
    )
    .action(async ({ id }: { id?: string }) => {
      const [place, { rotateKey }] = await Promise.all([ownKeys(io), import("../../../node/encoding/change-keys")]);
      const { made } = rotateKey(place, id);
      io.result(
        { id: made, encrypts: true, file: place.file },
        () => `Made the key ${made}. What the project writes from now on is encrypted with it.`,
      );
    });

  keys
    .command("use <id>")
    .description("encrypt with this key from now on")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator keys use shop-2026-11-26-3f9a1c")
    .action(async (id: string) => {
      const [place, { useKey }] = await Promise.all([ownKeys(io), import("../../../node/encoding/change-keys")]);
      useKey(place, id);
      io.result(
        { id, encrypts: true, file: place.file },
        () => `What the project writes from now on is encrypted with ${id}.`,
      );
    });

  keys
    .command("export")
    .description("print all keys as text, for another machine or for NAVIGATOR_ENCRYPTION_KEYS: a secret")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator keys export | ssh worker-2 navigator keys import -")
    .action(async () => {
      const { encodingOfFolder } = await import("../../../project/encoding");
      const { keys: found } = await encodingOfFolder(process.env, io.config);
      const all = found.all();
      if (all.length === 0)
        throw new NavigatorError("encryption_key_missing", `There is no key in ${found.place}.`, {
          hint: "Make or bring keys: navigator keys create, navigator keys import FILE",
        });
      const list = all.map(({ id, secret, created_at }) => ({ id, secret: secret.toString("base64url"), created_at }));
      io.document(`${JSON.stringify({ newest: found.newest()?.id ?? null, keys: list, retired: found.retired() })}\n`);
    });

  keys
    .command("import <file>")
    .description("add keys that `keys export` printed; - reads them from stdin")
    .option("--use", "encrypt with its newest key, also if the one that encrypts here was made later")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator keys import keys.json")
    .action(async (file: string, { use }: { use?: boolean }) => {
      const [place, { importKeys }, { parseKeyFile }, { readTextFile }] = await Promise.all([
        ownKeys(io),
        import("../../../node/encoding/change-keys"),
        import("../../../node/encoding/encryption-keys"),
        import("../../../node/data-file"),
      ]);
      const given = parseKeyFile(
        file === "-" ? readFileSync(0, "utf8") : readTextFile(file),
        file === "-" ? "stdin" : file,
      );
      const { keys: all, newest } = importKeys(place, given, { use: use === true });
      io.result(
        { keys: all.map(({ id }) => id), newest, file: place.file },
        () =>
          `${place.file} has the ${all.length === 1 ? "key" : "keys"} ${all.map(({ id }) => id).join(", ")}. ${newest} encrypts.`,
      );
    });

  keys
    .command("retire <id>")
    .description("remove a key, unless open work needs it: what it encrypted can never be read again")
    .option("--force", "also if open work needs it, and without asking a server")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  $ navigator keys retire shop-2026-01-02-a1b2c3")
    .action(async (id: string, { force }: { force?: boolean }) => {
      const [place, { retireKey }] = await Promise.all([ownKeys(io), import("../../../node/encoding/change-keys")]);
      const retire = () => {
        retireKey(place, id);
        io.result({ id, file: place.file }, () => `The key ${id} is gone. What it encrypted cannot be read any more.`);
      };
      if (force) return retire();
      await withSession(io, false, async ({ client }) => {
        const [{ openRunsOfKey }, { msUntilSeen }] = await Promise.all([
          import("../../../client/runs/keys-in-use"),
          import("../../../node/encoding/encryption-keys"),
        ]);
        // Another process may encrypt with it for a moment: what is searched too early is not all.
        await delay(msUntilSeen(place.file));
        const open = await openRunsOfKey(client, id, NAMED);
        if (open.length > 0)
          throw new NavigatorError(
            "still_running",
            `Open work has data of the key ${id}: ${open.join(", ")}${open.length === NAMED ? ", and maybe more" : ""}.`,
            { hint: `Wait until that work has ended, or give it up: navigator keys retire ${id} --force` },
          );
        retire();
        return EXIT.done;
      });
    });
}

/** The key file of the project on this machine. @throws NavigatorError `bad_config` if a setting names the keys */
async function ownKeys(io: CommandIo): Promise<{ file: string; prefix: string }> {
  const [{ projectName }, { loadConfig }, { keyFileOf }] = await Promise.all([
    import("../../../project/name"),
    import("../../../node/settings"),
    import("../../../node/encoding/encryption-keys"),
  ]);
  const { identity, encryptionKeys } = loadConfig();
  if (encryptionKeys !== null)
    throw new NavigatorError(
      "bad_config",
      "NAVIGATOR_ENCRYPTION_KEYS says which keys there are: change it where it is set.",
      {
        hint: "Unset it to keep the keys in a file of this machine.",
        details: { path: "NAVIGATOR_ENCRYPTION_KEYS" },
      },
    );
  const project = await projectName(process.env, io.config);
  return { file: keyFileOf(identity, project), prefix: project ?? "key" };
}
