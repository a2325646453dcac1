import { randomUUID } from "node:crypto";
import { z } from "zod";
import { mostCost } from "../../core/agent/budget/price";
import { roundCost } from "../../core/agent/budget/round-cost";
import { promptParts } from "../../core/agent/prompt/prompt-parts";
import { readData } from "../../core/agent/run/given-data";
import { previewPrompt } from "../../core/agent/run/preview";
import { limitsOf } from "../../core/agent/run/program-options";
import { toolSpecs } from "../../core/agent/tools/run-tools";
import { defined } from "../../core/base/defined";
import type { JsonObject } from "../../core/base/json";
import { LISP_LIMITS } from "../../core/base/limits";
import { NavigatorError } from "../../core/base/navigator-error";
import type { ToolSpec } from "../../core/calls/tool";
import { TOOL_EFFECTS } from "../../core/effects/effect-settings";
import { checkedModel, knownAgent } from "../../project/known-parts";
import { openedTools } from "../../project/opened-tools";
import { TOOL_STUB } from "../../simulate/tool-stubs";
import type { WebCaller, WebContext } from "../context/context";
import { type CallRules, CallsWaiting, PlaygroundCalls } from "../playground/playground-calls";
import { runProgram } from "../playground/run-program";
import { endpoint } from "./endpoint";

const TAG = "Playground";

const JsonMap = z.record(z.string(), z.json());
const Effect = z.enum(TOOL_EFFECTS);
const Called = z.object({ tool: z.string(), args: JsonMap });
const Answer = z.union([Called.extend({ ok: z.json() }), Called.extend({ error: z.string() })]);

const RunProgram = z
  .strictObject({
    program: z.string(),
    agent: z.string().optional().meta({
      description: "Its tools and limits are those of the program. Default: all tools of the project",
    }),
    data: JsonMap.default({}).meta({ description: "What the program reads as `data/name`" }),
    memory: JsonMap.default({}).meta({ description: "`memory` of an earlier answer" }),
    journal: JsonMap.nullable().default(null).meta({ description: "Records of tasks by id; null: none is kept" }),
    signature: z.string().optional().meta({ description: "What the result must fit", example: "{total :int}" }),
    stubs: z
      .record(z.string(), TOOL_STUB as unknown as z.ZodType)
      .default({})
      .meta({
        description:
          "Answers of tools by rule: {kind: const, value}, {kind: echo}, {kind: error, message}, {kind: sequence, values}",
      }),
    answers: z.array(Answer).max(10_000).default([]).meta({
      description: "Answers of single calls, each used once: of an earlier run, as they were or changed",
    }),
    real: z.boolean().default(false).meta({
      description:
        "Other calls are made for real, by the user of this machine only. Default: they are answered with made-up values",
    }),
    confirmed_effects: z.array(Called).max(1_000).default([]).meta({
      description: "Calls with effects that may be made: those of `would_run`, exactly",
    }),
    run: z.string().max(100).optional().meta({
      description:
        "The same for all requests about one run: a call with effects that is sent again has the same idempotency key",
    }),
  })
  .meta({ id: "RunProgram" });

const ProgramRun = z
  .object({
    status: z.enum(["done", "needs_confirmation"]),
    run: z.string(),
    ok: z.json().optional(),
    fail: z.looseObject({ reason: z.string(), message: z.string() }).optional(),
    prints: z.array(z.string()),
    memory: JsonMap.optional(),
    journal: JsonMap.optional(),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
    steps: z.number().optional(),
    calls: z.array(
      z.object({
        tool: z.string(),
        args: JsonMap,
        effect: Effect,
        from: z.enum(["given", "stub", "sample", "real"]),
        ok: z.json().optional(),
        fail: z.object({ reason: z.string(), message: z.string() }).optional(),
        took_ms: z.number(),
      }),
    ),
    would_run: z
      .array(Called.extend({ effect: Effect, why: z.enum(["effect", "approval", "later"]) }))
      .meta({ description: "Calls that were not made. `effect`: confirm it. The others need an answer" }),
  })
  .meta({ id: "ProgramRun" });

