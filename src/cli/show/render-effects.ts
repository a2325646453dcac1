import type { AskedEffects } from "../../client/mission-effects";
import { withoutSecrets } from "../../core/agent/prompt/key-shapes";
import { fitted } from "../../core/base/whole-characters";
import { effectNotes } from "../../core/effects/effect-notes";
import { effectsSummary, stateText } from "../../core/effects/effects-summary";
import type { AskingProgram, ShownEffect } from "../../core/history/trace/mission-effects";
import { shellWord } from "../../node/shell-word";
import { type Colors, renderTable, renderTime } from "../terminal/render";
import { failureLines, whenUndoneText } from "./render-missions";
import { indented } from "./values";

/** Characters of the arguments of an effect in the table. */
const MAX_ARGS = 60;

/**
 * The effects of a mission: how many, then those whose outcome nobody knows with the next command, then all others as a
 * table. What looks like a key of a provider is left out of arguments, messages and programs.
 */
export function effectsText(found: AskedEffects, full: boolean, color: Colors): string {
  const { effects, programs } = found;
  const ended = failureLines(found.workflow_id, found.end, color);
  if (!found.ledger)
    return [
      `${found.workflow_id} has no ledger: only missions and the runs below them keep one. Its log has its calls.`,
      ...ended,
    ].join("\n\n");
  const unknown = effects.filter(({ state }) => state === "unknown");
  const known = effects.filter(({ state }) => state !== "unknown");
  const parts = [
    color.bold(effectsSummary(effects)),
    ...unknown.map((effect) => unknownText(effect, found, full, color)),
    ...(known.length === 0 ? [] : [tableOf(known, found, full, color)]),
    ...(full ? programs.map((program, i) => programText(program, i + 1, color)) : []),
    ...underWayLines(found, color),
    ...ended,
  ];
  return parts.join("\n\n");
}

/** What may be missing from the effects; no line: nothing is. */
export function underWayLines({ under_way, workflow_id, end }: AskedEffects, color: Colors): string[] {
  if (under_way.length === 0) return [];
  const names = under_way.map(({ what, run }) => (run === workflow_id ? what : `${what} of ${run}`)).join(", ");
  return [
    color.yellow(
      end === null
        ? `Under way: ${names}. Its calls of the last two seconds are not reported yet. If its worker was lost, its calls may be reported only after another worker continues.`
        : `Under way when it ended: ${names}. Calls that it made and did not report are in no ledger: look into the services that the tools use.`,
    ),
  ];
}

function unknownText(effect: ShownEffect, found: AskedEffects, full: boolean, color: Colors): string {
  const facts = [
    ["called", `${renderTime(effect.at)} UTC, ${placeOf(effect, found)}`],
    ["key", effect.key],
    ["next", nextFor(effect, found)],
  ];
  return [
    `${color.red("unknown")}  ${effect.tool} ${argsText(effect, full)}`,
    "The call was made, and its answer was lost: it may have happened.",
    indented(renderTable(facts)),
  ].join("\n");
}

/** Names what a person can do about an effect if nobody knows whether it happened. */
function nextFor({ key }: ShownEffect, { workflow_id, questions, end }: AskedEffects): string {
  const asked = questions.find((question) => question.key === key);
  if (asked !== undefined) return `navigator review show ${shellWord(asked.review)}`;
  if (end !== null)
    return `the mission is over, and asks nobody: look the key up in the service that the tool uses, or let navigator retry ${shellWord(workflow_id)} look it up or ask`;
  return "navigator review list shows the question when somebody is asked; a worker must be up";
}

function tableOf(effects: readonly ShownEffect[], found: AskedEffects, full: boolean, color: Colors): string {
  const rows = effects.map((effect) => [
    stateCell(effect, color),
    effect.tool,
    argsText(effect, full),
    placeOf(effect, found),
    effect.by ?? "",
    notesOf(effect, found),
    effect.key,
  ]);
  const header = ["STATE", "TOOL", "ARGUMENTS", "WHERE", "BY", "NOTES", "KEY"];
  // A column in which nothing stands is left out.
  const kept = header.map((_, column) => column < 4 || rows.some((row) => row[column] !== ""));
  const shown = (row: readonly string[]) => row.filter((_, column) => kept[column]);
  return renderTable(rows.map(shown), shown(header));
}

function stateCell({ state }: ShownEffect, color: Colors): string {
  const paint = state === "done" ? color.green : state === "failed" || state === "refused" ? color.red : color.yellow;
  return paint(stateText(state));
}

/** What makes the effect: the arguments that its tool names. */
function argsText({ identity_args }: ShownEffect, full: boolean): string {
  if (identity_args === undefined) return "(too long to be kept)";
  const text = withoutSecrets(JSON.stringify(identity_args));
  return full ? text : fitted(text, MAX_ARGS);
}

/** Where it was asked for: the turn, the task around the call, the program, and the run unless it is the mission's own. */
function placeOf({ turn, task, program, run }: ShownEffect, { workflow_id, programs }: AskedEffects): string {
  const isWritten = program !== undefined && programs[program - 1]?.text !== null;
  return [
    `turn ${turn}`,
    ...(task === undefined ? [] : [`task ${task}`]),
    ...(isWritten ? [`program ${program}`] : []),
    ...(run === undefined || run === workflow_id ? [] : [run]),
  ].join(", ");
}

function notesOf(effect: ShownEffect, { questions }: AskedEffects): string {
  const asked = questions.find(({ key }) => key === effect.key);
  return [
    ...(asked === undefined ? [] : [`asked for again: navigator review show ${shellWord(asked.review)}`]),
    ...(effect.undone === undefined ? [] : [whenUndoneText(effect.undone)]),
    ...effectNotes(effect.message === undefined ? effect : { ...effect, message: withoutSecrets(effect.message) }),
  ].join("; ");
}

function programText({ run, turn, invocation, text, cost }: AskingProgram, number: number, color: Colors): string {
  const again = invocation === 1 ? "" : `, woken ${invocation - 1} time(s)`;
  const paid = cost === undefined ? "" : `, model $${cost}`;
  const head = `${color.bold(`Program ${number}`)}  ${color.dim(`${run}, turn ${turn}${again}${paid}`)}`;
  return [head, indented(withoutSecrets(text?.trim() ?? "(the model called the tools without a program)"))].join("\n");
}
