import { readFileSync } from "node:fs";
import path from "node:path";
import { type Telemetry, telemetryOf } from "../node/telemetry/settings";
import { findConfig, readConfig } from "./config-file";

/**
 * What a project says of telemetry, with the environment's OTEL_* variables. A configuration may take a second to load: one
 * that does not have the word says nothing of it.
 *
 * @param place the folder, or the configuration file
 * @throws NavigatorError `bad_config` for variables that cannot be used, and what `readConfig` throws
 */
export async function projectTelemetry(
  place: string = process.cwd(),
  env: NodeJS.ProcessEnv = process.env,
): Promise<Telemetry> {
  const file = findConfig(path.resolve(place));
  const says = file !== null && /\btelemetry\b/.test(readFileSync(file, "utf8"));
  return telemetryOf(says ? (await readConfig(file)).telemetry : {}, env);
}
