import type { Command } from "commander";
import { createProgram } from "../../src/cli/main";
import { createIo } from "../../src/cli/terminal/io";
import { type Commands, cliHere, openPlace, type Place, setEnv, writeProject } from "../support/cli";
import { temporaryFolder } from "../support/environment";

/** Bad input is refused before a server is looked for (none is there): exit code 2, what was wrong, where, what would be right. */

let place: Place;
/** The commands whose process is not the point, in this process. */
let here: Commands;
beforeAll(async () => {
  place = await openPlace("input", { TEMPORAL_ADDRESS: "127.0.0.1:1" });
  here = place.here();
  writeProject(place);
  place.write("broken.json", '{"a": 1,\n "b": }');
  place.write("broken.yaml", "prompt: Do it.\nplan: [a, b\nmax_turns: 3\n");
  place.write("list.json", [1, 2]);
  place.write("no-events.json", { events: [] });
  place.write("folder/file", "");
  place.write("bad-agent.yaml", BAD_AGENT);
  place.write("bad-agent.json", { prompt: "Do it.", max_turns: 0 });
  place.write("bad-graph.json", BAD_GRAPH);
  place.write("broken-project/navigator.config.json", { tool: [] });
  place.write("broken-project-2/navigator.config.json", { agents: "agents" });
  place.write("broken-project-2/agents/bad.yaml", "prompt: Do it.\nmax_turns: 0\n");
  place.write("scenario.yaml", "agent: bad-agent.yaml\nmodel: []\n");
  place.write("scenario-2.yaml", "agent: { prompt: Do it., max_turns: 0 }\nmodel: yes\nstubs: {}\n");
});
afterAll(() => place.close());

const BAD_AGENT = `name: careless
prompt: >
  Order {{order_id}}
signature: "(order_id :int -> :string"
toolz: [get_order]
max_turns: lots
`;

const BAD_GRAPH = `{
  "id": "order",
  "nodes": {
    "start": { "type": "start" },
    "work": { "type": "tusk", "name": "Work" },
    "done": { "type": "end" }
  },
  "edges": [
    { "from": "start", "to": "nowhere" }
  ]
}`;

test("an agent file with three mistakes names all three, each with its line, for people and for machines", async () => {
  const end = await place.run(["run", "bad-agent.yaml"]);
  expect(end).toMatchObject({ code: 2, stdout: "" });
  expect(end.stderr.split("\n")).toEqual([
    expect.stringMatching(/^error \[invalid_agent\] .*bad-agent\.yaml has 3 mistakes:$/),
    expect.stringMatching(/^ {2}line 4: signature: invalid signature: .*column 16/),
    '  line 5: toolz: unknown option "toolz"; did you mean tools?',
    "  line 6: max_turns: must be a positive integer",
    "",
  ]);
  const error = await here.refused(["run", "bad-agent.yaml"]);
  expect(error.details.issues).toMatchObject([
    { path: "signature", line: 4, column: 1 },
    { path: "toolz", line: 5, column: 1 },
    { path: "max_turns", line: 6, column: 1 },
  ]);
});

test("a definition names every mistake with its line", async () => {
  const error = await here.refused(["task", "start", "bad-graph.json", "--id", "x"]);
  expect(error.message).toMatch(/^bad-graph\.json has \d mistakes:\n/);
  expect(error.message).toContain('\n  line 5: Node "work": type must be one of start, end, task');
  expect(error.message).toContain('\n  line 6: Node "done": result must be one of success');
  expect(error.message).toContain('\n  line 9: edges[0] (start -> nowhere) leads to "nowhere"');
});

const run = (...more: string[]) => ["run", "charge", ...more];
const start = (...more: string[]) => ["task", "start", "graph.json", "--id", "x", ...more];

