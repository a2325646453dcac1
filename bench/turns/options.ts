import { parseArgs } from "node:util";
import { BFCL } from "./bfcl/suite";
import { ENDINGS } from "./compile-turn";
import type { Conversation, TurnSuite } from "./suite";

/** The suites that the bench knows. Another one is another line. */
export const SUITES: readonly TurnSuite[] = [BFCL];

/**
 * How a conversation is played: where its programs end, and `worded`, where one more call puts the answer to the user into words after
 * the model has seen all answers of the turn.
 */
export const MODES = [...ENDINGS, "worded"] as const;
export type Mode = (typeof MODES)[number];

/** What is measured, each in a run of its own. */
export const PARTS = ["count", "play", "latency", "kill"] as const;
export type BenchPart = (typeof PARTS)[number];

export interface TurnBenchOptions {
  suite: TurnSuite;
  parts: readonly BenchPart[];
  kinds: readonly string[];
  modes: readonly Mode[];
  /** Conversations in all; undefined = all. */
  limit: number | undefined;
  seed: number;
  workers: number;
  atOnce: number;
  killEvery: number;
  killed: number | undefined;
  played: number | undefined;
  sample: number;
  json: boolean;
  help: boolean;
}

/** @throws Error with what is wrong, for a person. */
export function readTurnOptions(args: string[]): TurnBenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      suite: { type: "string", default: SUITES[0]?.name ?? "" },
      only: { type: "string", multiple: true, default: [] },
      mode: { type: "string", multiple: true, default: [] },
      limit: { type: "string" },
      killed: { type: "string" },
      played: { type: "string" },
      sample: { type: "string", default: "12" },
      seed: { type: "string", default: "1" },
      workers: { type: "string", default: "2" },
      "at-once": { type: "string", default: "6" },
      "kill-every": { type: "string", default: "10" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const suite = SUITES.find(({ name }) => name === values.suite);
  if (suite === undefined)
    throw new Error(`There is no suite "${values.suite}". Suites: ${SUITES.map(({ name }) => name).join(", ")}.`);
  const only = values.only.flatMap((names) => names.split(","));
  const strange = only.filter((name) => !(PARTS as readonly string[]).includes(name) && !suite.kinds.includes(name));
  if (strange.length > 0)
    throw new Error(
      `There is nothing called "${strange.join(", ")}". Parts: ${PARTS.join(", ")}. Kinds: ${suite.kinds.join(", ")}.`,
    );
  const parts = PARTS.filter((part) => only.includes(part));
  const kinds = suite.kinds.filter((kind) => only.includes(kind));
  const asked = values.mode.flatMap((names) => names.split(","));
  const unknown = asked.find((name) => !(MODES as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`There is no mode "${unknown}". Modes: ${MODES.join(", ")}.`);
  return {
    suite,
    parts: parts.length === 0 ? PARTS : parts,
    kinds: kinds.length === 0 ? suite.kinds : kinds,
    modes: asked.length === 0 ? MODES : MODES.filter((mode) => asked.includes(mode)),
    limit: values.limit === undefined ? undefined : whole("limit", values.limit, 1),
    killed: values.killed === undefined ? undefined : whole("killed", values.killed, 1),
    played: values.played === undefined ? undefined : whole("played", values.played, 1),
    sample: whole("sample", values.sample, 1),
    seed: whole("seed", values.seed, 0),
    workers: whole("workers", values.workers, 1),
    atOnce: whole("at-once", values["at-once"], 1),
    killEvery: whole("kill-every", values["kill-every"], 1),
    json: values.json,
    help: values.help,
  };
}

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < least)
    throw new Error(`--${name} must be a whole number from ${least}, got "${text}".`);
  return value;
}

/** A choice that is the same for the same seed: of each kind as many. */
export function chosen(
  all: readonly Conversation[],
  kinds: readonly string[],
  limit: number | undefined,
  seed: number,
): Conversation[] {
  const shuffled = kinds.map((kind) =>
    shuffle(
      all.filter((one) => one.kind === kind),
      seed,
    ),
  );
  const rounds = Math.max(0, ...shuffled.map((list) => list.length));
  const inTurn = Array.from({ length: rounds }, (_, at) => shuffled.flatMap((list) => list.slice(at, at + 1))).flat();
  return inTurn.slice(0, limit);
}

/** Fisher and Yates, with a generator of Lehmer. */
function shuffle<T>(list: readonly T[], seed: number): T[] {
  const out = [...list];
  let state = (seed % 2_147_483_646) + 1;
  for (let at = out.length - 1; at > 0; at--) {
    state = (state * 48_271) % 2_147_483_647;
    const other = state % (at + 1);
    [out[at], out[other]] = [out[other] as T, out[at] as T];
  }
  return out;
}

export const HELP = `Usage: npm run bench:turns -- [options]

Conversations of a public suite with known right answers: what one program for each turn of the user saves against a loop that makes one
tool call for each model call. The suite's solutions become programs, a scripted model answers with them, the engine plays them,
and the suite's own checkers judge the state. Nothing asks a real model. Parts:

  count    model calls, tokens and money, in all modes, on the in-memory host
  play     the mode flow on a Temporal server of its own; its prompts must be those of "count"
  latency  some conversations with a model that takes 1 s and 3 s, and the loop with the same model
  kill     on Temporal, with the worker killed at every tenth call

  --suite <name>    ${SUITES.map(({ name, about }) => `${name}: ${about}`).join("\n                    ")}
  --only <name>     a part (${PARTS.join(", ")}) or a kind of conversation (${SUITES[0]?.kinds.join(", ")});
                    may be repeated, or a list with commas
  --mode <name>     how the part "count" makes programs: ${MODES.join(", ")}; default all
                    turn: one for each turn of the user; flow: one ends where the model must read an answer before it can go on;
                    seen: one ends before each call that uses an answer of its turn; worded: flow, and one more call for each turn of
                    the user says what was done
  --limit <n>       so many conversations, chosen by the seed; default all
  --played <n>      conversations of the part "play"; default as many as --limit
  --killed <n>      conversations of the part "kill"; default as many as --limit
  --kill-every <n>  calls after which the worker is killed; default 10
  --sample <n>      conversations that are really run with a slow model; default 12
  --seed <n>        default 1
  --workers <n>     default 2; the part "kill" has twice as many
  --at-once <n>     conversations at the same time on each worker; default 6
  --json            one JSON object instead of the tables
  --help

The suite is installed once, into the cache folder; from then on nothing needs a network.
`;
