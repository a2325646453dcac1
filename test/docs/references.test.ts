import { readFileSync } from "node:fs";
import path from "node:path";
import { AgentFile } from "../../src/core/agent/definition/agent-file";
import { RunOptions } from "../../src/core/agent/definition/run-options";
import { RUN_REASONS } from "../../src/core/agent/result/run-reasons";
import { MODEL_ERROR_CLASSES } from "../../src/core/base/model-errors";
import { SEARCH_ATTRIBUTES, TYPE_WORDS } from "../../src/core/base/search-attributes";
import * as messages from "../../src/workflows/messages";

/** The tables of the agent and the engine reference name what the code has, and nothing else. */
const page = (name: string) => readFileSync(path.join(__dirname, "../../docs/reference", `${name}.md`), "utf8");
const agent = page("agent");
const engine = page("engine");

/** The text of a section, up to the next numbered heading. */
function section(text: string, number: string): string {
  const start = text.search(new RegExp(`^#{2,3} ${number.replace(".", "\\.")}\\.? `, "m"));
  const rest = text.slice(start).replace(/^.*\n/, "");
  const end = rest.search(/^#{2,3} \d/m);
  return end < 0 ? rest : rest.slice(0, end);
}

/** The names in the first column of a section's tables, as `model` of "`model` (`llm`)". */
const named = (text: string): string[] => [...text.matchAll(/^\| `([^`]+)`/gm)].map((row) => row[1] as string);

/** Every name in backticks. */
const mentioned = (text: string): Set<string> =>
  new Set([...text.matchAll(/`(\w+)`/g)].map((name) => name[1] as string));

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

describe("the agent reference", () => {
  test("has every option of a definition and every format option (agent reference, section 2)", () => {
    const { format_options, ...options } = AgentFile().shape;
    const formats = Object.keys(format_options.parse(undefined));
    expect(sorted(named(section(agent, "2")))).toEqual(sorted([...Object.keys(options), "format_options", ...formats]));
  });

  test("has every option of a run (agent reference, section 2.1)", () =>
    expect(sorted(named(section(agent, "2.1")))).toEqual(
      sorted([...Object.keys(RunOptions().shape), "context", "journal", "model", "on_chunk"]),
    ));

  test("has every class of model errors (agent reference, section 5.3)", () => {
    const classes = named(section(agent, "5.3")).filter((name) => name !== "llm_required");
    expect(sorted(classes)).toEqual(sorted(MODEL_ERROR_CLASSES));
  });

  test("has every reason of a run once (agent reference, sections 21-23)", () => {
    const reasons = ["21", "22", "23"].flatMap((number) => named(section(agent, number)));
    // A warning is no reason.
    expect(reasons.filter((reason) => reason !== "missing_journal").sort()).toEqual(Object.keys(RUN_REASONS).sort());
  });
});

describe("the engine reference", () => {
  const workflows = section(engine, "2");

  test("has every search attribute with its type (engine reference, section 2)", () => {
    for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES))
      expect(workflows).toMatch(new RegExp(`\\| \`${name}\` +\\| ${TYPE_WORDS[type]} `));
  });

  test("has every message (engine reference, section 2)", () => {
    const names = Object.values(messages).map(({ name }) => name);
    expect(names.filter((name) => !mentioned(workflows).has(name))).toEqual([]);
  });
});
