import fc from "fast-check";
import { ok } from "../../../../src/core/base/failure";
import type { JsonObject } from "../../../../src/core/base/json";
import { LISP_LIMITS } from "../../../../src/core/base/limits";
import { Journal } from "../../../../src/core/journal/journal";
import type { ProgramEnd, ProgramOptions } from "../../../../src/core/lisp";
import { startProgram } from "../../../../src/core/lisp";
import { assertProperty } from "../../../support/run/property";
import { throughStates } from "../state/through-states";

/** What a task does: calls, one after the other, beside each other or in tasks inside it. */
type Body =
  | { kind: "call"; tool: string; n: number }
  | { kind: "all" | "parallel"; parts: Body[] }
  | { kind: "task"; body: Body };

const { body } = fc.letrec<{ body: Body; call: Body }>((tie) => ({
  call: fc.record({
    kind: fc.constant("call" as const),
    tool: fc.constantFrom("pay", "look"),
    n: fc.integer({ min: 0, max: 5 }),
  }),
  body: fc.oneof(
    { maxDepth: 3 },
    tie("call"),
    fc.record({
      kind: fc.constantFrom("all" as const, "parallel" as const),
      parts: fc.array(tie("body"), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ kind: fc.constant("task" as const), body: tie("body") }),
  ),
}));

/** Tasks inside are named by their place. */
function source(one: Body, place = "t"): string {
  switch (one.kind) {
    case "call":
      return `(tool/${one.tool} {:n ${one.n}})`;
    case "task":
      return `(task "${place}" ${source(one.body, `${place}.`)})`;
    case "all":
      return `[${one.parts.map((part, i) => source(part, `${place}.${i}`)).join(" ")}]`;
    case "parallel":
      return `(pcalls ${one.parts.map((part, i) => `(fn [] ${source(part, `${place}.${i}`)})`).join(" ")})`;
  }
}

const callsOf = (one: Body): Body[] =>
  one.kind === "call" ? [one] : one.kind === "task" ? callsOf(one.body) : one.parts.flatMap(callsOf);

/** The body with another number in one of its calls. */
function changed(one: Body, at: number): Body {
  let left = at;
  const visit = (part: Body): Body => {
    if (part.kind === "call") return left-- === 0 ? { ...part, n: part.n + 100 } : part;
    if (part.kind === "task") return { ...part, body: visit(part.body) };
    return { ...part, parts: part.parts.map(visit) };
  };
  return visit(one);
}

/** Runs a program over a journal, and answers its calls in the order that the dice give. */
function run(
  text: string,
  journal: Journal,
  dice: number,
  start = startProgram,
): { end: ProgramEnd; calls: JsonObject[] } {
  const options: ProgramOptions = {
    source: text,
    data: {},
    memory: new Map(),
    tools: new Map([
      ["pay", {}],
      ["look", {}],
    ]),
    journal,
    history: [],
    budget: {},
    tool_cache: new Map(),
    limits: LISP_LIMITS,
    now: () => 0,
  };
  const program = start(options);
  const calls: JsonObject[] = [];
  const open: { id: number; args: JsonObject }[] = [];
  for (let rolled = dice; ; rolled = (rolled * 7 + 3) % 101) {
    const state = program.run();
    if (state.state === "done") return { end: state.end, calls };
    for (const { id, args } of state.requests) {
      calls.push(args);
      open.push({ id, args });
    }
    const [next] = open.splice(rolled % open.length, 1) as [{ id: number; args: JsonObject }];
    program.resume(next.id, ok({ told: next.args.n as number }));
  }
}

const recorded = (one: Body, dice: number): Journal => {
  const journal = new Journal(() => 0);
  expect(run(`(task "out" ${source(one)})`, journal, dice).end.outcome.kind).toBe("value");
  return journal;
};

const dice = fc.integer({ min: 1, max: 100 });
const others = ({ warnings }: ProgramEnd) => warnings.filter(({ code }) => code === "other_effect");

describe("a recorded task whose body is generated", () => {
  test("is not another effect when it is the same, in whatever order its answers came", () =>
    assertProperty(
      fc.property(body, dice, dice, (one, first, second) => {
        const { end, calls } = run(`(task "out" ${source(one)})`, recorded(one, first), second);
        expect(calls).toEqual([]);
        expect(others(end)).toEqual([]);
      }),
    ));

  test("is another effect when any of its calls differs, and no tool is called", () =>
    assertProperty(
      fc.property(body, dice, fc.nat(), (one, first, at) => {
        const other = changed(one, at % callsOf(one).length);
        const { end, calls } = run(`(task "out" ${source(other)})`, recorded(one, first), first);
        expect(calls).toEqual([]);
        expect(others(end)).toHaveLength(1);
      }),
    ));

  test("records the same calls when its program is written down at every wait", () =>
    assertProperty(
      fc.property(body, dice, (one, first) => {
        const text = `(task "out" ${source(one)})`;
        const [whole, stopped] = [new Journal(() => 0), new Journal(() => 0)];
        run(text, whole, first);
        run(text, stopped, first, (options) => throughStates(options));
        expect(stopped.list()).toEqual(whole.list());
      }),
    ));
});