test.each([
  { args: ["run", "bad-agent.json"], code: "invalid_agent", says: "bad-agent.json:3:3: max_turns: must be" },
  { args: ["run", "broken.yaml"], code: "invalid_input", says: "broken.yaml:" },
  { args: ["run", "broken.json"], code: "invalid_input", says: "broken.json:2:7: Unexpected token '}'" },
  { args: ["run", "nobody"], code: "agent_not_found", says: "The project's agents: asks, charge, fails." },
  { args: ["run", "folder"], code: "agent_not_found", says: 'no agent "folder"' },
  { args: run("--config", "nowhere"), code: "not_found", says: "nowhere" },
  { args: run("--config", "folder"), code: "not_found", says: "navigator.config.json" },
  {
    args: run("--config", "broken-project"),
    code: "bad_project",
    says: 'unknown setting "tool"; there are project, tools',
  },
  { args: run("--config", "broken-project-2"), code: "invalid_agent", says: "bad.yaml:2:1: max_turns" },
  {
    args: run("--context", "order 42"),
    code: "invalid_input",
    says: "--context is not JSON: Unexpected token 'o' at 1:1.",
  },
  { args: run("--context", "[1]"), code: "invalid_input", says: "--context: must be a JSON object, got a list." },
  { args: run("--context", "@none.json"), code: "not_found", says: "--context: There is no file none.json." },
  { args: run("--context", "@broken.json"), code: "invalid_input", says: "--context: broken.json:2:7: " },
  {
    args: run("--journal", "@list.json"),
    code: "invalid_input",
    says: "--journal: list.json: must be a JSON object, got a list.",
  },
  { args: run("--journal", "null"), code: "invalid_input", says: "--journal: must be a JSON object, got null." },
  { args: run("--model", "gpt"), code: "invalid_input", says: 'There is no model "gpt". Available: scripted' },
  { args: start("--model", "scripted:none.json"), code: "invalid_input", says: "none.json" },
  { args: start("--priority", "high"), code: "bad_usage", says: '--priority must be a number, got "high".' },
  { args: run("--priority", "high"), code: "bad_usage", says: '--priority must be a number, got "high".' },
  { args: run("--fairness-weight", "2"), code: "bad_usage", says: "--fairness-weight needs --fairness-key." },
  { args: run("--fairness-key", " "), code: "invalid_input", says: "fairness.key must be a text" },
  { args: start("--context", "3"), code: "invalid_input", says: "--context: must be a JSON object, got the number 3." },
  { args: ["task", "start", "graph.json", "--id", " "], code: "bad_usage", says: "--id must not be empty" },
  { args: ["task", "start", "graph.json"], code: "bad_usage", says: "--id" },
  { args: ["task", "start", "none.json", "--id", "x"], code: "not_found", says: "There is no file none.json." },
  { args: ["task", "start", "list.json", "--id", "x"], code: "invalid_id", says: "list.json has 3 mistakes" },
  { args: ["task", "start", "broken.json", "--id", "x"], code: "invalid_input", says: "broken.json:2:7: " },
  { args: ["journal", "set", "a", "b", "yes", "--by", "me"], code: "invalid_input", says: "VALUE is not JSON" },
  {
    args: ["journal", "set", "a", "", "1", "--by", "me"],
    code: "bad_usage",
    says: "The journal id must not be",
  },
  { args: ["journal", "set", "a", "b", "1"], code: "bad_usage", says: "--by" },
  { args: ["why", ""], code: "bad_usage", says: "ID is empty" },
  {
    args: ["list", "--limit", "0x10"],
    code: "bad_usage",
    says: '--limit must be a whole number, 1 or more, got "0x10"',
  },
  { args: start("--priority", "0x10"), code: "bad_usage", says: '--priority must be a number, got "0x10".' },
  { args: ["log"], code: "bad_usage", says: "--from-history" },
  { args: ["log", "a", "--from-history", "list.json"], code: "bad_usage", says: "--from-history" },
  { args: ["log", "--from-history", "none.json"], code: "not_found", says: "none.json" },
  { args: ["log", "--from-history", "broken.json"], code: "invalid_input", says: "broken.json:2:7: " },
  { args: run("--config", "bad-agent.yaml"), code: "not_found", says: "bad-agent.yaml is not a configuration file. " },
  { args: ["log", "--from-history", "no-events.json"], code: "invalid_input", says: "it has no workflow events" },
  { args: ["log", "--from-history", "list.json"], code: "invalid_input", says: "events[0]" },
  { args: ["simulate", "agent", "none.yaml"], code: "not_found", says: "none.yaml" },
  { args: ["simulate", "agent", "broken.json"], code: "invalid_input", says: "broken.json:2:7: " },
  { args: ["simulate", "agent", "list.json"], code: "invalid_input", says: "a scenario is an object" },
  {
    args: ["simulate", "agent", "scenario.yaml"],
    code: "invalid_agent",
    says: "bad-agent.yaml has 3 mistakes:\n  line 4: ",
  },
  {
    args: ["simulate", "agent", "scenario-2.yaml"],
    code: "invalid_input",
    says: "  line 1: agent.max_turns: must be",
  },
  {
    args: ["simulate", "agent", "scenario-2.yaml"],
    code: "invalid_input",
    says: "  line 2: model: a script is a list",
  },
  {
    args: ["simulate", "agent", "scenario-2.yaml"],
    code: "invalid_input",
    says: "  line 3: stubs: unknown field; a scenario has",
  },
  { args: ["lisp", "none.lisp"], code: "not_found", says: "There is no file none.lisp." },
  { args: ["lisp", "folder"], code: "file_error", says: "folder is a folder" },
  { args: ["lisp", "a.lisp", "-e", "1"], code: "bad_usage", says: "not both" },
  { args: ["lisp", "batch", "none.jsonl"], code: "not_found", says: "There is no file none.jsonl." },
  { args: ["run", "charge", "--contxt", "{}"], code: "bad_usage", says: "--contxt" },
  { args: ["journal", "get", "x"], code: "bad_usage", says: "Did you mean set?" },
])("$args is refused as $code: $says", async ({ args, code, says }) => {
  const error = await here.refused(args);
  expect(error.code).toBe(code);
  expect(`${error.message} ${error.hint ?? ""}`).toContain(says);
});

