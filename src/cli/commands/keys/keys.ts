import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { openRunsOfKey } from "../../../client/runs/keys-in-use";
import { NavigatorError } from "../../../core/base/navigator-error";
import { readTextFile } from "../../../node/data-file";
import { createKey, importKeys, retireKey, rotateKey, useKey } from "../../../node/encoding/change-keys";
import {
  type EncryptionKey,
  HOW_TO_GET_KEYS,
  keyFileOf,
  keyFingerprint,
  msUntilSeen,
  parseKeyFile,
} from "../../../node/encoding/encryption-keys";
import { loadConfig } from "../../../node/settings";
import { shellWord } from "../../../node/shell-word";
import { encodingOfFolder } from "../../../project/encoding";
import { projectName } from "../../../project/name";
import { withSession } from "../../session/session";
import { CONFIG_OPTION, type TopCommands } from "../../terminal/command";
import type { CommandIo } from "../../terminal/io";
import { renderTable } from "../../terminal/render";

/** So many open workflows are named when a key cannot be retired. */
const NAMED = 5;

/**
 * `navigator keys`: the encryption keys of a project (docs/encryption.md). The keys by which people sign are those of
 * `navigator login` and `navigator people key`.
 */
export const keysCommands: TopCommands = {
  keys: {
    notes: `A process with the keys of the project encrypts with the newest and reads with all. Every worker, page and command line needs the same keys.
People sign with other keys: navigator login, navigator people key.`,
    commands: [
      {
        name: "create",
        about: "make a key: the first one encrypts from now on, a later one stands by until `keys use`",
        options: [
          ["--id <id>", "its id, which payloads show (default: the project, the day and six letters)"],
          CONFIG_OPTION,
        ],
        examples: ["navigator keys create"],
        run: async (io: CommandIo, { id }: { id?: string }) => {
          const place = await ownKeys(io);
          const { made, content } = createKey(place, id);
          const encrypts = content.newest === made;
          io.result({ id: made, encrypts, file: place.file }, () =>
            [
              encrypts
                ? `Made the key ${made}. What the project writes from now on is encrypted with it.`
                : `Made the key ${made}, which stands by. Bring it to every machine, and then: navigator keys use ${shellWord(made)}`,
              `It is in ${place.file}: keep a copy, without it nobody can read what it encrypted.`,
            ].join("\n"),
          );
          if (encrypts)
            io.err(
              'Restart the workers and servers: they write in the clear until then. And write codec: "aes-gcm" into navigator.config, so that a process without keys refuses to.',
            );
        },
      },
      {
        name: "list",
        about: "list the keys that this process has, without the keys themselves",
        options: [CONFIG_OPTION],
        examples: ["navigator keys list"],
        run: async (io: CommandIo) => {
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
        },
      },
      {
        name: "rotate",
        about: "make a key and encrypt with it from now on; what older keys encrypted stays readable",
        options: [["--id <id>", "the id of the new key"], CONFIG_OPTION],
        notes: `With workers on several machines make the key first (navigator keys create), bring it to all of them, and then use it (navigator keys use ID).`,
        examples: ["navigator keys rotate"],
        run: async (io: CommandIo, { id }: { id?: string }) => {
          const place = await ownKeys(io);
          const { made } = rotateKey(place, id);
          io.result(
            { id: made, encrypts: true, file: place.file },
            () => `Made the key ${made}. What the project writes from now on is encrypted with it.`,
          );
        },
      },
      {
        name: "use <id>",
        about: "encrypt with this key from now on",
        options: [CONFIG_OPTION],
        examples: ["navigator keys use shop-2026-11-26-3f9a1c"],
        run: async (io: CommandIo, id: string) => {
          const place = await ownKeys(io);
          useKey(place, id);
          io.result(
            { id, encrypts: true, file: place.file },
            () => `What the project writes from now on is encrypted with ${id}.`,
          );
        },
      },
      {
        name: "export",
        about: "print all keys as text, for another machine or for NAVIGATOR_ENCRYPTION_KEYS: a secret",
        options: [CONFIG_OPTION],
        examples: ["navigator keys export | ssh worker-2 navigator keys import -"],
        run: async (io: CommandIo) => {
          const { keys: found } = await encodingOfFolder(process.env, io.config);
          const all = found.all();
          if (all.length === 0)
            throw new NavigatorError("encryption_key_missing", `There is no key in ${found.place}.`, {
              hint: "Make or bring keys: navigator keys create, navigator keys import FILE",
            });
          const list = all.map(({ id, secret, created_at }) => ({
            id,
            secret: secret.toString("base64url"),
            created_at,
          }));
          io.document(
            `${JSON.stringify({ newest: found.newest()?.id ?? null, keys: list, retired: found.retired() })}\n`,
          );
        },
      },
      {
        name: "import <file>",
        about: "add keys that `keys export` printed; - reads them from stdin",
        options: [
          ["--use", "encrypt with its newest key, also if the one that encrypts here was made later"],
          CONFIG_OPTION,
        ],
        examples: ["navigator keys import keys.json"],
        run: async (io: CommandIo, file: string, { use }: { use?: boolean }) => {
          const place = await ownKeys(io);
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
        },
      },
      {
        name: "retire <id>",
        about: "remove a key, unless open work needs it: the data that it encrypted can never be read again",
        options: [["--force", "also if open work needs it, and without asking a server"], CONFIG_OPTION],
        examples: ["navigator keys retire shop-2026-01-02-a1b2c3"],
        run: async (io: CommandIo, id: string, { force }: { force?: boolean }) => {
          const place = await ownKeys(io);
          const retire = () => {
            retireKey(place, id);
            io.result(
              { id, file: place.file },
              () => `The key ${id} is gone. The data that it encrypted cannot be read any more.`,
            );
          };
          if (force) return retire();
          await withSession(io, "read", async ({ client }) => {
            // Another process may encrypt with it for a moment: a search that begins too early misses some runs.
            await delay(msUntilSeen(place.file));
            const open = await openRunsOfKey(client, id, NAMED);
            if (open.length > 0)
              throw new NavigatorError(
                "still_running",
                `Open work has data of the key ${id}: ${open.join(", ")}${open.length === NAMED ? ", and maybe more" : ""}.`,
                {
                  hint: `Wait until that work has ended, or give it up: navigator keys retire ${shellWord(id)} --force`,
                },
              );
            retire();
          });
        },
      },
    ],
  },
};

/** The key file of the project on this machine. @throws NavigatorError `bad_config` if a setting names the keys */
async function ownKeys(io: CommandIo): Promise<{ file: string; prefix: string }> {
  const { identity, encryptionKeys } = loadConfig();
  if (encryptionKeys !== null)
    throw new NavigatorError(
      "bad_config",
      "NAVIGATOR_ENCRYPTION_KEYS lists the keys: change the variable where it is set.",
      {
        hint: "Unset it to keep the keys in a file of this machine.",
        details: { path: "NAVIGATOR_ENCRYPTION_KEYS" },
      },
    );
  const project = await projectName(process.env, io.config);
  return { file: keyFileOf(identity, project), prefix: project ?? "key" };
}
