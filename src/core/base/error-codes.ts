/**
 * The closed table of error codes. A code that is not here does not compile; a code that nothing raises fails a test.
 * A code is here if a program branches on it. Mistakes that only people read are members of a family. docs/errors.md
 * is generated from it.
 */

/** Exit codes of commands: 0 done, 1 the work ran and failed, 2 bad usage or input, 3 no server or no worker, 4 waiting. */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/**
 * What kind of error a code is.
 * - `input`: the input is wrong. `state`: the request is not possible now. `absent`: the named thing does not exist.
 * - `server`: Temporal, or every worker, cannot be reached. `agent`, `plan`, `model`, `program`: how work ended.
 * - `source`: an MCP server or an OpenAPI document cannot be loaded.
 * - `internal`: an error in Navigator.
 */
export type ErrorClass =
  | "input"
  | "state"
  | "absent"
  | "server"
  | "source"
  | "agent"
  | "plan"
  | "model"
  | "program"
  | "internal";

export interface ErrorEntry {
  class: ErrorClass;
  exit: ExitCode;
  /** Who retries: `engine` is Temporal or Navigator, `model` the model in its next turn, `planner` the planner, `no` nobody. */
  retried: "engine" | "model" | "planner" | "no";
  /** When it is raised. */
  meaning: string;
  /** What helps. */
  hint: string;
}

type Row = readonly [meaning: string, hint: string, retried?: ErrorEntry["retried"]];

const rows = <C extends string>(errorClass: ErrorClass, exit: ExitCode, table: { readonly [code in C]: Row }) => {
  const entries = Object.entries(table) as [C, Row][];
  return Object.fromEntries(
    entries.map(([code, [meaning, hint, retried = "no"]]) => [
      code,
      { class: errorClass, exit, retried, meaning, hint },
    ]),
  ) as { readonly [code in C]: ErrorEntry };
};

const INPUT = rows("input", 2, {
  invalid_input: [
    "A value, a text or a file has mistakes. `path` is the field, the option, or the file and line.",
    "The message names what is expected there; `details.issues` lists several mistakes.",
  ],
  bad_usage: [
    "A command lacks an option or argument, or does not take it. `path` is the option, the argument or the command.",
    "Add --help.",
  ],
  bad_config: [
    "A NAVIGATOR_* or TEMPORAL_* setting cannot be used, or a needed one is not set. `path` is the setting.",
    "Correct the setting, or unset it for the default.",
  ],
  bad_project: [
    "The project's configuration, a module, an agent file, people.yaml or a source of tools has mistakes. `path` is the file or the setting.",
    "The message names each of them.",
  ],
  invalid_agent: [
    "An agent definition has mistakes, or agents call each other in a circle.",
    "The details name each field and its type.",
  ],
  invalid_llm: ["A model in the registry cannot be called.", "Register a model name or a function."],
  invalid_llm_registry: ["The model registry is not a map.", "Pass an object: name to model."],
  invalid_tool: ["A tool cannot be registered.", "See the message."],
  reserved_tool_name: ["A tool has a name that the language reserves.", "Rename the tool."],
  invalid_workflow: ["A graph definition has errors.", "Try: navigator workflow check FILE"],
  id_mismatch: ["The id in the file is not the id of the load.", "Use one id."],
  invalid_id: ["An id cannot be used.", "The message proposes an id."],
  invalid_task: ["A task cannot be started or loaded.", "The message names the field."],
  duplicate_task_id: ["Two tasks of a list have the same id.", "Give each task its own id."],
  invalid_plan: ["A plan has mistakes. It was not started.", "Try: navigator plan check FILE"],
  invalid_plan_format: ["A plan is not an object.", "A plan has agents and tasks."],
  invalid_decision: [
    "A decision, a comment or a hand-over is not valid. `path` is its field, such as `choice`.",
    "The message names what the review takes there.",
  ],
  invalid_result: ["The node does not declare this result.", "The details list the results."],
  reserved_result: ["A result has a name that the engine reserves.", "Choose one of the node's own results."],
  result_required: ["The node needs a result to choose an edge.", "The details list the results."],
  secret_in_input: [
    "An input contains the value of a secret. Nothing was sent.",
    "Send the secret's name; a tool reads the value in the worker.",
  ],
  payload_too_large: [
    "A value, a journal or the state of a run is larger than the limit.",
    "Pass large values by reference; keep less in the journal, the context and the outputs.",
  ],
  hook_failed: [
    "The function `event` of a hook threw. The event was not accepted.",
    "Correct `event` in navigator.config (the log has the error), then send the event again.",
  ],
});

