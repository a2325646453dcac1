import { projectEffects } from "../../../src/core/history/read/project-effects";
import { defineTool, found, ToolFailure } from "../../../src/tools";
import type { ExportedHistory } from "../../support/recorded";
import { expectProjectionsToEqual } from "../../support/replay/replay";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** Everything that can become of an effect, in one mission: at every event its history says what the mission knows. */

const lost = () => {
  throw new ToolFailure("the answer was lost", { code: "unknown_outcome" });
};
const charge = defineTool({
  name: "charge",
  signature: "(invoice :string, memo :string?) -> :string",
  identity: ["invoice"],
  run: ({ invoice }) => `tx_${invoice}`,
});
const wipe = defineTool({ name: "wipe", signature: "(disk :string) -> :string", effect: "irreversible", run: lost });
const ship = defineTool({
  name: "ship",
  signature: "(to :string) -> :string",
  effect: "irreversible",
  lookup: () => found("parcel_1"),
  run: lost,
});
const hire = defineTool({ name: "hire", signature: "(who :string) -> :string", approval: true, run: () => "hired" });
const broken = defineTool({ name: "broken", effect: "write", run: lost });
const tools = [charge, wipe, ship, hire, broken];
const specs = tools.map(({ spec }) => spec);

const HELPER = { name: "helper", prompt: "Help.", max_turns: 2, tools: specs };
const outer = agent({
  name: "outer",
  max_turns: 4,
  tools: [...specs, { name: "helper", description: "Helps", agent: HELPER }],
});
const DEEDS =
  '(tool/charge {:invoice "A"}) (tool-try (tool/wipe {:disk "sda"})) (tool-try (tool/ship {:to "x"})) (tool/helper {})';
const SCRIPT = {
  outer: [
    fenced(`(do ${DEEDS} (tool-try (tool/hire {:who "bob"})) (tool-try (tool/broken {})) (tool/charge {:invoice 5}))`),
    fenced(`(do ${DEEDS} (task "again" (tool/charge {:invoice "C"})) nil)`),
    fenced('(do (tool/charge {:invoice "C" :memo "meant twice"}) (return 1))'),
  ],
  helper: [fenced('(return (tool/charge {:invoice "B"}))')],
};
const CHOICES: { [title: string]: { choice: string; value?: string } } = {
  "Did wipe happen?": { choice: "it_happened", value: "wiped" },
  "Call wipe again?": { choice: "use_earlier" },
  "Call ship again?": { choice: "reject" },
};

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ tools, script: SCRIPT });
});
afterAll(() => rig.stop());

test("a mission with effects of every kind, and the agents below it", async () => {
  const run = await rig.client.startAgent({ id: "every-kind", agent: outer, model: "scripted" });
  const over = async () => (await run.status()).state === "completed";
  await until(async () => {
    for (const { id, title, status } of await run.reviews())
      if (status === "open") await run.decide({ review: id, ...(CHOICES[title] ?? { choice: "reject" }), by: "anna" });
    return over();
  }, "the mission is over");
  expect((await run.result()).fail).toBeNull();

  const effects = await run.effects();
  const told = effects.map(({ tool, state, by, reused, resembles, args }) => ({
    what: `${tool} ${Object.values(args ?? {})[0] ?? ""}`.trim(),
    state,
    ...(by === undefined ? {} : { by }),
    ...(reused === undefined ? {} : { reused }),
    ...(resembles === undefined ? {} : { resembles: true }),
  }));
  expect(told).toEqual(
    expect.arrayContaining([
      { what: "charge A", state: "done", reused: 1 },
      { what: "charge B", state: "done", reused: 1 },
      { what: "charge C", state: "done" },
      { what: "charge C", state: "done", resembles: true },
      { what: "wipe sda", state: "done", by: "anna", reused: 1 },
      { what: "ship x", state: "done", by: "lookup" },
      { what: "hire bob", state: "refused", by: "anna" },
      { what: "broken", state: "unknown" },
    ]),
  );
  expect(told).toHaveLength(8);

  const ids = ["agent/every-kind"];
  const histories = [];
  for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
    const history = (await rig.client.history(id)) as unknown as ExportedHistory;
    histories.push(history);
    for (const { childWorkflowExecutionStartedEventAttributes: child } of history.events as {
      [key: string]: unknown;
    }[])
      if (child !== undefined)
        ids.push((child as { workflowExecution: { workflowId: string } }).workflowExecution.workflowId);
  }
  expect(histories).toHaveLength(3);
  expect(projectEffects(histories[0])).toEqual(effects);
  for (const history of histories) expect(await expectProjectionsToEqual(history)).toBeGreaterThan(3);
});
