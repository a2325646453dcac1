import { ok } from "../../../../src/core/base/failure";
import { valueOrThrow } from "../../../../src/core/base/navigator-error";
import { parsePlanOptions } from "../../../../src/core/plan/definition/options";
import { parsePlan } from "../../../../src/core/plan/definition/parse";
import { executePlan } from "../../../../src/core/plan/executor";
import type { MemoryUndo } from "../../../../src/simulate/memory-host";
import { MemoryPlanHost } from "../../../../src/simulate/memory-plan-host";
import { undoService } from "../../../support/undo-service";

/** `on_failure: undo` of a plan's task, in memory (effects reference, section 9). */

const fenced = (program: string) => `\`\`\`clojure\n${program}\n\`\`\``;

async function run(on_failure: string, more: object = {}) {
  const { tools } = undoService();
  const undone: string[] = [];
  const taken: MemoryUndo = ({ args }) => {
    undone.push(String(args.n));
    return ok(null);
  };
  const host = new MemoryPlanHost({
    model: {
      booker: [
        fenced('(do (task "a" (tool/book {:n 1})) (task "b" (tool/note {:n 2})) (tool/book {:n 3}) (fail "full"))'),
      ],
    },
    tools: new Map(tools.map(({ spec }) => [spec.name, ({ n }) => ok({ tx: n as number })])),
    undos: new Map([["book", taken]]),
  });
  const base_tools = tools.map(({ spec }) => spec);
  const options = valueOrThrow(
    parsePlanOptions({ llm: "scripted", base_tools, max_total_replans: 0, check_plans: false } as never),
  );
  const { plan } = valueOrThrow(
    parsePlan({
      agents: { booker: { prompt: "Book it.", tools: ["book", "note"] } },
      tasks: [
        { id: "work", agent: "booker", input: "Book.", on_failure, ...more },
        { id: "next", agent: "direct", input: "7" },
      ],
    }),
  );
  const result = await host.clock.during(executePlan(host, plan, "Book a trip.", options));
  return {
    result,
    undone,
    ledger: host.effects
      .entries()
      .map(({ tool, state }) => `${tool} ${state}`)
      .sort(),
  };
}

test("what a failed task has done is taken back, the last effect first, and the failure says what remains", async () => {
  const { result, undone, ledger } = await run("undo");
  expect(undone).toEqual(["3", "1"]);
  expect(ledger).toEqual(["book undone", "book undone", "note done"]);
  expect(result).toMatchObject({
    status: "error",
    reason: {
      details: {
        reason: {
          message: expect.stringContaining("What it had done was undone (2). Not undone: note: tool/note has no undo."),
          details: { undo: { undone: 2, remaining: ["note: tool/note has no undo"] } },
        },
      },
    },
  });
});

test("a task that the plan can do without is undone, too, before the plan goes on", async () => {
  const { result, undone } = await run("undo", { critical: false });
  expect({ status: result.status, undone: undone.length }).toEqual({ status: "ok", undone: 2 });
});

test("without it, what was done stays", async () => {
  const { undone, ledger } = await run("stop");
  expect({ undone, ledger }).toEqual({ undone: [], ledger: ["book done", "book done", "note done"] });
});
