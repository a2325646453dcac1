import type { Json, JsonObject } from "../../src/core/base/json";
import { type FieldPath, fieldOf, leavesOf, mentions, partsOf } from "./known-values";
import type { GoldCall } from "./suite";

/**
 * Where a program of a user's turn must end, because the model has to see an answer first:
 * `turn`  nowhere: one program for each turn, with the values that the suite's solution has
 * `flow`  before a call that needs a part of an unseen answer, or one chosen out of several; a field that is needed whole is passed
 *         on by the program
 * `seen`  before each call that needs a value out of an unseen answer
 */
export const ENDINGS = ["turn", "flow", "seen"] as const;
export type Ending = (typeof ENDINGS)[number];

/** A value of a call that is a field of an earlier answer of the same program. */
export interface PassedOn {
  /** Index of the earlier call in the program. */
  from: number;
  field: FieldPath;
}

export interface PlannedCall extends GoldCall {
  /** By the value that is not written out. */
  passed: ReadonlyMap<string | number, PassedOn>;
}

export interface TurnPlan {
  programs: PlannedCall[][];
  /** Calls with a value that stands in an answer of the same turn, and that the model had not seen before the turn. */
  dependent: number;
}

/**
 * Divides the calls of a user's turn into programs.
 *
 * @param known what the model has seen before the turn's first call, the user's words among it
 */
export function planTurn(calls: readonly GoldCall[], known: string, ending: Ending): TurnPlan {
  const programs: PlannedCall[][] = [[]];
  let seen = known;
  let dependent = 0;
  calls.forEach((call, index) => {
    if (unseenIn(call.args, known, calls.slice(0, index)).length > 0) dependent += 1;
    let program = programs.at(-1) as PlannedCall[];
    const unseen = ending === "turn" ? [] : unseenIn(call.args, seen, program);
    const passed = new Map(
      unseen.flatMap((value) => {
        const from = ending === "flow" ? sourceOf(program, value) : undefined;
        return from === undefined ? [] : [[value, from] as const];
      }),
    );
    if (passed.size < unseen.length) {
      seen = [seen, ...program.map(({ answer }) => asText(answer))].join("\n");
      program = [];
      programs.push(program);
      passed.clear();
    }
    program.push({ ...call, passed });
  });
  return { programs: programs.filter((program) => program.length > 0), dependent };
}

/** The values of a call that stand in earlier answers, whole or with a part of theirs, and in nothing that the model has seen. */
function unseenIn(args: JsonObject, seen: string, earlier: readonly GoldCall[]): (string | number)[] {
  const answers = earlier.map(({ answer }) => asText(answer)).join("\n");
  const isUnseen = (value: string | number) => !mentions(seen, value) && mentions(answers, value);
  return [...new Set(leavesOf(args))].filter(
    (value) =>
      isUnseen(value) || (typeof value === "string" && !mentions(seen, value) && partsOf(value).some(isUnseen)),
  );
}

/** The latest answer with this value as a field. */
function sourceOf(program: readonly GoldCall[], value: string | number): PassedOn | undefined {
  for (let from = program.length - 1; from >= 0; from--) {
    const field = fieldOf((program[from] as GoldCall).answer, value);
    if (field !== undefined) return { from, field };
  }
  return undefined;
}

/** An answer as a model is shown it. */
export const asText = (answer: Json): string => (typeof answer === "string" ? answer : JSON.stringify(answer));