const ABSENT = rows("absent", 2, {
  not_found: [
    "Something does not exist. `path` is its id, name or file.",
    "The message or the hint has the command that lists them.",
  ],
  agent_not_found: ["No agent has this name.", "The message lists the project's agents."],
  review_not_found: ["There is no open review with this id.", "List what is open: navigator review list"],
  task_not_found: ["There is no task with this id.", "List the tasks: navigator task list"],
  step_not_found: ["The graph has no node with this id.", "The message lists the graph's nodes."],
  workflow_not_found: ["There is no graph with this id.", "List the graphs: navigator workflow list"],
  file_error: [
    "A file cannot be read or written. `path` is the file.",
    "Check its permissions and those of its folder.",
  ],
});

const STATE = rows("state", 2, {
  already_exists: ["A name, an id or a file exists and is not replaced.", "Choose another name."],
  id_in_use: ["The id belongs to other work.", "Use another id, or join the existing work: --join, `join: true`."],
  already_over: ["A run, a call or a review has ended and cannot change.", "Start a new one."],
  still_running: [
    "A retry, a chat's next message or a key has to wait for work that runs.",
    "Wait until it ends, or cancel it; see navigator log ID.",
  ],
  taken_over: [
    "A retry has taken over the mission's effects.",
    "Undo the retry that the message names: it has the effects of both.",
  ],
  undo_failed: [
    "An effect could not be undone. What is undone stays undone.",
    "See the message. The undo plan lists the rest.",
  ],
  already_decided: [
    "The review is already decided, or the call that it approved has begun.",
    "Nothing: its decision stands.",
  ],
  already_voted: [
    "This person has already voted on the review.",
    "To vote again, withdraw the vote: navigator review withdraw ID.",
  ],
  not_an_assignee: ["Only the review's assignees may decide it.", "Ask a person that the message names."],
  self_approval: ["The person who asked may not decide.", "Ask somebody else, or set `separation: false`."],
  agents_may_not_decide: [
    "An agent decides a review for people, or about an irreversible call.",
    "Let a person decide: navigator review decide.",
  ],
  unverified_decision: [
    "A decision must be signed, or only named people may decide the task's node.",
    "Log in: navigator login. people.yaml lists the valid keys.",
  ],
  bad_signature: [
    "A signature does not cover the decision, or is another person's.",
    "Use navigator review decide, which signs.",
  ],
  unknown_signer: ["The key of a signature is not in people.yaml.", "Add the key: navigator people key NAME."],
  key_revoked: [
    "The key of a signature was revoked, or its owner removed.",
    "Make a new key with navigator login, and have it added.",
  ],
  replayed_decision: ["A signed decision was sent a second time.", "Sign again: each signature counts once."],
  seal_mismatch: [
    "A decision has the seal of another question.",
    "Read the review again and decide: navigator review show.",
  ],
  seal_broken: [
    "A tool call is not the approved one: it has other arguments, or another place.",
    "The call was not made: ask for it again.",
  ],
  tool_changed: [
    "A deploy has changed a tool since its call was prepared or approved. The call was not made.",
    "Missions of this version ask again by the new declaration; start an earlier one again.",
  ],
  approval_expired: ["An approval is older than `valid_for_ms`.", "Nothing: Navigator asks again."],
  approval_revoked: [
    "An approval was withdrawn, or its key revoked, before the call began.",
    "The call was not made. Its program can ask again.",
  ],
  not_logged_in: ["Nobody is logged in on this machine.", "Log in: navigator login --as NAME"],
  unauthenticated: [
    "A request has no valid token.",
    "Send `Authorization: Bearer TOKEN`; make one: navigator token create.",
  ],
  forbidden: [
    "The request comes from another site or host, names a file of the server, or needs a trusted caller.",
    "Open the page at its own address. Programs send a token: navigator token create.",
  ],
  too_many_requests: ["A caller sends requests too fast.", "Wait as long as Retry-After has seconds."],
  bad_link: [
    "The link of a notification was changed, has expired, or is for another person or review.",
    "Open the link of the newest message, or use navigator review decide.",
  ],
  task_claimed: [
    "Somebody else has claimed the task.",
    "Wait until it ends. If it is yours, pass its `claim` with advance_task.",
  ],
  claim_lost: ["The claim has expired or belongs to somebody else.", "Claim the task again."],
  task_closed: ["The task has ended.", "Start a new one."],
  task_in_hitl: ["The task waits for a person.", "Decide its review: navigator review list"],
  task_paused: ["The task is paused.", "Resume it first: navigator task resume ID"],
  task_waiting: [
    "The task is at a wait node and continues automatically.",
    "Wait, or continue now: navigator task advance ID --result passed --force",
  ],
  not_paused: [
    "A run, a plan or a task that should be resumed is not paused.",
    "List what is paused: navigator list --status paused",
  ],
  child_active: [
    "An agent or another task will advance the task, or its effects are being undone.",
    "Wait for that, or cancel the task.",
  ],
  step_changed: ["The task is at another node than the caller expected.", "See navigator task show ID"],
  stale_version: [
    "The task or the mission has a newer version than the caller named.",
    "Read it again, then repeat the call: navigator task show ID",
  ],
  version_required: [
    "A call that moves a task may repeat an earlier one: a person was asked since.",
    "If the result is new, call again with the version that the message names.",
  ],
  no_matching_edge: ["No edge of the node fits this result.", "The message lists the edges."],
  no_outgoing_edges: ["The node has no outgoing edge.", "Move the task with a person's decision."],
  confirmation_required: [
    "The request removes or may repeat something, and was not confirmed.",
    "Confirm with --yes, or `confirm: true`.",
  ],
  wrong_kind: [
    "The workflow is of another kind, or lacks what the call needs.",
    "Runs have a journal, tasks have steps and reviews.",
  ],
  interrupted: ["The command was interrupted with Ctrl-C.", "The work continues as long as a worker runs."],
  refused: ["A workflow refused a message.", "See the message."],
});

