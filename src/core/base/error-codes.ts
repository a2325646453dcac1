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
    "A value, a text or a file has mistakes. `path` is the field, the option or the file with its line.",
    "The message says what is expected there; `details.issues` has each mistake if there are several.",
  ],
  bad_usage: [
    "A command was called with options or arguments that it does not take, or without those that it needs. `path` is the option, the argument or the command.",
    "Add --help to see what it takes.",
  ],
  bad_config: [
    "A NAVIGATOR_* or TEMPORAL_* setting cannot be used, or a needed one is not set. `path` is the setting.",
    "Correct the setting, or unset it to use the default.",
  ],
  bad_project: [
    "The configuration, a module, an agent file, the people or a source of tools of the project has mistakes. `path` is the file or the setting.",
    "The message names each of them.",
  ],
  invalid_agent: [
    "An agent definition has mistakes, or agents call each other in a circle.",
    "The details name each field and what it expects.",
  ],
  invalid_llm: ["A model in the registry cannot be called.", "Register a model name or a function."],
  invalid_llm_registry: ["The model registry is not a map.", "Pass an object: name to model."],
  invalid_tool: ["A tool cannot be registered.", "The message names what is missing or wrong."],
  reserved_tool_name: ["A tool has a name that the language reserves.", "Rename the tool."],
  invalid_workflow: ["A graph definition has errors.", "Try: navigator workflow check FILE"],
  id_mismatch: ["The id in the file is not the id it is loaded under.", "Use one id."],
  invalid_id: ["An id cannot be used.", "The message says why, and has an id that can be used."],
  invalid_task: ["A task cannot be started or loaded.", "The message names the field."],
  duplicate_task_id: ["A list of tasks contains the same id twice.", "Give each task its own id."],
  invalid_plan: [
    "A plan has mistakes and was not started.",
    "The details name each of them; try: navigator plan check FILE",
  ],
  invalid_plan_format: ["A plan is not an object.", "A plan has agents and tasks."],
  invalid_decision: [
    "A decision, a comment or a hand-over is not valid. `path` is its field, such as `choice` or `value`.",
    "The message says what the review takes there.",
  ],
  invalid_result: ["The node does not declare this result.", "The details list the results."],
  reserved_result: ["A result has a name that the engine reserves.", "Choose one of the node's own results."],
  result_required: ["The node needs a result to choose an edge.", "The details list the results."],
  secret_in_input: [
    "The value of a secret is in what would be sent to the server. Nothing was sent.",
    "Send the secret's name, and let a tool read the value in the worker.",
  ],
  payload_too_large: [
    "A value, a journal or the state of a run is larger than the limit.",
    "Pass a reference to a large value, and keep less in the journal, the context and the outputs.",
  ],
  hook_failed: [
    "The function `event` of a hook threw, so the event was not taken.",
    "Correct `event` in navigator.config: the log has what it threw. Then let the sender send the event again.",
  ],
});

const ABSENT = rows("absent", 2, {
  not_found: [
    "There is no such thing. `kind` says what it is, `path` its id, its name or its file.",
    "The message or the hint says how to list what there is.",
  ],
  agent_not_found: ["No agent has this name.", "The message lists the project's agents."],
  review_not_found: ["There is no open review with this id.", "List what is open: navigator review list"],
  task_not_found: ["There is no task with this id.", "List the tasks: navigator task list"],
  step_not_found: ["The graph has no node with this id.", "The message lists the graph's nodes."],
  workflow_not_found: ["There is no graph with this id.", "List the graphs: navigator workflow list"],
  file_error: ["A file cannot be read or written.", "Check its permissions, and those of its folder."],
});

