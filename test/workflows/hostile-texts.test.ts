import fc from "fast-check";
import { ModelError } from "../../src/models";
import { defineTool } from "../../src/tools";
import { agent, fenced, openRig, type Rig } from "../support/rig";
import { sample, sized } from "../support/run/property";

/**
 * Texts and values that break encoders, on every way into a mission: a program's source, its failure, arguments, answers and errors of
 * tools, replies and errors of a provider, plans, graphs, journals and decisions. No worker ends, and no workflow task fails.
 */

const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
const KNOWN = [
  "\ud83d",
  "no \ud83d",
  "\udc00x",
  "a\0b",
  "\u202egnp.exe",
  "\u001b[2J\u0007",
  "__proto__",
  "constructor",
];
const MORE = ["toString", "{{input}}", "\u2028]]>", "e\u0301".repeat(30), "🚀".repeat(2_000), "\ud83d".repeat(39), ""];
const text = fc.oneof(fc.constantFrom(...KNOWN, ...MORE), fc.string({ unit, maxLength: 60 }));
const nested = fc.integer({ min: 150, max: 6_000 }).map((levels) => levelsOf(levels));
const number = fc.constantFrom(-0, 5e-324, Number.MAX_VALUE, Number.POSITIVE_INFINITY, Number.NaN, 2 ** 53, -(2 ** 63));
const json = fc.oneof(text, number, fc.dictionary(text, fc.oneof(text, number), { maxKeys: 4 }), nested);
const inputs = fc.tuple(text, json, fc.nat());
const count = sized(150, 10_000);

function levelsOf(levels: number): unknown {
  let value: unknown = [];
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}

/** Errors that a tool or a provider may throw. */
function errorOf(message: string, kind: number): unknown {
  const error = Object.assign(new Error(message), { code: message, status: message });
  if (kind % 7 === 1) error.cause = error;
  if (kind % 7 === 2) return caused(error, 200);
  if (kind % 7 === 3) error.message = message.repeat(100_000).slice(0, 5_000_000);
  if (kind % 7 === 4) return { message, toString: null };
  if (kind % 7 === 5) return message;
  if (kind % 7 === 6) error.name = message;
  return error;
}

const caused = (error: Error, causes: number): Error =>
  causes === 0 ? error : caused(new Error(error.message, { cause: error }), causes - 1);

type Input = ReturnType<typeof sample<[string, unknown, number]>>[number];

/** The values that tools answer, by the place in the list. */
let list: Input[] = [];
const at = (place: unknown) => list[Number(place)] as Input;
const hostile = defineTool({
  name: "hostile",
  signature: "(place :int) -> :any",
  run: ({ place }) => at(place)[1] as never,
});
const broken = defineTool({
  name: "broken",
  signature: "(place :int) -> :any",
  run: ({ place }) => {
    throw errorOf(at(place)[0], at(place)[2]);
  },
});
const echo = defineTool({ name: "echo", signature: "(x :any) -> :any", run: ({ x }) => x as never });
const asked = defineTool({
  name: "asked",
  signature: "(x :any) -> :any",
  effect: "irreversible",
  approval: true,
  run: ({ x }) => x as never,
});
const tools = [hostile, broken, echo, asked];

const quoted = (one: string) => `"${one.replace(/[\\"]/g, "\\$&")}"`;