const SERVER = rows("server", 3, {
  temporal_unavailable: [
    "No Temporal server answers. Over MCP also any other error of this class without a server.",
    "Start one: navigator server start. Nothing is lost; call again.",
  ],
  access_denied: [
    "The Temporal server refuses access.",
    "Check TEMPORAL_API_KEY, TEMPORAL_TLS_* and TEMPORAL_NAMESPACE.",
    "no",
  ],
  no_worker: [
    "No worker answered, or it stopped before the run ended.",
    "Start one: navigator worker --config YOUR_PROJECT",
  ],
  server_error: ["The Temporal server returned an error.", "See the server's response in the message.", "engine"],
  namespace_not_found: ["The Temporal server has no such namespace.", "Create it, or set TEMPORAL_NAMESPACE."],
  search_attributes: [
    "Search attributes are missing or have the wrong type.",
    "The hint has the command that creates them.",
  ],
  local_server_failed: [
    "The embedded server or the background process cannot be started, stopped, copied or restored.",
    "See the message; the hint names the log.",
  ],
  background_starting: [
    "The background process of an MCP session is not ready yet.",
    "Call again in some seconds.",
    "model",
  ],
  port_in_use: ["A server cannot listen on the address `path`.", "Choose another port with --port."],
  encryption_key_missing: [
    "This process has no key, or not the key of the encrypted data.",
    "Run navigator keys export where the key is, and navigator keys import here.",
  ],
  payload_unreadable: [
    "A payload cannot be read: this process has no codec for it, or the storage of large payloads has lost it.",
    "Use the same `codec` and `largePayloads` in every process of the project.",
  ],
  payload_tampered: [
    "A payload was changed, or encrypted with another key of the same id.",
    "Compare the fingerprints of navigator keys list on both machines.",
  ],
  payload_storage_unavailable: [
    "The storage of large payloads cannot be read or written.",
    "See `largePayloads` in navigator.config. Missions wait for the storage.",
    "engine",
  ],
  unknown_run_format: [
    "A run of another version has a format or a flag that this version does not know.",
    "Start a worker of its version. The run waits, and nothing is lost.",
    "engine",
  ],
  load_incomplete: ["A list of tasks was loaded only in part.", "Repeat the load: it adds the missing tasks."],
  service_unavailable: [
    "A service outside of Temporal cannot be reached: the OIDC issuer, the database of streams, a collector of OpenTelemetry.",
    "Check its address and the network.",
  ],
});

const SOURCE = rows("source", 1, {
  tool_source_failed: [
    "An MCP server or an OpenAPI document cannot be started, reached or read, or refuses the login. `path` is the source.",
    "The message has the server's last lines.",
  ],
  mcp_login_needed: [
    "An MCP server needs a login; there is none, or it has expired.",
    "Run `navigator tools login SOURCE` as the user of the worker.",
  ],
});