const STATE = rows("state", 2, {
  already_exists: [
    "A name, an id or a file is taken, and is not replaced.",
    "Choose another name. The message says what is there.",
  ],
  id_in_use: [
    "The id belongs to work that was started with something else.",
    "Use another id. To join the existing work as it is: --join, in code `join: true`.",
  ],
  already_over: [
    "A run, a call or a review has ended: nothing changes it any more.",
    "Start it again, or start a new one.",
  ],
  still_running: [
    "Something needs work to end that has not ended: a retry, the next message of a chat, a key.",
    "Wait until it ends, or cancel it: navigator log ID shows what it does.",
  ],
  taken_over: [
    "A retry has taken over what the mission has done.",
    "Undo the retry, which the message names: it has the effects of both.",
  ],
  undo_failed: [
    "An effect could not be undone. What is undone stays undone.",
    "The message says why. Show the plan again: it has what is left.",
  ],
  already_decided: [
    "The review is already decided, or the call that it approved has begun.",
    "Its decision stands; nothing needs to be done.",
  ],
  already_voted: [
    "This person has already voted on the review.",
    "Each assignee votes once. Take the vote back first to vote anew: navigator review withdraw ID.",
  ],
  not_an_assignee: ["Only the review's assignees may decide it.", "Ask one of the people that the message names."],
  self_approval: [
    "The person who asked may not decide.",
    "Somebody else decides it, or the terms say separation: false.",
  ],
  agents_may_not_decide: [
    "An agent decides a review that is for people, or about a call that cannot be taken back.",
    "A person decides it: navigator review decide.",
  ],
  unverified_decision: [
    "A decision must be signed and is not, or a task is moved past a step that named people decide.",
    "Log in with navigator login; people.yaml says whose keys count.",
  ],
  bad_signature: [
    "A decision's signature does not cover it, or is not that of the person who decides.",
    "Sign the decision as it is sent: navigator review decide does.",
  ],
  unknown_signer: [
    "A decision is signed with a key that the project's people.yaml does not have.",
    "Let somebody add the key: navigator people key NAME.",
  ],
  key_revoked: [
    "The key of a signature was revoked, or its owner is not one of the project's people any more.",
    "Make a new key with navigator login, and let somebody add it to people.yaml.",
  ],
  replayed_decision: [
    "A signed decision was sent a second time.",
    "Sign the decision anew: each signature counts once.",
  ],
  seal_mismatch: [
    "A decision has the seal of another question than the one that is asked.",
    "Look at the review again and decide what it asks now: navigator review show.",
  ],
  seal_broken: [
    "A tool call is not the one that was approved: other arguments, or another version of the tool.",
    "The call was not made. Start the mission again if the tool has changed.",
  ],
  approval_expired: [
    "An approval was given too long ago for the call to begin now.",
    "The call is asked about again; valid_for_ms says how long a yes counts.",
  ],
  approval_revoked: [
    "Somebody took the approval of a call back before the call began, or their key was revoked.",
    "The call was not made. Its program can ask again.",
  ],
  not_logged_in: ["Nobody is logged in on this machine.", "Log in: navigator login --as NAME"],
  unauthenticated: [
    "A request has no token, or one that does not count.",
    "Send one as `Authorization: Bearer TOKEN`: navigator token create.",
  ],
  forbidden: [
    "The caller may not do this: the request comes from another site or host, names a file of the server, or needs a trusted caller.",
    "Open the page at its own address. Programs send a token instead: navigator token create.",
  ],
  too_many_requests: ["A caller sends requests too fast.", "Wait for the seconds that Retry-After says."],
  bad_link: [
    "The link of a notification was changed, has expired, or is for another person or review.",
    "Open it as it stands in the newest message, or decide with navigator review decide.",
  ],
  task_claimed: [
    "Somebody else has claimed the task.",
    "Wait until the claim is released or expires. If it is yours, pass its `claim` with advance_task.",
  ],
  claim_lost: ["The claim has expired or belongs to somebody else.", "Claim the task again."],
  task_closed: ["The task has ended.", "Start a new one."],
  task_in_hitl: ["The task waits for a person.", "Decide its review: navigator review list"],
  task_paused: ["The task is paused.", "Resume it first: navigator task resume ID"],
  task_waiting: [
    "The task is at a wait node and continues automatically when the time comes.",
    "Wait, or continue now: navigator task advance ID --result passed --force",
  ],
  not_paused: [
    "A run, a plan or a task that should be resumed is not paused.",
    "Only what is paused can be resumed: navigator list --status paused",
  ],
  child_active: [
    "An agent or another task works on the task and will advance it, or what it did is being undone.",
    "Wait for that, or cancel the task.",
  ],
  step_changed: ["The task is at another node than the caller expected.", "Look where it is: navigator task show ID"],
  stale_version: [
    "The task or the mission has moved on from the version that the caller named.",
    "Look at it again, then repeat what you want: navigator task show ID",
  ],
  version_required: [
    "A call that moves a task may be the repeat of an earlier one, and a person is asked, or has decided, since.",
    "Look what happened, and call again with the version that the message names if the result is a new one.",
  ],
  no_matching_edge: ["No edge of the node fits this result.", "The message lists the edges."],
  no_outgoing_edges: ["The node has no outgoing edge.", "Move the task with a person's decision."],
  confirmation_required: [
    "The request removes something or may repeat something, and nobody has confirmed it.",
    "The message says what. Confirm with --yes, or confirm: true.",
  ],
  wrong_kind: [
    "The workflow is of a different kind, or was started without what the call needs.",
    "Runs have a journal, tasks have steps and reviews.",
  ],
  interrupted: ["The command was interrupted with Ctrl-C.", "The work continues as long as a worker runs."],
  refused: ["A workflow refused a message.", "The message says why."],
});