const runProgramEndpoint = endpoint({
  method: "post",
  path: "/api/playground/program",
  needs: ["start"],
  operation: "runProgram",
  summary: "Runs a program with the project's tools, stubbed or real; calls with effects need confirmation",
  tag: TAG,
  body: RunProgram,
  answer: ProgramRun,
  errors: ["agent_not_found", "forbidden", "invalid_input", "too_many_requests"],
  run: async ({ body, call: { web, caller } }) => {
    const { run = randomUUID() } = body;
    if (body.real) await readyForReal(web, caller);
    const agent = body.agent === undefined ? undefined : knownAgent(web.project, body.agent);
    const specs = agent === undefined ? web.project.tools.specs() : toolSpecs(agent);
    const calls = new PlaygroundCalls({
      specs: new Map(specs.map((spec): [string, ToolSpec] => [spec.name, spec])),
      answers: body.answers as CallRules["answers"],
      stubs: body.stubs as CallRules["stubs"],
      real: body.real
        ? { find: (name) => web.project.tools.get(name), confirmed: body.confirmed_effects as never, run }
        : null,
    });
    const stubbed = Object.keys(body.stubs).filter((name) => specs.every((spec) => spec.name !== name));
    try {
      const outcome = await runProgram(
        {
          source: body.program,
          data: body.data as JsonObject,
          memory: body.memory as JsonObject,
          journal: body.journal as JsonObject | null,
          tools: [
            ...specs.map(({ name, cache }) => ({ name, ...defined({ cache }) })),
            ...stubbed.map((name) => ({ name })),
          ],
          limits: agent === undefined ? LISP_LIMITS : limitsOf(agent),
          ...defined({ signature: body.signature }),
        },
        (requests, signal) => calls.answer(requests, signal),
      );
      return { status: "done" as const, run, ...outcome, calls: calls.calls, would_run: [] } as never;
    } catch (error) {
      if (!(error instanceof CallsWaiting)) throw error;
      return {
        ...{ status: "needs_confirmation" as const, run, prints: [], warnings: [] },
        calls: calls.calls,
        would_run: error.waiting,
      };
    }
  },
});

/** The tools run in this process, with its keys. @throws NavigatorError `forbidden` for anybody but the user of this machine */
async function readyForReal({ project }: WebContext, { isLocal }: WebCaller): Promise<void> {
  if (!isLocal)
    throw new NavigatorError("forbidden", "Only the user of this machine runs tools for real in the playground.", {
      hint: "Run the program with made-up answers, or start a mission.",
    });
  await openedTools(project);
}

const previewPromptEndpoint = endpoint({
  method: "post",
  path: "/api/playground/prompt",
  needs: ["start"],
  operation: "previewPrompt",
  summary: "An agent's prompt and its tokens by part, without a model call",
  tag: TAG,
  body: z
    .strictObject({
      agent: z.string().min(1),
      context: JsonMap.default({}),
      model: z.string().min(1).max(200).optional(),
    })
    .meta({ id: "PreviewPrompt" }),
  answer: z
    .object({
      system: z.string(),
      user: z.string(),
      tool_schemas: z.array(z.looseObject({ name: z.string() })).meta({ description: "Text agents only" }),
      schema: z.looseObject({}).nullable().meta({ description: "Of a structured answer in text mode" }),
      parts: z.array(
        z.object({
          message: z.enum(["system", "user", "schema"]),
          name: z.string().meta({ example: "language_reference" }),
          chars: z.number(),
          tokens: z.number().meta({ description: "Estimated: one for every four characters" }),
        }),
      ),
      tokens: z.number().meta({ description: "Of all parts" }),
      cost: z.number().nullable().meta({ description: "US dollars for sending it once; null: no price is known" }),
      input_problems: z.array(z.object({ path: z.string(), message: z.string() })),
    })
    .meta({ id: "PromptPreview" }),
  errors: ["agent_not_found", "invalid_input"],
  run: async ({ body, call: { web } }) => {
    const agent = knownAgent(web.project, body.agent);
    const context = body.context as JsonObject;
    const { system, user, schema, tool_schemas } = previewPrompt(agent, { context });
    const schemas = agent.output === "text" ? tool_schemas : [];
    const sent = [...schemas.map((tool) => JSON.stringify(tool)), ...(schema === null ? [] : [JSON.stringify(schema)])];
    const parts = [
      ...promptParts("system", system),
      ...promptParts("user", user),
      ...sent.flatMap((text) => promptParts("schema", text)).map((part) => ({ ...part, name: "schemas" })),
    ];
    const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
    const models = web.project.models;
    const [name] = [body.model ?? agent.model ?? web.model].flat();
    const price = models?.price?.(body.model === undefined ? (name as string) : checkedModel(models, body.model));
    return {
      ...{ system, user, parts, tokens, schema: schema as { [key: string]: unknown } | null },
      tool_schemas: schemas.map((tool) => ({ ...tool })),
      cost: price === undefined ? null : roundCost(mostCost({ input: tokens, output: 0 }, price)),
      input_problems: inputProblems(readData(agent, context).fail),
    };
  },
});

function inputProblems(fail: ReturnType<typeof readData>["fail"]): { path: string; message: string }[] {
  const errors = fail?.details?.errors;
  return Array.isArray(errors) ? (errors as { path: string; message: string }[]) : [];
}

/** Programs and prompts, without a mission. */
export const playgroundEndpoints = [runProgramEndpoint, previewPromptEndpoint];
