import fc from "fast-check";
import { parseDefinition } from "../../../../src/core/graph/definition/parse";
import { assertProperty, sample } from "../../../support/run/property";
import { agreeOnLevels, agreeOnMoves, beginnings, calls } from "./naive/agree";
import { files } from "./naive/draw";
import type { NaiveFile } from "./naive/graph";
import { RARE_WALKS } from "./naive/rare-walks";

/**
 * The engine and a second, naive evaluator on the same graphs and results: they agree move by move. A failure prints
 * its seed and path: put both into RUNS (`{ numRuns, seed, path }`) to see it again.
 */
const RUNS = { numRuns: 4_000 };
const RESULTS = [
  "passed",
  "passed",
  "passed",
  "failed",
  "failed",
  "failed",
  "odd",
  "other",
  "",
  "max_retries_exceeded",
];

const readable = (file: NaiveFile) => parseDefinition(file, "random").ok;
const graphs = files.filter(readable);

function definitionOf(file: NaiveFile) {
  const read = parseDefinition(file, "random");
  if (!read.ok) throw new Error(read.fail.message);
  return read.value.definition;
}

test("most generated graphs can be read", () => {
  expect(sample(files, 300).filter(readable).length).toBeGreaterThan(150);
});

test("every move, refusal, counter, status and history line is equal, and every case is tried", () => {
  const happened = new Set<string>();
  assertProperty(
    fc.property(graphs, beginnings, fc.array(calls(RESULTS), { maxLength: 30 }), (file, how, said) => {
      for (const word of agreeOnMoves(definitionOf(file), file, how, said)) happened.add(word);
    }),
    { ...RUNS, examples: RARE_WALKS },
  );
  const refusals = ["invalid_result", "reserved_result", "result_required", "step_changed"];
  const closed = ["task_closed", "task_in_hitl", "task_paused"];
  const moves = ["conditional", "escalate", "retry", "unconditional"];
  const rare = ["conditional continued", "escalate continued", "unconditional continued", "escalate nowhere"];
  const none = ["no_matching_edge nowhere", "no_outgoing_edges nowhere"];
  expect([...happened].sort()).toEqual([...refusals, ...closed, ...moves, ...rare, ...none].sort());
});

test("levels, back edges and progress are equal", () =>
  assertProperty(
    fc.property(graphs, beginnings, (file, how) => agreeOnLevels(definitionOf(file), file, how)),
    RUNS,
  ));
