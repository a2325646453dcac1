import type { ErrorReport } from "../terminal/exit";
import type { Colors } from "../terminal/render";
import type { OpenCall } from "./open-calls";

/** What people read about the code and its processes. */
export const reports = {
  unwatched: (error: Error) =>
    `Changes of some files are not seen: ${error.message}. Start navigator dev again to load them.`,

  slow: (color: Colors, after_ms: number, hasOld: boolean) =>
    color.yellow(
      `The project's code is not loaded after ${after_ms / 1000} s: something in it, or an MCP server, does not answer. ${hasOld ? "The code before this change stays in use. " : ""}Save a change to load it again.`,
    ),

  reloaded: (
    color: Colors,
    { files, running, movedTo }: { files: string[]; running: string[] | null; movedTo: string | null },
  ) =>
    [
      color.green(
        files.length === 0
          ? "The project's code runs again."
          : `Reloaded after a change of ${files.join(", ")}: new missions use the new code.`,
      ),
      ...(running === null || running.length === 0 || files.length === 0
        ? []
        : [
            `${namesOf(running)} ${running.length === 1 ? "continues" : "continue"} with the agent as it was at the start; the next model and tool calls use the new code.`,
          ]),
      ...(movedTo === null ? [] : [`Mission Control has a new address: ${movedTo}`]),
    ].join("\n"),

  noPage: (color: Colors, error: ErrorReport) =>
    `${errorLine(color, error)}\nMissions continue without Mission Control. Save a change to open it again.`,

  /** @param hasOld the code before this change works */
  refused: (color: Colors, error: ErrorReport, hasOld: boolean) =>
    [
      errorLine(color, error),
      hasOld
        ? "The code before this change stays in use. Save the next change to load it."
        : "Nothing works on missions now. Save a change to load the code again.",
    ].join("\n"),

  busy: (color: Colors, calls: readonly OpenCall[], limit_ms: number) =>
    color.dim(["The old code finishes its open calls.", ...openText(calls, limit_ms)].join(" ")),

  stopWaits: (color: Colors, calls: readonly OpenCall[], limit_ms: number) =>
    color.yellow(
      ["Calls are open, and waited for.", ...openText(calls, limit_ms), "Ctrl-C again cuts them off."].join(" "),
    ),

  killed: (color: Colors) =>
    color.yellow(
      "The old code was killed during a call. The call is made again, or its outcome is asked for, as after a crash.",
    ),

  ended: (color: Colors, how: string | null, isRestarted: boolean) =>
    color.red(
      `The process with the project's code ended (${how}). ${isRestarted ? "It is started again." : "Save a change to start it again; missions wait until then."}`,
    ),
};

function openText(calls: readonly OpenCall[], limit_ms: number): string[] {
  const names = (open: OpenCall[]) => namesOf([...new Set(open.map(({ what }) => what))]);
  const withEffect = calls.filter(({ hasEffect }) => hasEffect);
  const others = calls.filter(({ hasEffect }) => !hasEffect);
  const last = new Date(Math.max(...withEffect.map(({ until }) => until))).toISOString().slice(11, 19);
  return [
    ...(withEffect.length === 0
      ? []
      : [`With an effect, until its own time limit (${last} UTC): ${names(withEffect)}.`]),
    ...(others.length === 0 ? [] : [`For ${limit_ms / 1000} s at most: ${names(others)}.`]),
  ];
}

const errorLine = (color: Colors, { code, message }: ErrorReport): string =>
  `${color.red("error")} ${color.dim(`[${code}]`)} ${message}`;

const namesOf = (ids: readonly string[]): string =>
  ids.length <= 3 ? ids.join(", ") : `${ids.slice(0, 3).join(", ")} and ${ids.length - 3} more`;
