import { existsSync, statSync } from "node:fs";
import path from "node:path";
import * as util from "node:util";
import { NavigatorError } from "../core/base/navigator-error";
import { readTextFile } from "./data-file";

/**
 * Takes the settings of the file `.env` of a project into an environment. Variables that are set already win.
 *
 * @param place the project's folder, or a file in it
 * @returns the names that were taken
 * @throws NavigatorError `bad_config` if Node is too old to read it
 */
export function readEnvFile(place: string, env: NodeJS.ProcessEnv): string[] {
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = path.join(isFolder ? place : path.dirname(place), ".env");
  if (!existsSync(file) || !statSync(file).isFile()) return [];
  const { parseEnv } = util as Partial<Pick<typeof util, "parseEnv">>;
  if (parseEnv === undefined)
    throw new NavigatorError(
      "bad_config",
      `${file} cannot be read: Node ${process.versions.node} has no reader for it.`,
      {
        hint: "Use Node 20.12 or newer, or set the variables yourself.",
        details: { path: file },
      },
    );
  const given = Object.entries(parseEnv(readTextFile(file)));
  const taken = given.filter(([name, value]) => env[name] === undefined && value !== undefined);
  for (const [name, value] of taken) env[name] = value;
  fromFiles.set(env, [...(fromFiles.get(env) ?? []), ...taken.map(([name]) => name)]);
  return taken.map(([name]) => name);
}

const fromFiles = new WeakMap<NodeJS.ProcessEnv, string[]>();

/** The environment as it was before: for a process that reads the file, which may have changed, itself. */
export function withoutEnvFile(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = fromFiles.get(env) ?? [];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}