test("valid input without a server: exit code 3, and a hint", async () => {
  for (const args of [run(), start(), ["log", "x"], ["review", "list"], ["demo", "--yes"], ["worker"]]) {
    const error = await here.refused(args, { code: 3 });
    expect(error).toMatchObject({ code: "temporal_unavailable", message: expect.stringContaining("127.0.0.1:1") });
    expect(error.hint).toContain("TEMPORAL_ADDRESS");
  }
});

describe("every command, in one process", () => {
  const folder = temporaryFolder("every-command");
  let restore = () => {};
  beforeAll(() => {
    const env = { TEMPORAL_ADDRESS: "127.0.0.1:1", NAVIGATOR_PROJECT: "none", NAVIGATOR_HOME: folder.path };
    restore = setEnv(env);
  });
  afterAll(() => {
    restore();
    folder.remove();
  });

  const silent = { write: () => {} };
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
  const pathOf = (command: Command): string[] =>
    command.parent === null ? [] : [...pathOf(command.parent), command.name()];
  /** They change this folder, or answer without a server: test/cli/people.test.ts. */
  const ownFiles = ["people", "login", "logout", "whoami", "token", "keys"];
  /** They wait for input or for a signal, change this machine, or answer without a server. */
  const others = [
    "lisp",
    "lisp batch",
    "mcp",
    "web",
    "demo",
    "server",
    "tools",
    "tools types",
    "doctor",
    "workflow catalog",
    "workflow init",
  ];
  const commands = leaves(createProgram(createIo({ stdout: silent, stderr: silent }, {}), () => {}))
    .map((command) => ({ command, path: pathOf(command), name: pathOf(command).join(" ") }))
    .filter(({ name, path }) => !others.includes(name) && path[0] !== "server");
  const requiredOf = ({ registeredArguments }: Command) => registeredArguments.filter(({ required }) => required);
  const mandatoryOf = ({ options }: Command) => options.filter(({ mandatory }) => mandatory);

  /** The refusal as data. Nothing is on stdout, and no stack. */
  async function refusalOf(args: string[]) {
    const { code, stdout, stderr } = await cliHere([...args, "--json"]);
    expect({ args, stdout }).toEqual({ args, stdout: "" });
    const { error } = JSON.parse(stderr);
    expect(error.code).not.toBe("internal_error");
    expect(JSON.stringify(error)).not.toMatch(/\\n +at /);
    return { exit: code, ...error };
  }

  test.each(commands.filter(({ command }) => requiredOf(command).length + mandatoryOf(command).length > 0))(
    "navigator $name without its arguments names one and its help",
    async ({ path, name }) => {
      const refusal = await refusalOf(path);
      expect(refusal).toMatchObject({ exit: 2, code: "bad_usage" });
      expect(refusal.message).toMatch(/'[^']+'/);
      expect(refusal.hint).toContain(`navigator ${name} --help`);
    },
  );

  test.each(commands)("navigator $name names an option that it does not have", async ({ command, path }) => {
    const mandatory = mandatoryOf(command).flatMap(({ long }) => [long as string, "x"]);
    expect(await refusalOf([...path, ...mandatory, "--no-such-thing"])).toMatchObject({
      exit: 2,
      code: "bad_usage",
      message: expect.stringContaining("--no-such-thing"),
    });
  });

  // Proofs need no argument and begin at once: test/cli/prove.test.ts runs them.
  const asking = ({ name, path: [first = ""] }: { name: string; path: string[] }) =>
    name !== "workflow check" && first !== "prove" && !ownFiles.includes(first);
  test.each(commands.filter(asking))(
    "navigator $name with something that does not exist names it, or the server that does not answer",
    async ({ command, path }) => {
      const given = [
        ...requiredOf(command).map(() => "no-such"),
        ...mandatoryOf(command).flatMap(({ long }) => [long, "x"]),
      ];
      const refusal = await refusalOf([...path, ...(given as string[])]);
      if (refusal.exit === 3)
        expect(refusal).toMatchObject({
          code: "temporal_unavailable",
          hint: expect.stringContaining("TEMPORAL_ADDRESS"),
        });
      else {
        expect(refusal.exit).toBe(2);
        expect(`${refusal.message} ${refusal.hint ?? ""}`).toMatch(/no-such|VALUE|Name |"x"/);
      }
      expect(refusal.hint ?? refusal.message).toMatch(/./);
    },
  );

  const NUMBERS = /^--(limit|lease|priority|workflow-version|from-version|from|min-duration|slowest)$/;
  const numeric = commands.flatMap(({ command, path, name }) =>
    command.options
      // The times of `schedule backfill` are dates.
      .filter(({ long }) => NUMBERS.test(long ?? "") && name !== "schedule backfill")
      .map(({ long }) => ({ command, path, name, option: long as string })),
  );
  test.each(numeric)("navigator $name $option says what it takes", async ({ command, path, option }) => {
    const file = path.join(" ") === "task start" ? ["graph.json"] : requiredOf(command).map(() => "no-such");
    const mandatory = mandatoryOf(command).flatMap(({ long }) => [long as string, "x"]);
    const refusal = await refusalOf([...path, ...file, ...mandatory, option, "soon"]);
    expect(refusal).toMatchObject({ exit: 2, code: "bad_usage", details: { path: option } });
    expect(refusal.message).toMatch(new RegExp(`^${option} must be a .*, got "soon"\\.$`));
  });
});