const AGENT = rows("agent", 1, {
  agent_lost: [
    "The workflow of a run failed or was terminated. It has no result.",
    "Look at it in the Temporal Web UI.",
  ],
  budget_callback_exceeded: [
    "The token limit was reached, and there is no partial result.",
    "Raise `token_limit`, or set `return_partial`.",
  ],
  budget_exhausted: ["All work turns and retry turns are used.", "Raise `retry_turns`, or make the signature clearer."],
  chain_error: [
    "The previous result lacks inputs that the next agent requires.",
    "Change the signatures so that they fit.",
  ],
  configuration_error: [
    "No worker had the tool, model or key of a call for `NAVIGATOR_BLOCKED_TIMEOUT`.",
    "Start a worker that has it, and start the work again.",
    "engine",
  ],
  chained_failure: ["The context is a failed Step.", "Fix the earlier failure first."],
  empty_response: ["The reply has neither text nor a tool call.", "Try another model."],
  failed: ["The program called (fail ...) without its own reason.", "Handle it as an outcome of the work."],
  given_up: ["A call had no answer before its turn ended.", "Look at the turn in: navigator trace ID"],
  json_parse_error: ["The last reply has no usable JSON.", "Check the schema, or try another model."],
  max_depth_exceeded: ["Agents are nested deeper than `max_depth`.", "Raise `max_depth`, or nest less."],
  max_turns_exceeded: ["All turns are used without a returned value.", "Improve the prompt or raise `max_turns`."],
  memory_limit_exceeded: [
    "The program's definitions are larger than `memory_limit`.",
    "Raise the limit, or keep less.",
  ],
  mission_timeout: ["The run passed its deadline.", "Raise `mission_timeout`."],
  no_code_found: ["A single-shot agent's reply has no program.", "Use more turns, or another model."],
  return_validation_failed: [
    "The returned value does not fit the signature.",
    "The model is shown what was expected.",
    "model",
  ],
  template_error: ["A placeholder of the prompt has no value.", "Complete the context."],
  tool_error: ["A tool failed.", "The details name the tool and its reason.", "model"],
  turn_budget_exhausted: ["The turn budget of the run or its caller is used up.", "Raise `turn_budget`."],
  validation_error: [
    "A context does not fit the signature, or a result does not and no turn is left.",
    "The message has the path, the expected and the found value.",
  ],
});

const MODEL = rows("model", 1, {
  auth_error: ["The provider refuses the key.", "Check the provider's key variable."],
  client_error: ["The provider refuses the request.", "The message contains the provider's response."],
  config_error: ["The model's settings cannot be used.", "The message names the setting."],
  llm_error: ["A model call failed after all attempts.", "The details have the class of the failure.", "engine"],
  llm_not_found: ["The worker has no model of this name.", "The message lists the models."],
  llm_registry_required: ["A model is named, but no model registry was given.", "Pass the models to the run."],
  llm_required: ["The run has no model.", "Set NAVIGATOR_MODEL, or add --model."],
  listener_not_found: ["The worker has no listener of this name.", "Register it on the worker."],
  malformed_response: ["The provider's response does not have the expected form.", "The call is retried.", "engine"],
  price_unknown: [
    "A budget is set, but the price of the model is not known.",
    "Set `prices` in the configuration or in createModels.",
  ],
  rate_limit: ["The provider limited the rate of calls.", "The call is retried after the provider's delay.", "engine"],
  script_exhausted: ["The scripted model has no more replies.", "Add replies to the script."],
  unknown: ["A model call failed for an unknown reason.", "The message contains the original error."],
});

const PLAN = rows("plan", 1, {
  generation_error: ["The planner's model call failed.", "Check the model."],
  initial_plan_invalid: ["The first plan had errors in both attempts.", "The details name each of them.", "planner"],
  max_replans_exceeded: ["The plan has used all its replans.", "Raise the limit, or improve the mission."],
  max_retries_exceeded: ["A plan step has used all its retries.", "Look at the step's failures."],
  planning_failed: ["The planner produced no first plan.", "See the inner reason."],
  unexpected_format: ["The quality gate gave no usable answer.", "Try another model for the gate."],
  quality_gate_error: ["The quality gate could not run.", "The plan continues without it."],
  repair_plan_invalid: ["The repaired plan had errors in both attempts.", "The details name each of them.", "planner"],
  replan_generation_failed: ["No repaired plan could be made.", "See the inner reason."],
  synthesis_error: [
    "A synthesis gate gave a result that is empty or too short.",
    "Give the gate a signature.",
    "planner",
  ],
  task_failed: ["A critical plan step failed.", "See the inner reason."],
  verification_error: ["A verification predicate could not be run.", "Correct the predicate."],
  verification_failed: ["A verification predicate was not true.", "Adjust the plan step or the predicate.", "planner"],
});

