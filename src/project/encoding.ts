import path from "node:path";
import type { DataConverter, PayloadCodec } from "@temporalio/common";
import type { ProjectName } from "../core/base/ids";
import { NavigatorError } from "../core/base/navigator-error";
import { aesGcmCodec, keyIdOf, newestKey } from "../node/encoding/aes-gcm";
import { createDataConverter } from "../node/encoding/data-converter";
import { type EncryptionKeys, keyFileOf, openKeys } from "../node/encoding/encryption-keys";
import { SecretGuard } from "../node/encoding/secret-guard";
import { openLargePayloads } from "../node/encoding/storage/settings";
import { learnSecrets } from "../node/secrets/environment-secrets";
import { knownSecrets } from "../node/secrets/known-secrets";
import { loadConfig } from "../node/settings";
import { type ConfigFile, findConfig, isCodec, readConfig } from "./config-file";
import { loadModule } from "./load-module";
import { projectName } from "./name";

/** How a project encodes what it gives to the server (docs/encryption.md). */
export interface ProjectEncoding {
  /** For every client and worker of the project. */
  dataConverter: DataConverter;
  /** What encodes, in this order, in words for people: `aes-gcm`, or the path of a module. Empty: nothing is encoded. */
  codecs: readonly string[];
  /** The keys of the built-in codec that this process has. They are read also where another codec writes. */
  keys: EncryptionKeys;
  /**
   * For processes that write: whether they can.
   *
   * @throws NavigatorError `encryption_key_missing`
   */
  checkWritable(): void;
}

const AES = "aes-gcm";
const NONE = "none";

/**
 * The encoding of a folder, for commands that need nothing else of its project.
 *
 * @param folderOrFile the folder, or the configuration file; a folder without a configuration has only keys
 * @throws NavigatorError `bad_project`, `invalid_input`
 */
export async function encodingOfFolder(
  env: NodeJS.ProcessEnv = process.env,
  folderOrFile: string = process.cwd(),
): Promise<ProjectEncoding> {
  const configFile = findConfig(path.resolve(folderOrFile), { mayBeMissing: true });
  const config = await readConfig(configFile);
  const folder = configFile === null ? path.resolve(folderOrFile) : path.dirname(configFile);
  return projectEncoding(config, { folder, env, project: await projectName(env, configFile ?? folder) });
}

/**
 * The encoding that a configuration asks for. A process with keys of the project encrypts, unless the configuration
 * sets another encoding.
 */
export async function projectEncoding(
  { codec, secrets, largePayloads }: Pick<ConfigFile, "codec" | "secrets" | "largePayloads">,
  { folder, env, project }: { folder: string; env: NodeJS.ProcessEnv; project: ProjectName },
): Promise<ProjectEncoding> {
  const { identity, encryptionKeys } = loadConfig(env);
  learnSecrets(env, secrets);
  const keys = openKeys({ file: keyFileOf(identity, project), setting: encryptionKeys });
  const aes = aesGcmCodec(keys);
  const asked =
    codec === undefined ? (keys.newest() === undefined ? [] : [AES]) : Array.isArray(codec) ? codec : [codec];
  const named: { name: string; codec: PayloadCodec }[] = [];
  for (const one of asked as (string | PayloadCodec)[]) {
    if (one === NONE) continue;
    if (one === AES) named.push({ name: AES, codec: aes });
    else if (typeof one !== "string") named.push({ name: "codec of the configuration", codec: one });
    else for (const found of await codecsOf(path.resolve(folder, one))) named.push({ name: one, codec: found });
  }
  const codecs = named.map(({ name }) => name);
  return {
    dataConverter: createDataConverter({
      payloadGuard: new SecretGuard(knownSecrets, "refuse"),
      ...(largePayloads === undefined ? {} : { externalStorage: openLargePayloads(largePayloads, folder) }),
      codecs: named.map((one) => one.codec),
      ...(codecs.includes(AES) ? {} : { reader: codec === undefined ? warningReader(aes) : aes }),
    }),
    codecs,
    keys,
    checkWritable: () => void (codecs.includes(AES) && newestKey(keys)),
  };
}

/** Without `codec` the process has no instruction to write in the clear: it may have started before the keys came. */
function warningReader(aes: PayloadCodec): PayloadCodec {
  let isReported = false;
  return {
    ...aes,
    decode: (payloads) => {
      const id = isReported ? undefined : payloads.map(keyIdOf).find((one) => one !== undefined);
      if (id !== undefined) {
        isReported = true;
        process.emitWarning(
          `This process writes in the clear, and has met data that is encrypted with the key ${id}. It had no key when it started: restart it when the key is here, and write codec: "aes-gcm" into navigator.config.`,
          { type: "NavigatorWarning", code: "writes_in_clear" },
        );
      }
      return aes.decode(payloads);
    },
  };
}

/** The codecs that a module exports: one, or a list, as its default, or as `codec`. */
async function codecsOf(file: string): Promise<PayloadCodec[]> {
  const loaded = await loadModule(file);
  const { codec = loaded } = (loaded ?? {}) as { codec?: unknown };
  const list: unknown[] = Array.isArray(codec) ? codec : [codec];
  if (list.length > 0 && list.every(isCodec)) return list;
  throw new NavigatorError(
    "bad_project",
    `${file} exports no codec: its default export must have encode(payloads) and decode(payloads), or be a list of such.`,
    { hint: "It is a PayloadCodec of Temporal's SDK (docs/encryption.md).", details: { path: file } },
  );
}
