import { randomUUID } from "node:crypto";
import { defineTool, found, type Tool } from "../../../src/tools";
import type { Recording } from "../../support/recording";
import { agent, fenced, type Rig } from "../../support/rig";
import { until } from "../../support/until";

/** Effects that missions share, and their guards. Each case has tools of its own: no other guards their effects. */

const SETTINGS = { signature: "(n :int) -> :string", identityScope: "namespace" } as const;

async function started({ client }: Rig, tools: Tool[], name = "payer") {
  const raw = { name, max_turns: 4, tools: tools.map(({ spec }) => spec) };
  return client.startAgent({ id: randomUUID(), agent: agent(raw), model: "scripted" });
}

type Run = Awaited<ReturnType<typeof started>>;

async function over(run: Run): Promise<string> {
  await run.workflow.result();
  return run.workflow.workflowId;
}

const opened = (run: Run) =>
  until(async () => (await run.reviews()).find(({ status }) => status === "open"), "somebody is asked");

async function guardOf(run: Run): Promise<string> {
  const [effect] = await run.effects();
  return `effect/${effect?.id}`;
}

const paid = defineTool({ ...SETTINGS, name: "shared_pay", run: ({ n }) => `paid ${n}` });
const wired = defineTool({ ...SETTINGS, name: "shared_wire", effect: "irreversible", run: ({ n }) => `wired ${n}` });
const refusing = (() => {
  let left = 1;
  return defineTool({
    ...SETTINGS,
    name: "shared_refusing",
    run: ({ n }) => {
      if (left-- > 0) throw new Error("not now");
      return `paid ${n}`;
    },
  });
})();
/** The first call fails; `other` answers when another mission has made the effect. */
const givenUp = (() => {
  let left = 1;
  let isDone = () => {};
  const done = new Promise<void>((resolve) => {
    isDone = resolve;
  });
  const tool = defineTool({
    ...SETTINGS,
    name: "shared_given_up",
    run: ({ n }) => {
      if (left-- > 0) throw new Error("not now");
      return `paid ${n}`;
    },
  });
  const other = defineTool({ name: "other_mission", effect: "read", run: () => done.then(() => "done") });
  return { tool, other, isDone: () => isDone() };
})();
const lost = (() => {
  let left = 1;
  return defineTool({
    ...SETTINGS,
    name: "shared_lost",
    effect: "irreversible",
    timeout: "300ms",
    lookup: () => (left < 0 ? found("looked up") : { state: "unknown" }),
    run: async () => {
      if (left-- > 0) await new Promise((resolve) => setTimeout(resolve, 1_000));
      return "wired";
    },
  });
})();

export const SHARED_EFFECT_RECORDINGS: Recording[] = [
  {
    name: "shared-effect",
    rig: { tools: [paid], script: [fenced("(return (tool/shared_pay {:n 1}))")] },
    run: async (rig) => {
      const first = await started(rig, [paid]);
      const ids = [await over(first)];
      ids.push(await over(await started(rig, [paid])));
      const guard = await guardOf(first);
      await rig.client.temporal.workflow.getHandle(guard).signal("settleEffect", "nonsense");
      return [...ids, guard];
    },
  },
  {
    name: "shared-effect-asked",
    rig: { tools: [wired], script: [fenced("(return (tool/shared_wire {:n 1}))")] },
    run: async (rig) => {
      await over(await started(rig, [wired]));
      const ids = [];
      for (const choice of ["use_earlier", "do_again"]) {
        const run = await started(rig, [wired]);
        const { id: review } = await opened(run);
        await run.decide({ review, choice, by: "anna" });
        ids.push(await over(run));
      }
      return ids;
    },
  },
  {
    name: "shared-effect-failed",
    rig: {
      tools: [refusing],
      script: [fenced("(tool/shared_refusing {:n 1})"), fenced("(return (tool/shared_refusing {:n 1}))")],
    },
    run: async (rig) => {
      const run = await started(rig, [refusing]);
      return [await over(run), await guardOf(run)];
    },
  },
  {
    // Its call fails, another mission makes the effect, and a further call of the program means that one.
    name: "shared-effect-given-up",
    rig: {
      tools: [givenUp.tool, givenUp.other],
      script: {
        first: [
          fenced(`(do (tool-try (tool/shared_given_up {:n 1})) (tool/other_mission)
                      (return (tool/shared_given_up {:n 1})))`),
        ],
        second: [fenced("(return (tool/shared_given_up {:n 1}))")],
      },
    },
    run: async (rig) => {
      const first = await started(rig, [givenUp.tool, givenUp.other], "first");
      await until(async () => (await first.effects()).some(({ state }) => state === "failed"), "its call has failed");
      const second = await over(await started(rig, [givenUp.tool], "second"));
      givenUp.isDone();
      const ids = [await over(first), second];
      expect((await first.effects()).map(({ state }) => state).sort()).toEqual(["done", "failed"]);
      return [...ids, await guardOf(first)];
    },
  },
  {
    // Lost in one mission, which hears from a person; another one has asked meanwhile, and is asked, too.
    name: "shared-effect-lost",
    rig: { tools: [lost], script: [fenced("(return (tool/shared_lost {:n 1}))")] },
    run: async (rig) => {
      const first = await started(rig, [lost]);
      const { id: review } = await opened(first);
      const second = await started(rig, [lost]);
      const { id: asked } = await opened(second);
      await second.decide({ review: asked, choice: "it_happened", value: "wired", by: "ben" });
      await first.decide({ review, choice: "it_happened", value: "wired", by: "anna" });
      return [await over(first), await over(second)];
    },
  },
];

export const LONG_SHARED_EFFECT_RECORDINGS: Recording[] = [
  {
    name: "shared-effect-guard-continued",
    rig: { tools: [paid], script: [fenced("(return (tool/shared_pay {:n 2}))")] },
    run: async (rig) => {
      const first = await started(rig, [paid]);
      await over(first);
      const guard = await guardOf(first);
      const handle = rig.client.temporal.workflow.getHandle(guard);
      const { runId } = await handle.describe();
      await until(async () => {
        await over(await started(rig, [paid]));
        return (await handle.describe()).runId !== runId;
      }, "the guard continues as new");
      return [guard];
    },
  },
];
