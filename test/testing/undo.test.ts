import type { AgentDefinition } from "../../src/core/agent/definition/definition";
import { defineAgent } from "../../src/project/authoring/define-agent";
import { runInMemory, stub } from "../../src/testing";

/** Undo in memory, as tests of users show it (effects reference, section 9). */

const fenced = (program: string) => `\`\`\`clojure\n${program}\n\`\`\``;
const booking = (more: object = {}): AgentDefinition =>
  defineAgent({ name: "booking", prompt: "Book it.", tools: ["book", "note"], max_turns: 4, ...more } as never);

const mission = (...programs: string[]) => ({
  id: "trip",
  script: programs.map(fenced),
  tools: {
    book: stub.tool({ undo: true }, stub.echo()),
    note: stub.always("noted"),
  },
});

const TWO = '(do (task "a" (tool/book {:n 1})) (task "b" (tool/book {:n 2})) (return 1))';

describe("a mission that is over", () => {
  test("is undone in reverse order, and its ledger says so", async () => {
    const run = await runInMemory(booking(), mission(TWO));
    const { plan, undone, ledger } = await run.undo();
    expect(plan.steps.map(({ task }) => task)).toEqual(["b", "a"]);
    expect({ undone: undone.length, states: ledger.map(({ state }) => state) }).toEqual({
      undone: 2,
      states: ["undone", "undone"],
    });
    expect(run.effects).toMatchObject([{ undone: true }, { undone: true }]);
  });

  test("is undone down to a record, and what cannot be undone remains", async () => {
    const run = await runInMemory(booking(), mission('(do (task "a" (tool/book {:n 1})) (tool/note {}) (return 1))'));
    expect((await run.undo({ to: "a" })).plan).toMatchObject({ steps: [], remaining: [{ obstacle: "no_undo" }] });
  });
});

describe("(undo id)", () => {
  test("takes back what the task did, and forgets its record: the same call is a new effect", async () => {
    const run = await runInMemory(
      booking({ undo: true }),
      mission(
        '(do (task "a" (do (tool/book {:n 1}) (tool/book {:n 2}))) (def n (undo "a")) (return [n (task "a" (tool/book {:n 1}))]))',
      ),
    );
    expect(run.step.return).toEqual([2, { n: 1 }]);
    expect(run.effects.map(({ args, undone = false }) => [args.n, undone])).toEqual([
      [1, true],
      [2, true],
      [1, false],
    ]);
    expect(new Set(run.effects.map(({ key }) => key)).size).toBe(3);
  });

  test.each([
    {
      it: "the agent's definition does not allow it",
      agent: {},
      program: '(do (tool/book {:n 1}) (undo "a"))',
      says: "does not set `undo: true`",
    },
    {
      it: "a tool of the task has no undo",
      agent: { undo: true },
      program: '(do (task "a" (do (tool/book {:n 1}) (tool/note {}))) (undo "a"))',
      says: 'task "a" cannot be undone, and nothing was: note: tool/note has no undo',
    },
  ])("is refused when $it", async ({ agent, program, says }) => {
    const run = await runInMemory(booking({ ...agent, max_turns: 1 }), mission(program));
    expect(JSON.stringify([run.step.fail, run.step.turns])).toContain(JSON.stringify(says).slice(1, -1));
    expect(run.effects.every(({ undone }) => undone !== true)).toBe(true);
  });

  const helper = (name: string, tools: unknown[]) => ({
    name,
    agent: { name, description: "Books.", prompt: "Book it.", tools },
  });

  test("takes back what agents did that the task called, and those below them, and nothing beside it", async () => {
    const inner = helper("inner", ["book"]);
    const outer = helper("outer", [inner, "book"]);
    const run = await runInMemory(booking({ undo: true, tools: ["book", outer] }), {
      ...mission(),
      script: {
        booking: [
          fenced('(do (task "a" (do (tool/book {:n 1}) (tool/outer {:trip 1}))) (tool/outer {:trip 2}))'),
          fenced('(do (def n (undo "a")) (return [n (undo "a")]))'),
        ],
        outer: [fenced("(do (tool/book {:n 2}) (return (tool/inner {})))")],
        inner: [fenced("(return (tool/book {:n 3}))")],
      },
    });
    expect(run.step.return).toEqual([3, 0]);
    expect(run.effects.map(({ args, undone = false }) => [args.n, undone])).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [2, false],
      [3, false],
    ]);
  });

  test("is refused when an agent that the task called used a tool without an undo", async () => {
    const outer = helper("outer", ["book", "note"]);
    const run = await runInMemory(booking({ undo: true, tools: ["book", outer], max_turns: 1 }), {
      ...mission(),
      script: {
        booking: [fenced('(do (task "a" (tool/outer {})) (undo "a"))')],
        outer: [fenced("(do (tool/book {:n 1}) (tool/note {}) (return 1))")],
      },
    });
    expect(JSON.stringify([run.step.fail, run.step.turns])).toContain(
      "cannot be undone, and nothing was: note: tool/note has no undo",
    );
    expect(run.effects.every(({ undone }) => undone !== true)).toBe(true);
  });

  test("of a task that did nothing undoes nothing", async () => {
    const run = await runInMemory(
      booking({ undo: true }),
      mission('(do (task "a" 1) (return [(undo "a") (undo "b") (task "a" 2)]))'),
    );
    expect(run.step.return).toEqual([0, 0, 2]);
  });
});