const SERVER = rows("server", 3, {
  temporal_unavailable: [
    "No Temporal server answers. Over MCP also every other error of this class while no server is found.",
    "Start one: navigator server start. Nothing is lost: call again when the server is back.",
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
  server_error: ["The Temporal server returned an error.", "The message contains the server's response.", "engine"],
  namespace_not_found: ["The Temporal server has no such namespace.", "Create it, or set TEMPORAL_NAMESPACE."],
  search_attributes: [
    "Search attributes are missing or have the wrong type.",
    "The hint has the command that creates them.",
  ],
  local_server_failed: [
    "The embedded server, or the background process with the server and the worker, cannot be started, stopped, copied or restored. `kind` says which.",
    "The message says why; the hint names the log.",
  ],
  background_starting: [
    "The background process of an MCP session is not ready yet. The message says what it is doing.",
    "Call again in some seconds.",
    "model",
  ],
  port_in_use: ["A server cannot listen on a port.", "Choose another port with --port."],
  encryption_key_missing: [
    "The server has data that is encrypted with a key that this process does not have, or the project encrypts and this process has no key at all.",
    "Bring the key here: navigator keys export where it is, navigator keys import here.",
  ],
  payload_unreadable: [
    "A payload cannot be read: this program has no codec for it, or its content is gone from the place where large payloads are kept.",
    "The message says which; use the same `codec` and `largePayloads` in every process of the project.",
  ],
  payload_tampered: [
    "A payload of the server was changed, or was encrypted with another key of the same id.",
    "Compare the fingerprints of navigator keys list on both machines.",
  ],
  payload_storage_unavailable: [
    "The place where large payloads are kept cannot be read or written.",
    "See `largePayloads` in navigator.config. Missions wait until the place can be reached.",
    "engine",
  ],
  unknown_run_format: [
    "A run has a format or a flag that this version of Navigator does not know: another version has started it.",
    "Start a worker of the version that started it. The run waits for one, and nothing of it is lost.",
    "engine",
  ],
  load_incomplete: ["A list of tasks was loaded only in part.", "Repeat the same load: it finishes what is missing."],
  service_unavailable: [
    "A service outside of Temporal cannot be reached: the OIDC issuer, the database of streams, a collector of OpenTelemetry.",
    "Check its address and whether it can be reached from here.",
  ],
});

const SOURCE = rows("source", 1, {
  tool_source_failed: [
    "An MCP server or an OpenAPI document of the project cannot be started, reached or read, or its login is refused. `path` is the source.",
    "The message says why, with the last lines that a server wrote.",
  ],
  mcp_login_needed: [
    "An MCP server wants a login, and nobody has logged in, or the login is over.",
    "Run `navigator tools login SOURCE` as the user of the worker.",
  ],
});

const AGENT = rows("agent", 1, {
  agent_lost: [
    "The workflow of a run failed or was ended from outside, so it has no result.",
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
    "No worker had the tool, model or key that a call needs, for as long as `NAVIGATOR_BLOCKED_TIMEOUT` says.",
    "The message names what is missing. Start a worker that has it, and start the work again.",
    "engine",
  ],
  chained_failure: ["The context is a failed Step.", "Fix the earlier failure first."],
  empty_response: ["The reply has neither text nor a tool call.", "Try another model."],
  failed: ["The program called (fail ...) without its own reason.", "Handle it as an outcome of the work."],
  given_up: ["A call was not answered before its turn ended.", "Look at the turn in: navigator trace ID"],
  json_parse_error: ["The last reply has no usable JSON.", "Check the schema, or try another model."],
  max_depth_exceeded: ["Agents are nested deeper than `max_depth`.", "Raise `max_depth`, or nest less."],
  max_turns_exceeded: [
    "All turns are used, and no value was returned.",
    "Look at the turns; improve the prompt or raise `max_turns`.",
  ],
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
  turn_budget_exhausted: [
    "The turn budget of the run, or the rest of its caller's, is used up.",
    "Raise `turn_budget`.",
  ],
  validation_error: [
    "A context does not fit the agent's signature, or a result does not and no turn is left.",
    "The message names the path, what was expected and what was found.",
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
    "Set the model's price: `prices` of the configuration, or of createModels.",
  ],
  rate_limit: [
    "The provider limited the rate of calls.",
    "The call is retried after the time that the provider gives.",
    "engine",
  ],
  script_exhausted: ["The scripted model has no more replies.", "Add replies to the script."],
  unknown: ["A model call failed for an unknown reason.", "The message contains the original error."],
});

const PLAN = rows("plan", 1, {
  generation_error: ["The planner's model call failed.", "Check the model."],
  initial_plan_invalid: ["The first plan had errors in both attempts.", "The details name each of them.", "planner"],
  max_replans_exceeded: ["The plan has used all its replans.", "Raise the limit, or improve the mission."],
  max_retries_exceeded: ["A plan step has used all its retries.", "Look at the step's failures."],
  planning_failed: ["The planner produced no first plan.", "The inner reason says why."],
  unexpected_format: ["The quality gate gave no usable answer.", "Try another model for the gate."],
  quality_gate_error: ["The quality gate could not run.", "The plan continues without it."],
  repair_plan_invalid: ["The repaired plan had errors in both attempts.", "The details name each of them.", "planner"],
  replan_generation_failed: ["No repaired plan could be made.", "The inner reason says why."],
  synthesis_error: [
    "A synthesis gate gave a result that is empty or too short.",
    "Give the gate a signature.",
    "planner",
  ],
  task_failed: ["A critical plan step failed.", "The inner reason says why."],
  verification_error: ["A verification predicate could not be run.", "Correct the predicate."],
  verification_failed: ["A verification predicate was not true.", "Adjust the plan step or the predicate.", "planner"],
});

const PROGRAM = rows("program", 1, {
  analysis_error: [
    "The program can be read, but one of its forms is wrong.",
    "The message names the form and its place.",
    "model",
  ],
  eval_error: ["A program failed while it ran.", "The details have the finer code.", "model"],
  invalid_tool_args: [
    "A tool was called with positional arguments.",
    "Call it with one map. As a `details.code`: the message names each argument that does not fit.",
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
    "A form is used inside pmap, pcalls or a closure, where it is not allowed.",
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
 * Where a program needs to know what was wrong there, `details.kind` is one of these words.
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

/** What the details of a family always have. */
export type FamilyDetails<C extends FamilyCode> = [(typeof FAMILIES)[C][number]] extends [never]
  ? { path: string }
  : { path: string; kind: (typeof FAMILIES)[C][number] };

/** The codes of a program's failure. */
export type ProgramReason = keyof typeof PROGRAM;

/** The type of the failure of an attempt whose worker was killed, where the next worker says so before a time limit does. */
export const WORKER_LOST = "worker_lost";

/** The type of the failure of an attempt of an `idempotent` call whose outcome nobody knows. */
export const OUTCOME_UNKNOWN = "outcome_unknown";

/** What a worker answers to a query that has reached it before the workflow task that the answer depends on. */
export const UNCOMMITTED_TASK = "A workflow task of this run is under way or was lost: ask again.";

/** Whether a query has ended with it, by the error that its client throws. */
export const isUncommitted = (error: unknown): boolean =>
  error instanceof Error && error.message.includes(UNCOMMITTED_TASK);
