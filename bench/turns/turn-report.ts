import { dollarsOf, PRICED_MODELS, PRICES_OF } from "./list-prices";
import type { Mode } from "./options";
import type { TokenTotals } from "./token-meter";

/** What the bench says: numbers for programs, tables for people. */
export interface TurnReport {
  suite: string;
  conversations: number;
  of: number;
  seed: number;
  /** Of the user. */
  turns: number;
  calls: number;
  /** Model calls in the mode flow. */
  programs: number;
  loop: { calls: number; tokens: TokenTotals; withoutResults: TokenTotals };
  count: CountFigures[];
  play: PlayFigures | null;
  latency: LatencyFigures[];
  kill: KillFigures | null;
  problems: string[];
}

export interface CountFigures {
  mode: Mode;
  passed: number;
  modelCalls: number;
  dependent: number;
  missions: number;
  tokens: TokenTotals;
}

/** What was played on Temporal. */
export interface PlayFigures {
  conversations: number;
  calls: number;
  passed: number;
  /** Conversations whose prompts were compared with those in memory. */
  compared: number;
  took_ms: number;
}

export interface LatencyFigures {
  latency_ms: number;
  conversations: number;
  turns: number;
  modelCalls: number;
  loopCalls: number;
  ms: number;
  loop_ms: number;
}

export interface KillFigures extends Omit<PlayFigures, "compared"> {
  every: number;
  kills: number;
  repeated: number;
}

const AIMS = { modelCalls: 0.45, tokens: 0.5 };

const TITLES: { [mode in Mode]: string } = {
  turn: "turn: one program for each turn of the user",
  flow: "flow: a program ends where the model must read an answer",
  seen: "seen: a program ends before each call that uses an answer of its turn",
  worded: "worded: as flow, and one more call for each turn that has calls says what was done",
};

export function renderTurns(report: TurnReport): string {
  const { suite, conversations, of, seed, turns, calls, loop, problems } = report;
  const which =
    conversations === of ? `all ${of} conversations` : `${conversations} of ${of} conversations, seed ${seed}`;
  return [
    `${suite}: ${which}, ${turns} turns of the user, ${calls} calls`,
    `The loop: ${loop.calls} model calls, ${amount(loop.tokens.prompt)} prompt tokens`,
    ...report.count.map((figures) => countText(figures, report)),
    ...(report.play === null ? [] : [playText(report.play)]),
    ...(report.latency.length === 0 ? [] : [latencyText(report)]),
    ...(report.kill === null ? [] : [killText(report.kill)]),
    ...(problems.length === 0 ? ["All checks pass."] : [`${problems.length} PROBLEMS:`, ...problems.slice(0, 20)]),
  ].join("\n\n");
}

function countText(
  { mode, passed, modelCalls, dependent, missions, tokens }: CountFigures,
  report: TurnReport,
): string {
  const { loop, conversations, calls } = report;
  const hasAim = mode !== "worded";
  const money = PRICED_MODELS.flatMap((model) => {
    const [ours, theirs] = [dollarsOf(model, tokens), dollarsOf(model, loop.tokens)];
    return [
      row(`$ ${model}, list ${PRICES_OF}`, ours.plain, theirs.plain, dollars),
      row("  with its cache of prompts", ours.cached, theirs.cached, dollars),
    ];
  });
  return [
    TITLES[mode],
    row("model calls", modelCalls, loop.calls, amount, hasAim ? AIMS.modelCalls : undefined),
    row("prompt tokens", tokens.prompt, loop.tokens.prompt, amount, hasAim ? AIMS.tokens : undefined),
    row("  if schemas do not tell results", tokens.prompt, loop.withoutResults.prompt, amount),
    row("  of them as in the call before", tokens.cached, loop.tokens.cached, amount),
    row("tokens of answers", tokens.output, loop.tokens.output, amount),
    ...money,
    `  ${passed} of ${conversations} pass; ${missions} missions; ${dependent} of ${calls} calls use an answer of their turn`,
  ].join("\n");
}

const playText = ({ conversations, calls, passed, compared, took_ms }: PlayFigures): string =>
  [
    `On Temporal, mode flow: ${conversations} conversations, ${calls} calls`,
    `  ${passed} of ${conversations} pass; the prompts of ${compared} compared with those in memory; ${Math.round(took_ms / 1_000)} s`,
  ].join("\n");

function latencyText({ latency, turns, programs, loop }: TurnReport): string {
  const [bare] = latency;
  const lines = latency.map(({ latency_ms, ms, loop_ms }) =>
    row(`model of ${latency_ms / 1_000} s`, ms, loop_ms, seconds),
  );
  // What the engine takes for one turn of the user, one conversation after another.
  const engine = bare === undefined ? 0 : bare.ms / bare.turns;
  const tool = bare === undefined ? 0 : bare.loop_ms / bare.turns;
  const all = latency
    .slice(1)
    .map(({ latency_ms }) =>
      row(
        `all, model of ${latency_ms / 1_000} s`,
        programs * latency_ms + turns * engine,
        loop.calls * latency_ms + turns * tool,
        seconds,
      ),
    );
  return [
    `Time, really run: ${bare?.conversations} conversations, ${bare?.turns} turns`,
    ...lines,
    "Time of all, computed: model calls x latency, and what the first line takes for each turn",
    ...all,
  ].join("\n");
}

const killText = ({ conversations, calls, passed, every, kills, repeated, took_ms }: KillFigures): string =>
  [
    `Worker killed with SIGKILL at each ${every}th call, before it hears the answer: ${conversations} conversations, ${calls} calls`,
    `  ${passed} of ${conversations} pass; ${kills} kills, ${repeated} calls asked for again with their keys, ${Math.round(took_ms / 1_000)} s`,
  ].join("\n");

function row(what: string, ours: number, theirs: number, shown: (value: number) => string, aim?: number): string {
  const ratio = theirs === 0 ? 0 : ours / theirs;
  const verdict = aim === undefined ? "" : `  <= ${aim.toFixed(2)}x  ${ratio <= aim ? "met" : "MISSED"}`;
  return `  ${what.padEnd(46)}${shown(ours).padStart(14)}${shown(theirs).padStart(14)}  ${ratio.toFixed(3)}x${verdict}`;
}

const amount = (value: number): string => Math.round(value).toLocaleString("en");
const dollars = (value: number): string => `$${value.toFixed(2)}`;
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
