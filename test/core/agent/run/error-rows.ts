/** One row of the tables of reasons (agent reference, sections 21-23): where its reason shows, and what provokes it. */
export interface Row {
  /** Of the agent reference. */
  section: 21 | 22 | 23;
  /** The row; a row may show in several places. */
  row: string;
  reason: string;
  where: "end" | "turn" | "child" | "warning";
  /** A file of test/scenarios, without its ending. */
  scenario?: string;
  /** `file: words of the test's title` */
  test?: string;
}

type Provoked = [reason: string, where: Row["where"], by: string, row?: string];

const rows = (section: Row["section"], list: Provoked[]): Row[] =>
  list.map(([reason, where, by, row = reason]) => ({
    section,
    row,
    reason,
    where,
    ...(by.includes(".ts: ") ? { test: by } : { scenario: by }),
  }));

const HERE = "test/core/agent/run/error-rows.test.ts";

export const ROWS: Row[] = [
  ...rows(21, [
    ["parse_error", "turn", "error-parse"],
    ["parse_error", "turn", "feedback-no-code"],
    ["analysis_error", "turn", "error-analysis"],
    ["eval_error", "turn", "error-eval"],
    ["eval_error", "end", "single-shot-error"],
    ["loop_limit_exceeded", "turn", "error-limits"],
    ["symbol_limit_exceeded", "turn", `${HERE}: more than 10,000 symbols`],
    ["timeout", "turn", "error-limits"],
    ["memory_exceeded", "turn", "error-limits"],
    ["memory_limit_exceeded", "end", "end-memory-limit"],
    ["invalid_tool_args", "turn", "tool-args"],
    ["tool_not_found", "turn", "tool-unknown"],
    ["tool_error", "turn", "tool-fails"],
    ["tool_error", "turn", "nested-fails"],
    ["tool_call_limit_exceeded", "turn", "tool-call-limit"],
    // A tool without a usable form never gets into a run: it is refused where it is defined.
    ["invalid_tool", "turn", "test/tools/define-tool.test.ts: invalid_tool"],
    ["unsupported_in_parallel", "turn", "error-in-parallel"],
    ["missing_journal", "warning", "journal-none"],
    ["eval_error", "turn", "error-eval", "return or fail in a parallel branch"],
  ]),
  ...rows(22, [
    ["failed", "end", "end-failed"],
    ["too_dear", "end", "end-custom-reason", "custom reason"],
    ["max_turns_exceeded", "end", "end-max-turns"],
    ["max_turns_exceeded", "end", "text-max-turns"],
    ["budget_exhausted", "end", "end-budget-exhausted"],
    ["turn_budget_exhausted", "end", "end-turn-budget"],
    ["turn_budget_exhausted", "end", `${HERE}: a child without turns left`],
    ["turn_budget_exhausted", "child", "nested-turn-budget"],
    ["max_depth_exceeded", "child", "nested-depth"],
    ["mission_timeout", "end", "end-mission-timeout"],
    ["mission_timeout", "end", "mission-timeout-tool"],
    [
      "activity_contradicted",
      "end",
      "test/workflows/sequences/sequences.test.ts: what somebody else wrote into the heartbeat is compared",
    ],
    ["budget_callback_exceeded", "end", "end-token-limit"],
    ["validation_error", "end", "single-shot-validation"],
    ["validation_error", "end", "text-validation-error"],
    ["return_validation_failed", "turn", "feedback-invalid-return"],
    ["json_parse_error", "end", "text-json-parse-error"],
    ["empty_response", "end", "text-empty-response"],
    ["no_code_found", "end", "single-shot-no-code"],
    ["chained_failure", "end", "chain-failed"],
    ["chain_error", "end", "chain-broken"],
    ["template_error", "end", "template-missing"],
    ["validation_error", "end", "input-refused", "validation_error (input)"],
  ]),
  ...rows(23, [
    ["llm_required", "end", "llm-required"],
    ["invalid_llm_registry", "end", "llm-registry-no-map"],
    ["invalid_llm", "end", "llm-registry-bad-entry"],
    ["llm_registry_required", "end", "llm-registry-empty"],
    ["llm_not_found", "end", "llm-not-found"],
    ["llm_not_found", "end", `${HERE}: a worker may not know a model's name`],
    ["llm_not_found", "child", "nested-no-model"],
    [
      "configuration_error",
      "end",
      "test/workflows/agent/configuration.test.ts: the run fails with configuration_error, whatever turns it has left",
    ],
    ["llm_error", "end", "llm-error"],
    ["llm_error", "end", "llm-retry-exhausted"],
    ["llm_error", "end", "text-llm-error"],
  ]),
];

const CONSTRUCTION = "test/core/agent/definition/construction.test.ts";

/** What is refused before anything runs (agent reference, section 24), and the test that provokes it. */
export const CONSTRUCTION_ROWS = [
  { row: "prompt is required", file: CONSTRUCTION, title: "a prompt is required" },
  { row: "types of options", file: CONSTRUCTION, title: "an option of the wrong type is refused" },
  { row: "invalid signature", file: CONSTRUCTION, title: "invalid signature:" },
  { row: "placeholders not in the signature", file: CONSTRUCTION, title: "not found in signature" },
  { row: "text mode", file: CONSTRUCTION, title: 'describe("text mode"' },
  { row: "self tools", file: CONSTRUCTION, title: "self without a signature" },
  { row: "reserved_tool_name", file: CONSTRUCTION, title: "reserved_tool_name" },
  { row: "both a tool and data", file: "test/scenarios/tool-named-like-data.yaml", title: "both a tool and data" },
  { row: "plan", file: CONSTRUCTION, title: "duplicate plan id" },
  { row: "as_tool requires description", file: CONSTRUCTION, title: "as_tool requires description" },
  { row: "compile", file: "test/core/agent/run/compile.test.ts", title: "$says: cannot be compiled" },
  { row: "llm tool", file: CONSTRUCTION, title: "a question to a model as a tool" },
];
