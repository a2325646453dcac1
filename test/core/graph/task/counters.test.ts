import { parseDefinition } from "../../../../src/core/graph/definition/parse";
import { definition, gate, task } from "../definition/definitions";
import { answerOf, at, walked } from "./moves";

/** What a task counts, and what it is at its end (graph reference, sections 3.1 and 4.1). */
describe("counters", () => {
  const gates = definition({ build: task(), test: gate({ maxRetries: 2 }), review: gate({ maxRetries: 1 }) }, [
    ["start", "build"],
    ["build", "test"],
    ["test", "review", "passed"],
    ["test", "build", "failed"],
    ["test", "human", "failed"],
    ["review", "done", "passed"],
    ["review", "build", "failed"],
    ["review", "human", "failed"],
  ]);

  test("belong to the gate that failed, and passing other steps on the way back keeps them", () => {
    const ended = walked(at("test", {}, gates), ["passed", "failed", undefined, "failed", undefined], gates);
    expect(ended).toMatchObject({ currentStep: "test", stepRetries: { review: 1, test: 1 }, retryCount: 2 });
  });

  test("of a gate are reset when it passes; the count of the whole task stays", () => {
    const ended = walked(at("test", {}, gates), ["failed", undefined, "failed", undefined, "passed"], gates);
    expect(ended).toMatchObject({ currentStep: "review", stepRetries: {}, retryCount: 2 });
  });

  test("of steps named __proto__ and constructor count like any other", () => {
    const text = JSON.stringify({
      id: "odd",
      nodes: {
        start: { type: "start" },
        PROTO: gate({ maxRetries: 2 }),
        constructor: task(),
        done: { type: "end", result: "success" },
        human: { type: "end", result: "blocked" },
      },
      edges: [
        { from: "start", to: "constructor" },
        { from: "constructor", to: "PROTO" },
        { from: "PROTO", to: "done", on: "passed" },
        { from: "PROTO", to: "constructor", on: "failed" },
        { from: "PROTO", to: "human", on: "max_retries_exceeded" },
      ],
    }).replaceAll("PROTO", "__proto__");
    const read = parseDefinition(JSON.parse(text));
    if (!read.ok) throw new Error(read.fail.message);
    // As it arrives in a workflow.
    const flow = JSON.parse(JSON.stringify(read.value.definition)) as typeof read.value.definition;
    const ended = walked(at("start", {}, flow), [undefined, undefined, "failed", undefined, "failed", undefined], flow);
    expect(Object.entries(ended.stepRetries)).toEqual([["__proto__", 2]]);
    expect(answerOf(JSON.parse(JSON.stringify(ended)), "failed", flow)).toMatchObject({
      action: "escalate",
      nextStep: "human",
    });
  });
});

describe("arriving at an end", () => {
  test.each([
    { result: "success", escalation: undefined, status: "COMPLETED", terminal: "success" },
    { result: "success", escalation: "alert", status: "COMPLETED", terminal: "success" },
    { result: "success", escalation: "hitl", status: "HITL", terminal: "hitl" },
    { result: "failure", escalation: undefined, status: "FAILED", terminal: "failure" },
    { result: "blocked", escalation: "ticket", status: "FAILED", terminal: "failure" },
    { result: "blocked", escalation: "hitl", status: "HITL", terminal: "hitl" },
    { result: "cancelled", escalation: undefined, status: "FAILED", terminal: "failure" },
    { result: "cancelled", escalation: "hitl", status: "HITL", terminal: "hitl" },
  ])("$result with escalation $escalation makes the task $status", ({ result, escalation, status, terminal }) => {
    const end = { type: "end", result, ...(escalation === undefined ? {} : { escalation }) };
    const flow = definition({ human: null, done: end, work: task() }, [
      ["start", "work"],
      ["work", "done"],
    ]);
    const answer = answerOf(at("work", {}, flow), "passed", flow);
    expect(answer).toMatchObject({ terminal, endResult: result, task: { status, endResult: result } });
    expect("escalation" in answer ? answer.escalation : undefined).toBe(escalation);
    expect(answer.task.escalation).toBe(escalation);
  });
});
