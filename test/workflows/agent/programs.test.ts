import { defineTool } from "../../../src/tools";
import { AWKWARD_TEXTS, literal } from "../../core/agent/reply/awkward-texts";
import type { ExportedHistory } from "../../support/recorded";
import { replay, replayElsewhere } from "../../support/replay/replay";
import { agent, fenced, type Rig, sharedRigs } from "../../support/rig";
import { deepTest, isDeep } from "../../support/run/deep";

const openRig = sharedRigs();

/** Programs whose tool calls stand wherever an expression may stand, inside a real workflow. */
let rig: Rig;
const written: ExportedHistory[] = [];
let atOnce: { now: number; most: number };
afterEach(() => rig.stop());

const add = defineTool({
  name: "add",
  signature: "(n :int, by :int) -> :int",
  run: ({ n, by }) => Number(n) + Number(by),
});
const look = defineTool({
  name: "look",
  signature: "(n :int) -> :int",
  effect: "read",
  run: ({ n }) => Number(n) * 10,
});
const picky = defineTool({
  name: "picky",
  signature: "(n :int) -> :int",
  run: async ({ n }) => {
    // The later one fails first.
    await new Promise((resolve) => setTimeout(resolve, n === 2 ? 150 : 10));
    if (n === 2 || n === 5) throw new Error(`no ${n}`);
    return Number(n);
  },
});
const slow = defineTool({
  name: "slow",
  signature: "(n :int) -> :int",
  run: async ({ n }) => {
    atOnce.now += 1;
    atOnce.most = Math.max(atOnce.most, atOnce.now);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atOnce.now -= 1;
    return Number(n);
  },
});
const tools = [add, look, picky, slow];

async function run(...programs: string[]) {
  atOnce = { now: 0, most: 0 };
  rig = await openRig({ tools, script: programs.map(fenced) });
  const specs = tools.map((tool) => tool.spec);
  const mission = await rig.client.startAgent({ agent: agent({ tools: specs, max_turns: 5 }), model: "scripted" });
  const step = await mission.result();
  const histories = (await rig.client.runs(mission.workflow.workflowId)) as unknown as ExportedHistory[];
  for (const history of histories) await replay(history);
  written.push(...histories);
  return step;
}

test.each([
  { where: "in a map closure", program: "(map (fn [n] (tool/add {:n n :by 1})) [1 2 3])", gives: [2, 3, 4] },
  { where: "in a reduce closure", program: "(reduce (fn [sum n] (tool/add {:n sum :by n})) 0 [1 2 3])", gives: 6 },
  { where: "in a predicate", program: "(filter #(> (tool/look {:n %}) 15) [1 2 3])", gives: [2, 3] },
  { where: "in a key function", program: "(sort-by #(- (tool/look {:n %})) [1 3 2])", gives: [3, 2, 1] },
  {
    where: "in nested functions",
    program: "(map (fn [n] (reduce + (map #(tool/add {:n % :by n}) [1 2]))) [1 2])",
    gives: [5, 7],
  },
  { where: "in threading", program: "(-> 1 (#(tool/add {:n % :by 2})) (+ (tool/look {:n 1})))", gives: 13 },
  {
    where: "in a pattern's value",
    program: "(let [{:keys [a] [b] :bs} {:a (tool/look {:n 1}) :bs [(tool/look {:n 2})]}] [a b])",
    gives: [10, 20],
  },
  {
    where: "in a pattern's defaults, only for keys that are absent",
    program:
      "(map (fn [{:keys [a b] :or {a (tool/look {:n 1}) b (tool/add {:n a :by 5})}}] [a b]) [{} {:a 1} {:a nil :b 2}])",
    gives: [
      [10, 15],
      [1, 6],
      [null, 2],
    ],
  },
  { where: "in a loop", program: "(loop [n 0] (if (< n 5) (recur (tool/add {:n n :by 2})) n))", gives: 6 },
  {
    where: "in for, with a condition",
    program: "(for [n (range 4) :when (odd? (tool/add {:n n :by 0}))] (tool/look {:n n}))",
    gives: [10, 30],
  },
  { where: "in a test", program: "(if (= 10 (tool/look {:n 1})) :yes :no)", gives: "yes" },
  { where: "in pcalls", program: "(pcalls #(tool/look {:n 1}) #(tool/add {:n 1 :by 1}))", gives: [10, 2] },
  {
    where: "in a pmap inside a pmap",
    program: "(pmap (fn [n] (reduce + (pmap #(tool/add {:n % :by n}) [1 2]))) [1 2])",
    gives: [5, 7],
  },
])("a tool call $where", async ({ program, gives }) => {
  expect(await run(`(return ${program})`)).toMatchObject({ return: gives, fail: null });
});

test("a closure of one turn calls its tool in a later one", async () => {
  const step = await run(
    "(def offset 5)\n(defn shifted [n] (tool/add {:n n :by offset}))",
    "(def offset 7)\n(return (map shifted [1 2]))",
  );
  expect(step.return).toEqual([8, 9]);
});

test("hundreds of calls in one program", async () => {
  const calls = isDeep ? 1_000 : 250;
  const step = await run(`(return (reduce (fn [sum n] (+ sum (tool/look {:n n}))) 0 (range ${calls})))`);
  expect(step).toMatchObject({ return: 5 * calls * (calls - 1), fail: null });
});

test("two hundred in one pmap, no more at once than the limit, results in order", async () => {
  const step = await run("(return (pmap #(tool/slow {:n %}) (range 200)))");
  expect(step.return).toEqual(Array.from({ length: 200 }, (_, i) => i));
  expect(atOnce.most).toBeLessThanOrEqual(8);
  expect(atOnce.most).toBeGreaterThan(1);
});

test("of several failures the first in order wins, whichever came first in time", async () => {
  const step = await run("(pmap #(tool/picky {:n %}) (range 8))", "(return (:message data/fail))");
  expect(step.return).toContain("no 2");
});

deepTest("every one of these runs replays in other processes with different hashing and ordering", async () => {
  rig = await openRig({});
  expect(written.length).toBeGreaterThan(15);
  expect(await replayElsewhere(written)).toBe(written.length);
});

test("awkward texts pass from the model's reply to tool, journal, Mission Log and result unchanged", async () => {
  const heard: unknown[] = [];
  const keep = defineTool({
    name: "keep",
    signature: "(texts [:string]) -> [:string]",
    run: ({ texts }) => {
      heard.push(texts);
      return texts as string[];
    },
  });
  rig = await openRig({
    tools: [keep],
    script: [
      fenced(`(return (task "keep" (tool/keep {:texts [${AWKWARD_TEXTS.map((text) => literal(text)).join(" ")}]})))`),
    ],
  });
  const run = await rig.client.startAgent({ agent: agent({ tools: [keep.spec] }), model: "scripted" });
  const step = await run.result();
  expect(step.return).toEqual(AWKWARD_TEXTS);
  expect(heard).toEqual([AWKWARD_TEXTS]);
  expect(step.journal).toEqual({ keep: AWKWARD_TEXTS });
  const [history] = (await rig.client.runs(run.workflow.workflowId)) as unknown as ExportedHistory[];
  await replay(history as ExportedHistory);
});
