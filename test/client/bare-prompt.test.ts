import { createModels } from "../../src/models";
import { defineAgent } from "../../src/project/authoring/define-agent";
import { shortModelNames } from "../../src/project/short-model-names";
import { program, runInMemory } from "../../src/testing";
import { agentRunInput } from "../../src/workflows/start/agent-input";

/** An agent from its prompt alone (agent reference, section 2). */
test("a prompt alone is an agent, and the options that it needs come after it", () => {
  expect(defineAgent("Add {{a}}.")).toMatchObject({ prompt: "Add {{a}}.", max_turns: 5, tools: [] });
  expect(defineAgent("Add {{a}}.", { max_turns: 2, signature: "(a :int) -> :int" })).toMatchObject({ max_turns: 2 });
  expect(() => defineAgent("")).toThrow("prompt");
});

test("a run can be started from it", () => {
  expect(agentRunInput({ agent: "Say hello.", model: "scripted" }).agent).toEqual(defineAgent("Say hello."));
  expect(() => agentRunInput({ agent: " ", model: "scripted" })).toThrow(
    expect.objectContaining({ code: "invalid_agent" }),
  );
});

test("the test kit runs it, too", async () =>
  expect((await runInMemory("Add.", { script: [program("(return (+ 1 2))")] })).step.return).toBe(3));

describe("a short name of a model", () => {
  const run = (model: string, options = {}) =>
    runInMemory("Work.", { script: [program("(return 1)")], model, options }).then(({ step }) => step);

  test("needs a registry: without one the run ends before its first turn", async () =>
    expect(await run("fast")).toMatchObject({ fail: { reason: "llm_registry_required" }, usage: null, turns: [] }));

  test("the refusal says how to name a model that the worker has under this name, and that entry works", async () => {
    const refused = await run("house");
    expect(refused.fail?.message).toContain(
      'For a model that the worker itself has under this name it is {"house": "house"}.',
    );
    const llm_registry = shortModelNames(createModels({ env: {}, models: { house: () => "", "acme/one": () => "" } }));
    expect(llm_registry).toEqual({ house: "house" });
    expect((await run("house", { llm_registry })).return).toBe(1);
  });

  test.each([
    ["a registry explains it", "fast", { llm_registry: { fast: "acme/one" } }],
    ["a name with a slash needs none", "acme/one", {}],
    ["scripted needs none", "scripted", {}],
  ])("%s", async (_, model, options) => expect((await run(model, options)).return).toBe(1));
});
