/**
 * The closed table of error codes. A code that is not here does not compile; a code that nothing raises fails a test.
 * docs/errors.md is generated from it.
 */

/** Exit codes of commands: 0 done, 1 the work ran and failed, 2 bad usage or input, 3 no server or no worker, 4 waiting. */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/**
 * What kind of error a code is.
 * - `input`: the input is wrong. `state`: the request is not possible now. `absent`: the named thing does not exist.
 * - `server`: Temporal, or every worker, cannot be reached. `agent`, `plan`, `model`, `program`: how work ended.
 * - `source`: an MCP server or an OpenAPI document cannot be loaded.
 * - `graph`: a finding of the graph check.
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
  | "graph"
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
  bad_config: [
    "A NAVIGATOR_* or TEMPORAL_* setting cannot be used.",
    "Correct the setting, or unset it to use the default.",
  ],
  name_conflict: [
    "Workflow types or activities of a worker have names of Navigator's.",
    "Give them other names. The message lists them.",
  ],
  workflows_missing: [
    "A workflow bundle was made without Navigator's workflows.",
    "Bundle with NavigatorPlugin, or export the workflows of navigator-agents/workflows from yours.",
  ],
  bad_model: ["A model name cannot be parsed.", 'Write "provider/model", "scripted" or "scripted:FILE".'],
  bad_module: ["A module of the project cannot be loaded.", "The message names the file and the line."],
  files_in_the_way: [
    "A new project would replace files of the folder. Nothing was written.",
    "Name another folder, or move the files away.",
  ],
  bad_backup: [
    "The file is no whole backup of the embedded server.",
    "Nothing was changed. Take another backup, or copy this one again from where it is kept.",
  ],
  nothing_to_back_up: [
    "There is no database of an embedded server here, or Navigator did not start the server.",
    "Run the command in the folder of the project. Back up other servers with the tools of their database.",
  ],
  file_exists: ["The file is there already, and is not overwritten.", "Choose another name."],
  project_exists: ["The folder is a project already.", "Name another folder: navigator init my-app"],
  project_in_use: [
    "Another folder has a project of the same name on the same server: missions would run its code.",
    "Give one of them another name (`project` in navigator.config), or another home (NAVIGATOR_HOME).",
  ],
  hook_failed: [
    "The function `event` of a hook threw, so the event was not taken.",
    "Correct `event` in navigator.config: the log has what it threw. Then let the sender send the event again.",
  ],
  bad_project: ["The project's configuration has mistakes.", "The message names each of them."],
  bad_token: ["The text is not the token of a tool call.", "Pass the token that the tool was given, unchanged."],
  bad_usage: [
    "A command was called with options or arguments that it does not have.",
    "Add --help to see what it takes.",
  ],
  cannot_listen: ["The server cannot listen on a port.", "Choose another port with --port."],
  duplicate_agent: ["Two agents have the same name.", "Rename one of them."],
  duplicate_model: [
    "Two model objects with different settings have the same name.",
    "Make the model once and give it to both agents, or name them in `models` of navigator.config and name those in the agents.",
  ],
  duplicate_workflow: ["Two files in a folder define the same graph.", "Remove or rename one of them."],
  duplicate_task_id: ["A list of tasks contains the same id twice.", "Give each task its own id."],
  duplicate_tool: ["Two tools have the same name.", "Rename one of them."],
  excess_arguments: ["A command was given more arguments than it takes.", "Add --help to see what it takes."],
  files_not_allowed: ["An HTTP caller named a file on the server's machine.", "Send the content instead of a path."],
  invalid_agent: ["An agent definition has mistakes.", "The details name each field and what it expects."],
  invalid_argument: ["An argument of a command is not valid.", "Add --help to see what it takes."],
  invalid_arguments: ["The arguments of a request do not match its schema.", "The details name each of them."],
  invalid_case: ["An input line of `lisp batch` is not a case.", "Each line is one JSON object with a program."],
  invalid_choice: ["A decision has a choice that the review does not offer.", "Choose one of the review's choices."],
  invalid_people: [
    "The file of the project's people has mistakes.",
    "Correct what the message names; `navigator people` writes the file without mistakes.",
  ],
  invalid_decision: ["A decision is not valid.", "A decision has a choice, and a value if the review asks for one."],
  invalid_history: ["A file is not an exported history.", "Export one with: temporal workflow show -o json"],
  invalid_id: ["An id cannot be used.", "The message says why, and has an id that can be used."],
  invalid_input: [
    "A workflow was started with an input that has mistakes.",
    "The details name each field and what it expects.",
  ],
  invalid_journal: [
    "The given value is not a journal.",
    "Pass an object of records as `navigator journal export` writes it.",
  ],
  invalid_json: ["The text is not valid JSON.", "The message names the line and the column."],
  invalid_key: [
    "A text is not a public key, a file does not hold the key that it should, or an encryption key cannot be used.",
    "See your public key: navigator whoami. Make a new one: navigator login --new",
  ],
  invalid_ledger: ["A file is no exported ledger.", "Export one with: navigator ledger export RUN > FILE"],
  invalid_llm: ["A model in the registry cannot be called.", "Register a model name or a function."],
  invalid_llm_registry: ["The model registry is not a map.", "Pass an object: name to model."],
  invalid_options: ["Options have mistakes.", "The details name each of them."],
  invalid_path: ["A definition names a file outside its folder.", "Keep the files of a definition inside its folder."],
  invalid_plan: [
    "A plan has mistakes and was not started.",
    "The details name each of them; try: navigator plan check FILE",
  ],
  invalid_plan_format: ["A plan is not an object.", "A plan has agents and tasks."],
  invalid_request_state: [
    "An MCP client brought back a requestState that was not given for this call, was changed, or is over.",
    "Call again with the same `version` and without requestState and inputResponses: the person is asked again.",
  ],
  invalid_result: ["The node does not declare this result.", "The details list the results."],
  invalid_run_options: ["The options of a run have mistakes.", "The details name each of them."],
  invalid_scenario: ["A scenario file has mistakes.", "The message names each of them."],
  invalid_schedule: ["A schedule cannot be parsed.", "Give a cron expression or an interval."],
  invalid_step: ["A task cannot begin at this node.", "Name a node that is not an end."],
  invalid_task: ["A task cannot be started or loaded.", "The message names the field."],
  invalid_task_file: [
    "A task file of a coding agent cannot be used.",
    "It is a JSON file with a subject or a description.",
  ],
  invalid_tasks: ["A file of tasks has mistakes.", "The details name each of them."],
  invalid_tool: ["A tool cannot be registered.", "The message names what is missing or wrong."],
  invalid_tool_source: [
    "The settings of an MCP server or an OpenAPI document are wrong.",
    "The message names the setting.",
  ],
  invalid_trace: ["A file is not a trace.", "Write one with: navigator trace ID --json"],
  invalid_value: ["A value cannot be recorded.", "Give a value that JSON can hold."],
  invalid_workflow: ["A graph definition has errors.", "Try: navigator workflow check FILE"],
  invalid_yaml: ["The text is not valid YAML.", "The message names the line and the column."],
  secret_in_input: [
    "The value of a secret is in what would be sent to the server. Nothing was sent.",
    "Send the secret's name, and let a tool read the value in the worker.",
  ],
  missing_argument: ["A command lacks an argument.", "Add --help to see what it takes."],
  missing_command: ["A command needs one of its subcommands.", "Add --help to see them."],
  missing_id: ["A command needs an id.", "Name the run, task or plan."],
  missing_option: ["A command lacks an option.", "Add --help to see what it takes."],
  mission_required: [
    "A plan file has no mission, and none was given.",
    "Add --mission TEXT, or `mission:` to the file.",
  ],
  not_json: [
    "JSON cannot hold a value, or would change it.",
    "The message has the place, and what to use instead of a Date, a Map, a BigInt or undefined.",
  ],
  path_outside: ["A symbolic link points outside the folder that may be read.", "Keep the file inside the folder."],
  payload_too_large: [
    "A value is larger than the limit of one Temporal payload.",
    "Pass a reference to a large value.",
  ],
  reserved_tool_name: ["A tool has a name that the language reserves.", "Rename the tool."],
  reserved_result: ["A result has a name that the engine reserves.", "Choose one of the node's own results."],
  result_required: ["The node needs a result to choose an edge.", "The details list the results."],
  token_required: ["A server that other machines can reach has no token.", "Set NAVIGATOR_MCP_TOKEN."],
  unknown_command: ["There is no such command.", "Add --help to see the commands."],
  unknown_option: ["A command has no such option.", "Add --help to see what it takes."],
  two_configurations: ["A folder has two configuration files.", "Keep one of them."],
});

const ABSENT = rows("absent", 2, {
  agent_not_found: ["No agent has this name.", "The message lists the project's agents."],
  source_not_found: ["The project has no source of tools with this name.", "The message lists them."],
  file_not_found: ["There is no such file or folder.", "Check the path."],
  file_unreadable: ["A file cannot be read.", "Check its permissions."],
  file_unwritable: ["A file cannot be written.", "Check the folder's permissions."],
  no_project: ["A folder has no configuration file.", "Name a folder with a navigator.config file."],
  not_found: [
    "There is no such workflow, or it has ended.",
    "The hint shows the forms of ids; try: navigator task list",
  ],
  history_gone: [
    "The server does not have the history of a mission any more, so nobody knows what it has done.",
    "Look at what it did where it did it, and start another one.",
  ],
  group_not_found: ["The project has no group of this name.", "List them: navigator people list"],
  person_not_found: ["The project's people.yaml has nobody of this name.", "List them: navigator people list"],
  no_route: ["The server has nothing at this address.", "The addresses are in /api/openapi.json."],
  record_not_found: ["The mission has no record with this id.", "List its records and effects: navigator log ID"],
  review_not_found: ["There is no open review with this id.", "List what is open: navigator review list"],
  run_not_found: [
    "There is no run with this id.",
    "List the runs: navigator task list, or look in the Temporal Web UI.",
  ],
  step_not_found: ["The graph has no node with this id.", "The message lists the graph's nodes."],
  task_not_found: ["There is no task with this id.", "List the tasks: navigator task list"],
  token_not_found: ["The project has no token with this id.", "List its tokens: navigator token list"],
  version_not_found: ["This version of a graph no longer exists.", "List the versions: navigator workflow show ID"],
  workflow_not_found: ["There is no graph with this id.", "List the graphs: navigator workflow list"],
});

const STATE = rows("state", 2, {
  already_succeeded: [
    "A mission is tried again that has succeeded.",
    "To do all of it once more, its effects too: navigator retry ID --afresh",
  ],
  agents_may_not_decide: [
    "An agent decides a review that is for people, or about a call that cannot be taken back.",
    "A person decides it: navigator review decide.",
  ],
  chat_busy: [
    "A chat was told something while its last message has no answer yet.",
    "Wait for the answer, or cancel the mission that answers.",
  ],
  forbidden: [
    "A request came from another site or host, or without the text that the page sends with changes.",
    "Open the page at its own address. Programs send a token instead: navigator token create.",
  ],
  too_many_requests: ["A caller sends requests too fast.", "Wait for the seconds that Retry-After says."],
  unauthenticated: [
    "A request has no token, or one that does not count.",
    "Send one as `Authorization: Bearer TOKEN`: navigator token create.",
  ],
  already_decided: ["The review is already decided.", "Its decision stands; nothing needs to be done."],
  already_recorded: ["The journal already has a record with this id.", "Add --overwrite to replace it."],
  already_started: ["A decision is taken back after its call has begun.", "Undo what was done: navigator undo RUN."],
  already_voted: [
    "This person has already voted on the review.",
    "Each assignee votes once. Take the vote back first to vote anew: navigator review withdraw ID.",
  ],
  approval_expired: [
    "An approval was given too long ago for the call to begin now.",
    "The call is asked about again; valid_for_ms says how long a yes counts.",
  ],
  approval_revoked: [
    "Somebody took the approval of a call back before the call began, or their key was revoked.",
    "The call was not made. Its program can ask again.",
  ],
  bad_link: [
    "The link of a notification was changed, or nobody who may vouch has signed it.",
    "Open it as it stands in the message, or decide with navigator review decide.",
  ],
  bad_signature: [
    "A decision's signature does not cover it, or is not that of who decides.",
    "Sign the decision as it is sent: navigator review decide does.",
  ],
  call_over: ["The tool call of this token has ended.", "It was answered, or its run is over."],
  child_active: [
    "An agent or another task works on the task and will advance it, or what it did is being undone.",
    "Wait for that, or cancel the task.",
  ],
  claim_lost: ["The claim has expired or belongs to somebody else.", "Claim the task again."],
  confirmation_required: [
    "What was asked for removes something, and nobody has confirmed it.",
    "The message names what is removed. Confirm with --yes, or confirm: true.",
  ],
  decision_required: [
    "A task is moved by hand from a step where people are named to decide.",
    "One of them decides its review: navigator review decide.",
  ],
  history_too_long: [
    "A run or a task cannot continue as new because its state is too large.",
    "Keep less in memory, in the journal, and in a task's context and outputs.",
  ],
  id_in_use: [
    "The id belongs to work that was started with something else.",
    "Use another id. To join the existing work as it is: --join, in code `join: true`.",
  ],
  interrupted: ["The command was interrupted with Ctrl-C.", "The work continues as long as a worker runs."],
  journal_full: ["The journal is full.", "Record references instead of large values."],
  key_in_use: [
    "An encryption key is needed by work that is open, or encrypts what is new.",
    "Wait until that work has ended, or give it up: navigator keys retire ID --force",
  ],
  key_not_private: [
    "The file of a private key can be read by other users of the machine, or belongs to one of them.",
    "Make a new key: navigator login --new",
  ],
  key_revoked: [
    "The key of a signature was revoked, or its owner is not one of the project's people any more.",
    "Make a new key with navigator login, and let somebody add it to people.yaml.",
  ],
  key_taken: ["A public key is somebody else's, or was revoked.", "Each person has keys of their own: navigator login"],
  ledger_changed: [
    "The mission has done something, or something was undone, after the plan to undo it was shown.",
    "Show the plan again and decide anew: navigator undo RUN",
  ],
  link_expired: [
    "The time of the link of a notification is over.",
    "Wait for the next reminder, or decide with navigator review decide.",
  ],
  link_for_other_person: [
    "The link of a notification is somebody else's.",
    "Use the link of the message that was sent to you.",
  ],
  link_for_other_review: [
    "The link of a notification is for another review.",
    "Use the link of the message about this review.",
  ],
  no_journal: ["The run was started without a journal.", "Start it with a journal to record decisions in it."],
  no_matching_edge: ["No edge of the node fits this result.", "The message lists the edges."],
  no_outgoing_edges: ["The node has no outgoing edge.", "Move the task with a person's decision."],
  not_an_assignee: ["Only the review's assignees may decide it.", "Ask one of the people that the message names."],
  not_decided: ["The question was not answered.", "Answer it with: navigator review decide"],
  not_logged_in: ["Nobody is logged in on this machine.", "Log in: navigator login --as NAME"],
  not_paused: [
    "The mission or plan is not paused.",
    "Only what is paused can be resumed: navigator list --status paused",
  ],
  person_exists: [
    "The project has a person or a service of this name already.",
    "Add a key to it: navigator people key NAME add PUBLIC",
  ],
  not_trusted: [
    "A workflow of another namespace asked for more than to run an agent by name or a task.",
    "Whoever runs the worker may trust all callers of its endpoint: nexus: { trusted: true }.",
  ],
  query_rejected: ["Temporal rejected a query because the workflow has ended.", "Read the history: navigator log ID"],
  refused: ["A workflow refused a message.", "The message says why."],
  replayed_decision: [
    "A signed decision was sent a second time.",
    "Sign the decision anew: each signature counts once.",
  ],
  reserved_name: ["Somebody acts, or is named, under a name of the system such as `timer`.", "Choose another name."],
  review_expired: ["The review has expired.", "The log shows what happened then."],
  review_withdrawn: [
    "The review was withdrawn, because the task moved on.",
    "List what is open: navigator review list",
  ],
  other_project: ["The mission belongs to another project.", "Say so: --project NAME"],
  run_over: ["The run has ended: nothing changes it any more.", "Start it again, or start a new one."],
  runs_forgotten: [
    "Runs of a schedule are older than what the server keeps: nobody knows whether they were.",
    "Look in the services behind them. If they never ran, say so: navigator schedule backfill --never-ran.",
  ],
  seal_broken: [
    "A tool call is not the one that was approved: other arguments, or another version of the tool.",
    "The call was not made. Start the mission again if the tool has changed.",
  ],
  seal_mismatch: [
    "A decision has the seal of another question than the one that is asked.",
    "Look at the review again and decide what it asks now: navigator review show.",
  ],
  self_approval: ["Whoever asked may not decide.", "Somebody else decides it, or the terms say separation: false."],
  stale_version: [
    "The task has moved on from the version that the caller named, and not by this call.",
    "Look where it is: navigator task show ID",
  ],
  version_required: [
    "A call that moves a task may be the repeat of an earlier one, and a person is asked, or has decided, since.",
    "Look what happened, and call again with the version that the message names if the result is a new one.",
  ],
  still_running: [
    "Something is started again that has not ended.",
    "Wait until it ends, or cancel it: navigator log ID shows what it does.",
  ],
  step_changed: ["The task is at another node than the caller expected.", "Look where it is: navigator task show ID"],
  taken_over: [
    "A retry has taken over what the mission has done.",
    "Undo the retry, which the message names: it has the effects of both.",
  ],
  task_claimed: [
    "Somebody else holds the task.",
    "Wait until the claim is released or expires. If it is yours, pass its `claim` with advance_task.",
  ],
  task_closed: ["The task has ended.", "Start a new one."],
  task_exists: ["A task with this id already exists.", "Choose another id."],
  task_failed: ["The task ended as failed.", "See what happened: navigator task show ID"],
  task_in_hitl: ["The task waits for a person.", "Decide its review: navigator review list"],
  task_not_paused: ["The task is not paused.", "Only a paused task can be resumed."],
  task_paused: ["The task is paused.", "Resume it first: navigator task resume ID"],
  task_waiting: [
    "The task is at a wait node and continues by itself when the time comes.",
    "Wait, or continue now: navigator task advance ID --result passed --force",
  ],
  undo_failed: [
    "An effect could not be undone. What is undone stays undone.",
    "The message says why. Show the plan again: it has what is left.",
  ],
  unknown_signer: [
    "A decision is signed with a key that the project's people.yaml does not have.",
    "Let somebody add the key: navigator people key NAME.",
  ],
  unverified_decision: [
    "A decision must be signed, and is not.",
    "Log in with navigator login; people.yaml says whose keys count.",
  ],
  wrong_kind: ["The workflow is of a different kind.", "Runs have a journal, tasks have steps and reviews."],
});

const SERVER = rows("server", 3, {
  access_denied: [
    "The Temporal server refuses access.",
    "Check TEMPORAL_API_KEY, TEMPORAL_TLS_* and TEMPORAL_NAMESPACE.",
    "no",
  ],
  already_running: [
    "The embedded server runs: on another port, or where it must not.",
    "Use it as it is, or stop it: navigator server stop",
  ],
  backup_failed: [
    "The database of the embedded server could not be copied. The server runs again.",
    "The message says why. The database was not changed.",
  ],
  background_ended: [
    "The background process with the server and the worker ended, or cannot be started.",
    "Its log says why: navigator server status names it. The next call of an MCP session starts it again.",
  ],
  background_starting: [
    "The background process of an MCP session is not ready yet. The message says what it is doing.",
    "Call again in some seconds.",
    "model",
  ],
  encryption_key_missing: [
    "What the server keeps is encrypted with a key that this process does not have. The message names the key.",
    "Bring the key here: navigator keys export where it is, navigator keys import here.",
  ],
  payload_tampered: [
    "What the server keeps was changed, or was encrypted with another key of the same id.",
    "Compare the fingerprints of navigator keys list on both machines.",
  ],
  stored_payload_missing: [
    "A large payload or a document is not in the place where large payloads are kept. The message names both.",
    "Use the same `largePayloads` in every process of the project, or bring it back from a backup.",
  ],
  payload_storage_unavailable: [
    "The place where large payloads are kept cannot be read or written.",
    "See `largePayloads` in navigator.config. Missions wait until the place can be reached.",
    "engine",
  ],
  payload_unreadable: [
    "What the server keeps is encoded, and this program has no codec for it.",
    "Set `codec` in navigator.config, or give the Temporal client the data converter of the workers.",
  ],
  namespace_not_found: ["The Temporal server has no such namespace.", "Create it, or set TEMPORAL_NAMESPACE."],
  issuer_unavailable: [
    "The OIDC issuer of the project cannot be asked for its keys.",
    "Check `oidc.issuer` in the configuration, and whether the issuer can be reached from here.",
  ],
  load_incomplete: ["A list of tasks was loaded only in part.", "Repeat the same load: it finishes what is missing."],
  no_encryption_key: [
    "The project encrypts what it writes, and this process has no key.",
    "Bring the project's keys: navigator keys import FILE. Only a project that has never had one makes its first: navigator keys create",
  ],
  no_answer: ["No Temporal server answers at the address.", "Start one: navigator server start"],
  no_cli: ["The Temporal CLI, which starts the server, was not found.", "Install it from https://docs.temporal.io/cli"],
  collector_failed: [
    "A collector of OpenTelemetry cannot be reached, or did not take all spans.",
    "Check its address and headers. Sending again repeats nothing.",
  ],
  no_worker: ["No worker answered.", "Start one: navigator worker --config YOUR_PROJECT"],
  unknown_run_format: [
    "A run has a format or a flag that this version of Navigator does not know: another version has started it.",
    "Start a worker of the version that started it. The run waits for one, and nothing of it is lost.",
    "engine",
  ],
  not_running: ["No Temporal server runs.", "Start one: navigator server start"],
  port_in_use: ["Another program listens on the port.", "Choose another port with --port or NAVIGATOR_PORT."],
  restore_failed: [
    "A backup could not be put in the place of the embedded server's database.",
    "The message says why, and whether something was changed. The old database is kept.",
  ],
  search_attributes: [
    "Search attributes are missing or have the wrong type.",
    "The hint has the command that creates them.",
  ],
  streams_unavailable: [
    "The database that keeps the text of model calls cannot be used.",
    "Correct NAVIGATOR_STREAMS_URL, or unset it to keep streams in files.",
  ],
  server_error: ["The Temporal server returned an error.", "The message contains the server's response.", "engine"],
  start_failed: ["The embedded server did not start.", "The hint names its log."],
  stop_failed: ["The embedded server could not be stopped.", "End the process that the message names."],
  temporal_unavailable: ["An MCP tool cannot reach Temporal.", "Nothing is lost: call again when the server is back."],
  worker_stopped: ["The worker stopped before the run ended.", "Start a worker again: the run continues."],
});

const SOURCE = rows("source", 1, {
  mcp_server_failed: [
    "An MCP server cannot be started or reached, or its login is refused or gives no token.",
    "The message says why, with the last lines that the server wrote.",
  ],
  mcp_login_needed: [
    "An MCP server wants a login, and nobody has logged in, or the login is over.",
    "Run `navigator tools login SOURCE` as the user of the worker.",
  ],
  mcp_login_failed: ["A login to an MCP server did not succeed.", "The message says at which step."],
  openapi_failed: ["An OpenAPI document cannot be read.", "Check its address."],
});

const AGENT = rows("agent", 1, {
  agent_lost: ["The workflow of a child run failed or was ended from outside.", "Look at it in the Temporal Web UI."],
  agent_circle: ["Agents call each other as tools in a circle.", "Remove one of the tools that the message names."],
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
  workflow_failed: ["The workflow itself failed.", "Look at it in the Temporal Web UI."],
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
  no_undo: [
    "The effect of a tool cannot be taken back: the tool has no function for it.",
    "Give the tool an `undo`, or take the effect back by hand.",
  ],
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

const GRAPH = rows("graph", 2, {
  dead_end: ["A node that is not an end has no outgoing edge.", "Add an edge, or make the node an end."],
  degenerate_branch: ["A branch of a fork leads straight to the join.", "Give the branch a node."],
  duplicate_edge: ["Two edges are identical.", "Remove one of them."],
  edge_into_start: ["An edge leads into the start node.", "Point it to the node after the start."],
  fork_join_mismatch: ["The branches of a fork do not meet in its join.", "Lead each branch to the join."],
  fork_without_branches: ["A fork has no branches.", "Give it edges to nodes that end in its join."],
  id_mismatch: ["The id in the file is not the id it is loaded under.", "Use one id."],
  invalid_edge: ["An edge is not an object with from and to.", "Write {from, to, on}."],
  invalid_end_result: ["The result of an end node is unknown.", "The message lists the known results."],
  invalid_escalation: ["The escalation of an end node is unknown.", "The message lists the known escalations."],
  invalid_max_concurrency: ["The max_concurrency of a fork is not a whole number of at least 1.", "Correct it."],
  invalid_max_retries: ["The maxRetries of a node is not a whole number of at least 0.", "Correct it."],
  invalid_node_id: ["The id of a node cannot be used.", "Use letters, digits, - and _."],
  invalid_outputs: ["The outputs of a node are not a list of strings.", "List the results that it may have."],
  invalid_property: ["A property has an invalid value.", "The message says what is expected."],
  invalid_wait: ["A wait node does not say how long it waits.", "Set `for` or `until`."],
  missing_edges: ["A graph has no edges.", "Add `edges`."],
  missing_nodes: ["A graph has no nodes.", "Add `nodes`."],
  name_required: ["A node that people see has no name.", "Add `name`."],
  nested_fork: ["A fork is inside a branch of another fork.", "Use a subflow for the inner one."],
  no_end: ["A graph has no end.", "Add a node of type end."],
  no_path_to_end: ["No path leads from a node to an end.", "Add the missing edge."],
  output_not_declared: ["An edge waits for a result that its node does not declare.", "Add it to the node's outputs."],
  start_count: ["A graph does not have exactly one start.", "Keep one node of type start."],
  subflow_cycle: ["Graphs contain each other in a circle.", "Remove one of the subflows."],
  unknown_node_type: ["A node has a type that does not exist.", "The message lists the types."],
  unknown_source: ["An edge leads from a node that does not exist.", "The message lists the nodes."],
  unknown_target: ["An edge leads to a node that does not exist.", "The message lists the nodes."],
  unreachable_node: ["No path leads from the start to a node.", "Add an edge to it, or remove it."],
  workflow_required: ["A subflow node names no graph.", "Add `workflow`."],
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
  ...GRAPH,
  ...INTERNAL,
};

/** The stable name of an error: a key of `ERROR_CODES`. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Whether a text, such as the type of a failure from the wire, is a code of the table. */
export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(ERROR_CODES, text);

