import pino from "pino";
import { knownSecrets } from "./secrets/known-secrets";

/** An event name and its fields: `log.info("edge_taken", { taskId, from, to })`. No prompts, no secrets. */
export type LogEvent = (event: string, fields?: Record<string, unknown>) => void;
/** A log with a function for each level. */
export type Logger = Record<"debug" | "info" | "warn" | "error", LogEvent>;

/**
 * The one logger: JSON lines on stderr, so that stdout stays a command's answer (or a protocol). Secrets are masked in the finished
 * line, whatever field they are in.
 */
export function createLogger(level: string): Logger {
  // Synchronous: the last lines before an exit are the ones that matter.
  const stderr = pino.destination({ dest: 2, sync: true });
  const out = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => void stderr.write(knownSecrets.mask(line)) },
  );
  const at =
    (name: keyof Logger): LogEvent =>
    (event, fields = {}) =>
      out[name](fields, event);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
