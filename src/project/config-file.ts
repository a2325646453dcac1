import { existsSync, statSync } from "node:fs";
import path from "node:path";
import type { PayloadCodec } from "@temporalio/common";
import { z } from "zod";
import { NotifySettings } from "../activities/notify/settings";
import { PROJECT_NAME } from "../core/base/ids";
import { isObject } from "../core/base/is-object";
import { NavigatorError } from "../core/base/navigator-error";
import { ModelSettings } from "../core/calls/model-settings";
import type { ChunkListener } from "../models";
import { isModelRegistry, isModelSource, type ModelRegistry, type ModelSource } from "../models/model-source";
import { PriceTable } from "../models/prices";
import { readDataFile } from "../node/data-file";
import { LargePayloads } from "../node/encoding/storage/settings";
import { isSafeAddress } from "../node/safe-address";
import { TelemetrySettings } from "../node/telemetry/settings";
import { WorkerCapacity } from "../node/worker-capacity";
import { isToolMap, type Tool, type ToolMap } from "../tools";
import { sourcesByName } from "../tools/source-settings";
import { CONFIG_NAMES } from "./config-names";
import { HookSettings } from "./hooks";
import { loadModule } from "./load-module";
import { type SourcesConfig, type SourcesInput, TOOL_SOURCES } from "./tool-sources";

/** The configuration file of a project, and its schema. */

export const isFunctionOf = (key: string) => (value: unknown) =>
  typeof value === "object" && value !== null && typeof (value as { [key: string]: unknown })[key] === "function";

/** Each kind of tool source under its key: `mcp`, `http`. */
const toolSources = Object.fromEntries(
  Object.entries(TOOL_SOURCES).map(([key, { settings }]) => [key, sourcesByName<z.ZodType>(settings)]),
) as unknown as { [K in keyof SourcesConfig]: z.ZodType<SourcesConfig[K]> };

/** Whether a value has the functions of the SDK's PayloadCodec. */
export const isCodec = (value: unknown): value is PayloadCodec =>
  isFunctionOf("encode")(value) && isFunctionOf("decode")(value);

const CodecSetting = z.union([z.string().min(1), z.custom<PayloadCodec>(isCodec)]);

/** The parts of `tools`: what defineTool gives, the path of a module, or a map of tools by name. */
type ConfigTool = string | Tool | ToolMap;

const ConfigTools = z
  .preprocess(
    (given) => (isObject(given) ? (Object.keys(given).length === 0 ? [] : [given]) : given),
    z.array(
      z.union(
        [z.string().min(1), z.custom<Tool>(isFunctionOf("run")), z.custom<ToolMap>(isToolMap)],
        "must be what defineTool gives, the path of a module that exports such, or a map of AI SDK tools by name",
      ),
    ),
  )
  .default([]) as unknown as z.ZodDefault<z.ZodType<ConfigTool[], readonly ConfigTool[] | ToolMap>>;
/** An agent: what defineAgent gives, or its options. An interface such as TypedAgent fits, as it would not fit a map. */
type AgentOptions = object;
const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

const ConfigFile = z.strictObject({
  project: z
    .string("must be a name")
    .regex(PROJECT_NAME, "must be lower-case letters, digits and -, at most 40, beginning with a letter or a digit")
    .optional(),
  tools: ConfigTools,
  ...toolSources,
  models: z
    .custom<ModelRegistry>(isModelRegistry)
    .or(
      z.record(
        z.string().min(1),
        z.custom<ModelSource>(
          isModelSource,
          "must be a model object of the AI SDK, a function, or have a function `complete`",
        ),
      ),
    )
    .default({}),
  onChunk: z
    .record(
      z.string().min(1),
      z.custom<ChunkListener>((value) => typeof value === "function", "must be a function of a chunk"),
    )
    .default({}),
  agents: z
    .union(
      [z.string().min(1), z.array(z.union([z.string().min(1), z.custom<AgentOptions>(isObject)]))],
      "must be a folder, or a list of files and agents",
    )
    .optional(),
  definitions: z.string("must be a folder").min(1).optional(),
  primaryStore: z.string("must be a name").trim().min(1, "must be a name").optional(),
  oidc: z
    .strictObject(
      {
        issuer: z
          .url("must be the issuer's address")
          .refine(isSafeAddress, "must begin with https:// (http:// only on this machine)"),
        audience: z.string("must be the audience of tokens for this server").min(1, "must not be empty"),
        subject_claim: z.string("must be the name of a claim").min(1, "must not be empty").optional(),
        client_secret_env: z
          .string("must be the name of an environment variable")
          .min(1, "must not be empty")
          .optional(),
      },
      {
        error: (issue) =>
          issue.code === "unrecognized_keys"
            ? undefined
            : "must be {issuer, audience, subject_claim?, client_secret_env?}",
      },
    )
    .optional(),
  codec: z
    .union(
      [CodecSetting, z.array(CodecSetting).min(1)],
      'must be "aes-gcm", "none", the path of a module that exports a PayloadCodec, a PayloadCodec, or a list of these',
    )
    .optional(),
  largePayloads: LargePayloads.optional(),
  /** Whether calls of a program that follow each other may be made by one activity (engine reference, section 16). */
  sequences: z.boolean("must be true or false").default(true),
  /** Whether its workers keep the stacks of promises of workflows, for the query `__stack_trace`. */
  promiseStacks: z.boolean("must be true or false").default(false),
  worker: WorkerCapacity.default({}),
  secrets: z
    .union(
      [
        z.array(variableName).transform((names) => ({ names, ignore: [] as string[] })),
        z.strictObject({ names: z.array(variableName).default([]), ignore: z.array(variableName).default([]) }),
      ],
      "must be a list of names of environment variables, or {names, ignore} with such lists",
    )
    .default({ names: [], ignore: [] }),
  script: z.union([z.string().min(1), z.array(z.unknown()), z.record(z.string(), z.unknown())]).optional(),
  prices: PriceTable.optional(),
  modelSettings: z.record(z.string().min(1), ModelSettings(), "must be a map of model to its settings").optional(),
  hooks: HookSettings.default({}),
  notify: NotifySettings.default({}),
  telemetry: TelemetrySettings.optional(),
  escalations: z
    .strictObject(
      { alert: z.string().min(1).optional(), ticket: z.string().min(1).optional() },
      "must name tools: {alert, ticket}",
    )
    .default({}),
});
export type ConfigFile = z.output<typeof ConfigFile>;
/** The fields of a configuration file (docs: library, "Configuration"). */
export type ConfigInput = Omit<z.input<typeof ConfigFile>, keyof SourcesInput> & SourcesInput;

