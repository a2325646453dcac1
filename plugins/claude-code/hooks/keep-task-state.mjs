// The hooks of the plugin: which Navigator tasks are worked on in this folder, kept next to Claude Code's settings.
//   PostToolUse   notes the task of an answer, or forgets it when it has ended
//   SessionEnd    /clear: hands the tasks of this session to the one that begins
//   SessionStart  lists the open tasks in the new context
//   PreCompact    asks for a summary that names them
// Temporal has the truth, and `current` returns it: the state here only lists the tasks to ask for. No server and no network is
// needed, nothing from an answer is run, and a session continues whatever happens here.
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** Calls of somebody who works on a task. Other calls only update a task that is known. */
const WORK = new Set(["init", "start", "current", "next", "advance_task", "claim_task", "claim_next_tasks"]);
const MOST_SHOWN = 5;
/** So many characters of an id, a name or a claim. */
const LONGEST = 200;
const KEPT_MS = 30 * 24 * 3_600_000;

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const hash = (text) => createHash("sha256").update(text).digest("hex").slice(0, 24);
/** Ids and names come from others: one line each, and short. */
const word = (value) =>
  typeof value === "string" && value !== "" ? value.replace(/[\p{C}\p{Z}]+/gu, " ").slice(0, LONGEST) : undefined;

/** `recursive` of mkdirSync never ends below some folders of the system that nobody can write. */
function makeFolder(folder) {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error.code === "EEXIST") return;
    if (error.code !== "ENOENT" || path.dirname(folder) === folder) throw error;
    makeFolder(path.dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
  }
}

/** The tasks of one folder: a file for each, so that two calls at once do not overwrite each other. */
class TaskState {
  constructor(project, env) {
    const settings = env.CLAUDE_CONFIG_DIR ?? path.join(homedir(), ".claude");
    const data = env.CLAUDE_PLUGIN_DATA ?? path.join(settings, "plugins", "data", "navigator");
    this.folder = path.join(data, hash(project));
  }

  fileOf(id) {
    return path.join(this.folder, `${hash(id)}.json`);
  }

  /** The task of a file; nothing if there is none, or if it cannot be read. */
  read(file) {
    try {
      const task = JSON.parse(readFileSync(file, "utf8"));
      return isObject(task) && typeof task.id === "string" ? task : undefined;
    } catch {
      return undefined;
    }
  }

  /** What was worked on last comes first. */
  all(now) {
    let names = [];
    try {
      names = readdirSync(this.folder).filter((name) => name.endsWith(".json"));
    } catch {
      return []; // no task was ever worked on in this folder
    }
    const tasks = names.map((name) => this.read(path.join(this.folder, name))).filter((task) => task !== undefined);
    for (const { id, at } of tasks) if (!(at > now - KEPT_MS)) this.forget(id);
    return tasks.filter(({ at }) => at > now - KEPT_MS).sort((a, b) => b.at - a.at);
  }

  /** A claim's token is in it: for this user alone. */
  keep(task) {
    makeFolder(this.folder);
    const fresh = path.join(this.folder, `${randomUUID()}.new`);
    writeFileSync(fresh, JSON.stringify(task), { mode: 0o600 });
    renameSync(fresh, this.fileOf(task.id));
  }

  forget(id) {
    rmSync(this.fileOf(id), { force: true });
  }
}

/** The `data` of an answer, however the client hands it on: the structured content, a text, or blocks of text. */
function dataOf(response) {
  if (typeof response === "string") {
    try {
      return dataOf(JSON.parse(response));
    } catch {
      return undefined;
    }
  }
  if (Array.isArray(response)) return response.map((block) => dataOf(block?.text)).find((data) => data !== undefined);
  if (!isObject(response) || response.isError === true) return undefined;
  return isObject(response.data) ? response.data : dataOf(response.structuredContent ?? response.content);
}

/** The state of one task in an answer. */
function stateIn(data, input) {
  const task = isObject(data.task) ? data.task : {};
  const id = task.id ?? data.request?.id ?? input.taskId;
  if (typeof id !== "string" || id.length > LONGEST) return undefined;
  const { status } = task;
  const step = word(task.currentStep ?? data.currentStep);
  const isOver =
    status === "COMPLETED" || status === "FAILED" || data.terminal === "success" || data.terminal === "failure";
  return {
    id,
    isOver,
    issue: word(task.issueId ?? data.request?.issueId),
    step,
    version: data.version,
    review: word(data.waitingFor?.review),
    waits: status === "HITL" || data.terminal === "hitl" || isObject(data.waitingFor),
    claim: claimIn(data.token ?? input.claim),
  };
}