/** What a program does with an input. Each has its own way to a failure, an answer or a record. */
const STATEMENTS: ((input: Input, place: number) => string)[] = [
  (_, place) => `(task-reset ${quoted(`t${place}`)}) (tool/hostile {:place ${place}})`,
  (_, place) => `(tool/hostile {:place ${place}})`,
  (_, place) => `(tool/broken {:place ${place}})`,
  ([one]) => `(tool/echo {:x ${quoted(one)}})`,
  ([one]) => `(tool/echo {${quoted(one)} 1})`,
  ([one]) => `(println ${quoted(one)})`,
  ([one]) => `(task ${quoted(one)} ${quoted(one)})`,
  ([one], place) => `(task "p${place}" {:a ${quoted(one)}})`,
  (_, place) => `(def x${place} (tool/hostile {:place ${place}}))`,
  ([one]) => one,
  (_, place) => `(task "h${place}" (tool/hostile {:place ${place}}))`,
];
const ENDS: ((input: Input, place: number) => string)[] = [
  ([one]) => `(fail {:reason ${quoted(one)} :message ${quoted(one)}})`,
  ([one]) => `(fail ${quoted(one)})`,
  ([one], place) => `(fail {:reason "r" :message ${quoted(one)} :details {:v (tool/hostile {:place ${place}})}})`,
  ([one]) => `(return {:value ${quoted(one)}})`,
  (_, place) => `(return (tool/hostile {:place ${place}}))`,
  (_, place) => `(return (loop [v [] n 0] (if (< n ${(place % 7) * 100}) (recur [v] (+ n 1)) v)))`,
  ([one]) => `(return {:a (apply str (repeat 60000 ${quoted(`${one}#########`)}))})`,
  ([one]) => `(fail {:message (apply str (repeat 60000 ${quoted(`${one}#########`)}))})`,
];

let rig: Rig;
/** The replies of each mission, by the name of its agent. */
const replies = new Map<string, (string | Error)[]>();
beforeAll(async () => {
  list = sample(inputs, count) as Input[];
  rig = await openRig({
    tools,
    models: {
      resolve: () => ({
        complete: async ({ agent: name, call }) => {
          const reply = replies.get(name ?? "")?.[call - 1] ?? fenced("(return 1)");
          if (typeof reply !== "string") throw reply;
          return { content: reply, tokens: { input: 1, output: 1 } } as never;
        },
      }),
    },
  });
});
afterAll(() => rig.stop());

/** The number of failed workflow tasks of each run. */
async function failedTasks(workflowIds: string[]): Promise<{ [id: string]: number }> {
  const found: { [id: string]: number } = {};
  for (const id of workflowIds) {
    const { events = [] } = await rig.client.temporal.workflow.getHandle(id).fetchHistory();
    const failed = (events ?? []).filter(({ workflowTaskFailedEventAttributes }) => workflowTaskFailedEventAttributes);
    if (failed.length > 0) found[id] = failed.length;
  }
  return found;
}

/** The missions end, whatever they end with, and each of their workflow tasks succeeds. */
async function played(missions: { name: string; replies: (string | Error)[]; note?: string }[]) {
  const runs = [];
  for (const { name, replies: given, note = "" } of missions) {
    replies.set(name, given);
    const max_turns = given.length + 1;
    const asks = agent({ name, tools: [hostile.spec, broken.spec, echo.spec], max_turns, max_tool_calls: 100 });
    runs.push(await rig.client.startAgent({ agent: asks, model: "scripted", context: { note }, on_waiting: "return" }));
  }
  const steps = await Promise.all(runs.map((run) => run.result()));
  expect(await failedTasks(runs.map(({ workflow }) => workflow.workflowId))).toEqual({});
  return steps;
}

const AT_ONCE = 15;

test("turns with programs, prints, records, and answers and errors of tools", async () => {
  const starts = list.flatMap((_, place) => (place % AT_ONCE === 0 ? [place] : []));
  const missions = starts.map((from) => {
    const programs = list.slice(from, from + AT_ONCE).map((input, i) => {
      const program = STATEMENTS[input[2] % STATEMENTS.length]?.(input, from + i) as string;
      return i % 5 === 4 ? program : fenced(program);
    });
    return { name: `turns_${from}`, replies: programs, note: at(from)[0] };
  });
  expect(await played(missions)).toHaveLength(starts.length);
});

test("results and failures of programs, and errors of a provider", async () => {
  const texts = [...new Set([...KNOWN, ...list.slice(0, sized(10, 1_000)).map(([one]) => one)])];
  const ends = texts.flatMap((one, i) => {
    const reply = ENDS[i % ENDS.length]?.([one, null, i], i) as string;
    const failed = fenced(`(fail {:reason ${quoted(one)} :message ${quoted(one)}})`);
    return [failed, fenced(reply), new ModelError("client_error", one), errorOf(one, i) as Error];
  });
  const steps = await played(ends.map((reply, i) => ({ name: `end_${i}`, replies: [reply] })));
  expect(steps.filter(({ fail }) => fail !== null).length).toBeGreaterThan(texts.length * 2);
});