/**
 * Absolute; null = this folder has none, which is fine for the current one.
 *
 * @param options.mayBeMissing it is fine for any folder
 * @throws NavigatorError
 */
export function findConfig(place: string, { mayBeMissing = false } = {}): string | null {
  const found = statSync(place, { throwIfNoEntry: false });
  if (!found)
    throw new NavigatorError("not_found", `There is no folder or file ${place}.`, {
      details: { path: place, kind: "file" },
    });
  if (!found.isDirectory()) {
    if (CONFIG_NAMES.some((name) => path.extname(name) === path.extname(place))) return place;
    throw new NavigatorError(
      "not_found",
      `${place} is not a configuration file. Its name is like ${CONFIG_NAMES.join(", ")}.`,
      { hint: "Name a folder with a navigator.config file.", details: { path: place, kind: "project" } },
    );
  }
  const files = CONFIG_NAMES.map((name) => path.join(place, name)).filter((file) => existsSync(file));
  if (files.length > 1)
    throw new NavigatorError(
      "bad_project",
      `${place} has ${files.map((file) => path.basename(file)).join(" and ")}: keep one.`,
      { details: { path: place } },
    );
  if (files[0]) return files[0];
  if (mayBeMissing || place === process.cwd()) return null;
  throw new NavigatorError("not_found", `${place} has none of ${CONFIG_NAMES.join(", ")}.`, {
    hint: "Name the folder or the file of your project: --config FOLDER. A project's file may be as short as {}.",
    details: { path: place, kind: "project" },
  });
}

/** The complete configuration; null = no file, the project is empty. @throws NavigatorError with every mistake */
export async function readConfig(file: string | null): Promise<ConfigFile> {
  if (file === null) return ConfigFile.parse({});
  const parsed = ConfigFile.safeParse(path.extname(file) === ".json" ? readDataFile(file) : await loadModule(file));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({
    path: issue.path.map(String).join("."),
    message: issueText(issue),
  }));
  const list = issues.map(({ path: at, message }) => (at === "" ? message : `${at}: ${message}`)).join("; ");
  throw new NavigatorError("bad_project", `${file}: ${list}.`, { details: { path: file, issues } });
}

function issueText(issue: z.core.$ZodIssue): string {
  // An invalid name: zod reports it for the record, with the details inside.
  if (issue.code === "invalid_key") return issue.issues.map(({ message }) => message).join("; ");
  if (issue.code !== "unrecognized_keys") return issue.message;
  const keys = issue.keys.map((key) => `"${key}"`).join(", ");
  const known = knownSettings(issue.path);
  return `unknown setting ${keys}; there are ${known.join(", ")}`;
}

function knownSettings([section, part]: readonly PropertyKey[]): string[] {
  const source = Object.entries(TOOL_SOURCES).find(([key]) => key === section)?.[1];
  if (section === "telemetry") return Object.keys(TelemetrySettings.shape);
  if (section !== "notify") return Object.keys((source?.settings ?? ConfigFile).shape);
  const channel = Object.entries(NotifySettings.shape)
    .find(([key]) => key === part)?.[1]
    .unwrap();
  return Object.keys((channel as { shape?: object } | undefined)?.shape ?? NotifySettings.shape);
}