/** The finer codes of a program's error, in `details.code` of its failure (lisp reference, section 14). */
export const PROGRAM_ERROR_CODES = {
  arithmetic_error: "A number operation has no result.",
  arity_error: "A function was called with the wrong number of arguments.",
  arity_mismatch: "recur has a different number of values than its loop.",
  cannot_shadow_builtin: "A definition has the name of a builtin.",
  destructure_error: "A value does not have the form that a destructuring binding expects.",
  execution_error: "Something failed while the program ran.",
  invalid_arity: "A form has too few or too many parts.",
  invalid_cond_form: "A cond form is wrong.",
  invalid_form: "A form is wrong.",
  invalid_keyword_call: "A keyword was called with something that has no keys.",
  invalid_map_call: "A map was called with the wrong number of arguments.",
  invalid_placeholder: "A % is used outside a short function.",
  invalid_task_id: "The id of a task cannot be used.",
  invalid_thread_form: "A threading form is wrong.",
  invalid_where_form: "A where form is wrong.",
  invalid_where_operator: "A where form has an operator that does not exist.",
  journal_full: "The journal is full.",
  not_callable: "A value that is not a function was called.",
  other_effect: "Another effect was asked for under the id of a task that is done.",
  pcalls_error: "A branch of pcalls failed.",
  pmap_error: "A branch of pmap failed.",
  secret_in_arguments: "A tool with an effect was called with the mask of a secret; the call was not made.",
  task_deadlock: "Tasks in parallel branches wait for each other.",
  type_error: "A value has the wrong type.",
  unbound_var: "A name has no value.",
  unknown_tool: "A program names a tool that is not available.",
  unsupported_pattern: "A pattern or a binding has a form that is not supported.",
} as const satisfies Record<string, string>;

/** Every code that `details.code` of a program's failure may have (lisp reference, section 14.2). */
export type ProgramErrorCode = keyof typeof PROGRAM_ERROR_CODES | keyof typeof PROGRAM | "tool_error";

/** The type of the failure of an attempt whose worker was killed, where the next worker says so before a time limit does. */
export const WORKER_LOST = "worker_lost";

/** What a worker answers to a query that has reached it before the workflow task that the answer depends on. */
export const UNCOMMITTED_TASK = "A workflow task of this run is under way or was lost: ask again.";

/** Whether a query has ended with it, by the error that its client throws. */
export const isUncommitted = (error: unknown): boolean =>
  error instanceof Error && error.message.includes(UNCOMMITTED_TASK);

/** The type of the failure of an attempt of an `idempotent` call whose outcome nobody knows. */
export const OUTCOME_UNKNOWN = "outcome_unknown";