/** A token that would have to be cut is of no use. */
const claimIn = (claim) => (claim !== undefined && JSON.stringify(claim).length <= LONGEST ? claim : undefined);

function note(event, state, now) {
  const tool = String(event.tool_name).split("__").at(-1);
  const input = isObject(event.tool_input) ? event.tool_input : {};
  const data = dataOf(event.tool_response);
  if (data === undefined) return;
  for (const entry of Array.isArray(data.claimed) ? data.claimed : [data]) {
    const { id, isOver, ...seen } = (isObject(entry) && stateIn(entry, input)) || {};
    if (id === undefined) continue;
    const known = state.read(state.fileOf(id));
    if (isOver || tool === "release_claim") state.forget(id);
    else if (known !== undefined || WORK.has(tool)) {
      const changed = Object.fromEntries(Object.entries(seen).filter(([, value]) => value !== undefined));
      // Without a review in the answer none is open.
      state.keep({ ...known, review: undefined, ...changed, id, session: event.session_id, at: now });
    }
  }
}

function handOn({ session_id }, state, now) {
  for (const task of state.all(now)) if (task.session === session_id) state.keep({ ...task, session: "cleared" });
}

/** Tasks that this session works on; after /clear, also those of the session before it. */
function ownTasks({ session_id, source }, state, now) {
  const tasks = state.all(now);
  const own = tasks.filter(({ session }) => session === session_id || (source === "clear" && session === "cleared"));
  for (const task of own) if (task.session === "cleared") state.keep({ ...task, session: session_id });
  return { own, others: tasks.filter((task) => !own.includes(task)) };
}

function line({ id, issue, step, version, waits, review, claim }) {
  const parts = [
    `task ${JSON.stringify(word(id))}`,
    ...(issue === undefined || issue === id ? [] : [`about ${JSON.stringify(issue)}`]),
    ...(step === undefined ? [] : [`at step ${JSON.stringify(step)}`]),
    ...(Number.isInteger(version) ? [`version ${version}`] : []),
    ...(waits ? [`waits for a person${review === undefined ? "" : `: review ${JSON.stringify(review)}`}`] : []),
    ...(claim === undefined ? [] : [`claim ${JSON.stringify(typeof claim === "string" ? word(claim) : claim)}`]),
  ];
  return `- ${parts.join(", ")}`;
}

const list = (tasks) => [
  ...tasks.slice(0, MOST_SHOWN).map(line),
  ...(tasks.length > MOST_SHOWN ? [`- and ${tasks.length - MOST_SHOWN} more`] : []),
];

function sessionStart(event, state, now) {
  const { own, others } = ownTasks(event, state, now);
  if (own.length + others.length === 0) return;
  const text = [
    ...(own.length === 0
      ? []
      : ["Navigator: this session works on these tasks (state of the last answer).", ...list(own)]),
    ...(others.length === 0
      ? []
      : [
          "Navigator: other sessions in this folder worked on these tasks. Continue one only if the user asks.",
          // A claim is of the session that has it.
          ...list(others.map((task) => ({ ...task, claim: undefined }))),
        ]),
    "Before you continue a task, call `current` with its taskId: it answers what was asked (`request`), what earlier steps gave (`outputs`), what is to be done (`instructions`) and the `version` for advance_task. Never decide a review: a person does.",
  ].join("\n");
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: text } });
}

/** What a PreCompact hook prints is added to the instructions for the summary. */
function preCompact(event, state, now) {
  const { own } = ownTasks(event, state, now);
  if (own.length === 0) return;
  return [
    "Keep in the summary, word for word, these Navigator tasks, and that `current` with the taskId comes first:",
    ...list(own),
  ].join("\n");
}

const HOOKS = { PostToolUse: note, SessionEnd: handOn, SessionStart: sessionStart, PreCompact: preCompact };

try {
  const event = JSON.parse(readFileSync(0, "utf8")) ?? {};
  const project = process.env.CLAUDE_PROJECT_DIR ?? event.cwd ?? process.cwd();
  const hook = Object.hasOwn(HOOKS, event.hook_event_name) ? HOOKS[event.hook_event_name] : undefined;
  const output = hook?.(event, new TaskState(path.resolve(project), process.env), Date.now());
  if (output !== undefined) process.stdout.write(`${output}\n`);
} catch (error) {
  // Exit code 0: a session is never stopped by what only helps it to remember.
  process.stderr.write(`navigator: the state of tasks was not kept: ${error.message}\n`);
}