const PROGRAM = rows("program", 1, {
  analysis_error: ["A form of the program is wrong.", "The message names the form and its place.", "model"],
  eval_error: ["A program failed while it ran.", "The details have the finer code.", "model"],
  invalid_tool_args: [
    "A tool was called with positional arguments.",
    "Call it with one map. As `details.code`: arguments do not fit.",
    "model",
  ],
  loop_limit_exceeded: ["A loop ran longer than its limit.", "Work in batches.", "model"],
  memory_exceeded: ["A program used more memory than allowed.", "Work in batches.", "model"],
  parse_error: ["The text cannot be read as a program.", "The message names the line and the column.", "model"],
  symbol_limit_exceeded: ["A program has more than 10,000 distinct symbols.", "Write a shorter program.", "model"],
  timeout: ["A program, a tool or a plan step took longer than allowed.", "Raise its timeout.", "model"],
  tool_call_limit_exceeded: ["A program made more tool calls than allowed.", "Raise `max_tool_calls`.", "model"],
  tool_not_found: ["A tool of this name is not available.", "The message lists the tools.", "model"],
  unsupported_in_parallel: [
    "A form is not allowed inside pmap, pcalls or a closure.",
    "Move it to the top level.",
    "model",
  ],
});

const INTERNAL = rows("internal", 1, {
  internal_error: ["An internal error in Navigator.", "See the log for details, and please report it."],
});

/** Every code that Navigator raises, with its class and its hint. */
export const ERROR_CODES = {
  ...INPUT,
  ...ABSENT,
  ...STATE,
  ...SERVER,
  ...SOURCE,
  ...AGENT,
  ...MODEL,
  ...PLAN,
  ...PROGRAM,
  ...INTERNAL,
};

/** The stable name of an error: a key of `ERROR_CODES`. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Whether a text, such as the type of a failure from the wire, is a code of the table. */
export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(ERROR_CODES, text);

/**
 * The codes that stand for many mistakes. `details.path` always names the place: the field, the option, the file or the id.
 * Where a program needs to know the kind of mistake, `details.kind` is one of these words.
 */
export const FAMILIES = {
  invalid_input: [],
  bad_usage: [],
  bad_config: [],
  bad_project: [],
  invalid_decision: [],
  file_error: [],
  not_found: [
    "database",
    "decision",
    "effect",
    "file",
    "group",
    "history",
    "key",
    "message",
    "person",
    "project",
    "record",
    "route",
    "run",
    "schedule",
    "source",
    "token",
    "version",
  ],
  already_exists: [
    "activity",
    "agent",
    "file",
    "key",
    "model",
    "person",
    "project",
    "record",
    "task",
    "tool",
    "workflow",
  ],
  already_over: ["call", "review", "run"],
  bad_link: ["changed", "expired", "person", "review"],
  port_in_use: [],
  local_server_failed: ["background", "backup", "cli", "restore", "running", "start", "stop"],
  service_unavailable: ["collector", "issuer", "streams"],
  tool_source_failed: [],
} as const satisfies { readonly [code in ErrorCode]?: readonly string[] };

/** A code of `FAMILIES`: without `details.path` it does not compile. */
export type FamilyCode = keyof typeof FAMILIES;

/** A code without a family: its details are free. */
export type PlainCode = Exclude<ErrorCode, FamilyCode>;

/** The fields that the details of a family always have. */
export type FamilyDetails<C extends FamilyCode> = [(typeof FAMILIES)[C][number]] extends [never]
  ? { path: string }
  : { path: string; kind: (typeof FAMILIES)[C][number] };

/** The codes of a program's failure. */
export type ProgramReason = keyof typeof PROGRAM;

/** The type of the failure of an attempt whose worker was killed, where the next worker reports it before a time limit does. */
export const WORKER_LOST = "worker_lost";

/** The type of the failure of an attempt of an `idempotent` call whose outcome nobody knows. */
export const OUTCOME_UNKNOWN = "outcome_unknown";

/** What a worker answers to a query that has reached it before the workflow task that the answer depends on. */
export const UNCOMMITTED_TASK = "A workflow task of this run is under way or was lost: ask again.";

/** Whether a query has ended with it, by the error that its client throws. */
export const isUncommitted = (error: unknown): boolean =>
  error instanceof Error && error.message.includes(UNCOMMITTED_TASK);
