import { z } from "zod";
import type { AgentFile } from "../../core/agent/definition/agent-file";
import { withToolsOf } from "../../core/agent/definition/agent-tools";
import type { AgentDefinition } from "../../core/agent/definition/definition";
import { parseAgent } from "../../core/agent/definition/parse-agent";
import { type AgentSchemas, type TypedAgent, withSchemas } from "../../core/agent/definition/typed-agent";
import { defined } from "../../core/base/defined";
import type { Json, JsonObject } from "../../core/base/json";
import { NavigatorError, valueOrThrow } from "../../core/base/navigator-error";
import { schemaSignature } from "../../core/signature/json-schema/read-signature";
import { type SchemaOrBoolean, SchemaReader } from "../../core/signature/json-schema/schema-reader";
import type { FormerProviderModel, ProviderModel } from "../../models/ai-sdk-model";
import type { ModelFunction } from "../../models/model-source";
// Not from the index of the tools: workflows load this module, and MCP needs Node.
import { type AiSdkTool, isAiSdkTool } from "../../tools/ai-sdk-tool";
import { isTool, isToolMap, type ToolMap, toolNamed, toolsOf } from "../../tools/given-tools";
import type { Tool } from "../../tools/tool";

type File = z.input<ReturnType<typeof AgentFile>>;
type FileTool = NonNullable<File["tools"]>[number];

/** What an agent adds to the definition of one of its tools. `agent` and `llm` make a tool from an agent or a model. */
export type AgentToolSource = Omit<FileTool, "name" | "agent"> & { agent?: AgentDefinition | AgentSource };

/** What an agent may have as its model: a name, a model object of the AI SDK, or a function. */
export type AgentModel = string | ProviderModel | FormerProviderModel | ModelFunction;

/**
 * An agent as code writes it: the fields of an agent file (docs: agents), with tools as they are. Times are
 * milliseconds, `max_heap` is in words of 8 bytes, `memory_limit` in bytes.
 */
export interface AgentSource extends Omit<File, "tools" | "plan" | "compression" | "model"> {
  /**
   * A name, a model object of the AI SDK, a function that answers calls, or several in the order in which they are tried. The
   * definition has the name of an object, `provider/modelId`, or of a function, `function/NAME`: give the agent to the worker,
   * which then knows the model (docs: models, "Model objects in agents").
   */
  model?: AgentModel | readonly AgentModel[];
  /**
   * Tools (also maps of AI SDK tools), their names, or the settings that an agent file may have for them: a list, or a
   * map by name. A worker, a project or a test that is given the agent has its tools, too (docs: tools, "Tools of
   * agents").
   */
  tools?:
    | readonly (Tool | ToolMap | string | (AgentToolSource & { name?: string }))[]
    | { readonly [name: string]: string | null | AgentToolSource | Tool | AiSdkTool };
  /** Texts, pairs of id and text, or both by name. */
  plan?: readonly (string | readonly [id: string, description: string] | { id: string; description: string })[];
  /** `true`, or how long conversations are shortened. */
  compression?: boolean | "single-user-coalesced" | "off" | Partial<NonNullable<File["compression"]>> | null;
  /** Another name of `model`. */
  llm?: AgentSource["model"];
}

/** An agent with schemas in the place of a signature. */
export interface TypedAgentSource<I extends z.ZodType, O extends z.ZodType>
  extends Omit<AgentSource, "signature" | "output"> {
  signature?: never;
  /**
   * An object schema: what the context is read with before anything starts. The run gets what comes out, with its defaults and
   * transformations, and it must be JSON. The model sees its fields in the signature.
   */
  input?: I;
  /**
   * What the return is read with: the run checks the structure of what goes in, so that the model can correct it, and the client
   * all of it. The client gives what comes out.
   */
  output?: O | Exclude<AgentSource["output"], undefined>;
  /** How the model answers: the `output` of an agent without schemas. */
  mode?: AgentSource["output"];
}

/**
 * Makes an agent in code (agent reference, section 2): from all its options, or from its prompt and the options that are
 * needed besides. With zod schemas for `input` and `output`, its context and return have their types wherever it is used.
 *
 *     const clerk = defineAgent({
 *       prompt: "Refund order {{order_id}}.",
 *       input: z.object({ order_id: z.int() }),
 *       output: z.object({ refunded: z.boolean() }),
 *     });
 *     const step = await (await client.startAgent({ agent: clerk, context: { order_id: 42 } })).result();
 *     if (step.fail === null) console.log(step.return.refunded);
 *
 * @throws NavigatorError `invalid_agent` that names every mistake, with its place.
 */
export function defineAgent<I extends z.ZodType = z.ZodType<JsonObject>, O extends z.ZodType = z.ZodType<Json>>(
  agent: TypedAgentSource<I, O>,
): TypedAgent<z.input<I>, z.output<O>>;
export function defineAgent(agent: AgentSource | string, options?: Omit<AgentSource, "prompt">): AgentDefinition;
export function defineAgent(
  agent: AgentSource | TypedAgentSource<z.ZodType, z.ZodType> | string,
  options: Omit<AgentSource, "prompt"> = {},
): AgentDefinition {
  const { tools = [], ...given } = typeof agent === "string" ? { ...options, prompt: agent } : agent;
  const entries = Array.isArray(tools) ? tools.flatMap(toolsOfEntry) : toolsByName(tools);
  const { source, schemas } = withSignature(given);
  const parsed = valueOrThrow(parseAgent({ ...source, tools: withSpecs(entries) }));
  const made = withToolsOf(parsed, parsed, Object.values(entries).filter(isTool));
  return schemas === undefined ? made : withSchemas(made, schemas);
}

const toolsOfEntry = (tool: unknown, i: number): unknown[] => {
  if (isAiSdkTool(tool)) throw wrong(`tools[${i}]: this is a tool() of the AI SDK: write { name: tool }.`);
  return isToolMap(tool) ? toolsOf(tool) : [tool];
};

/** The tools as an agent file would list them. */
function withSpecs(entries: object): unknown {
  const specOf = (tool: unknown) => (isTool(tool) ? tool.spec : tool);
  if (Array.isArray(entries)) return entries.map(specOf);
  return Object.fromEntries(Object.entries(entries).map(([name, tool]) => [name, specOf(tool)]));
}

/** A tool under a name must have it: the agent would show another one. */
function toolsByName(tools: object): object {
  const entries = Object.entries(tools).map(([name, given]): [string, unknown] => {
    if (!isTool(given) && !isAiSdkTool(given)) return [name, given];
    const tool = toolNamed(name, given);
    if (tool.spec.name === name) return [name, tool];
    throw wrong(`tools.${name}: the tool is called "${tool.spec.name}".`);
  });
  return Object.fromEntries(entries);
}

const wrong = (problem: string) => new NavigatorError("invalid_agent", `The agent is invalid: ${problem}`);

const isSchema = (value: unknown): value is z.ZodType =>
  typeof value === "object" && value !== null && "_zod" in value && "safeParse" in value;

/** The definition as an agent file would write it: the signature in the place of the schemas. */
function withSignature(given: object): { source: object; schemas?: AgentSchemas<unknown, unknown> } {
  const { input, output, mode, ...rest } = given as { [option: string]: unknown };
  const schemas = defined({ input: input, output: isSchema(output) ? output : undefined });
  if (Object.keys(schemas).length === 0 && mode === undefined) return { source: given };
  if (input !== undefined && !(isSchema(input) && input._zod.def.type === "object"))
    throw wrong("input: must be an object schema of zod 4.");
  if (rest.signature !== undefined) throw wrong("signature: the schemas define it already; leave it out.");
  if (mode !== undefined && schemas.output === undefined)
    throw wrong("mode: has no use without a schema as `output`; without one, `output` sets how the model answers.");
  const how = isSchema(output) ? mode : output;
  // A text agent without a schema for its answer answers in prose.
  const answer = schemas.output ?? (how === "text" ? z.string() : undefined);
  const signature = signatureOfSchemas(
    { ...(schemas as { input?: z.ZodType }), ...defined({ output: answer as z.ZodType }) },
    wrong,
  );
  return {
    source: { ...rest, signature, ...defined({ output: how }) },
    schemas: schemas as AgentSchemas<unknown, unknown>,
  };
}

/**
 * The signature of an agent with schemas (agent reference, section 2.2). A run gets what reading the given context gives, and its
 * return is read after its end. So parameters have the types that come out of `input`, and the return those that go into `output`.
 *
 * @param wrong makes the error for a type that JSON does not have
 */
function signatureOfSchemas(
  { input, output }: { input?: z.ZodType | undefined; output?: z.ZodType | undefined },
  wrong: (problem: string) => Error,
): string {
  const takes = input && jsonSchemaOf(input, "output", (problem) => wrong(`input: ${problem}`));
  const returns = output && jsonSchemaOf(output, "input", (problem) => wrong(`output: ${problem}`));
  const [inputReader, outputReader] = [new SchemaReader(takes), new SchemaReader(returns)];
  return schemaSignature({ input: takes, output: returns, inputReader, outputReader, rename: false });
}

/** Values of these types are not JSON. */
const NOT_JSON = ["bigint", "date", "file", "function", "map", "nan", "promise", "set", "symbol"];

function jsonSchemaOf(schema: z.ZodType, io: "input" | "output", wrong: (problem: string) => Error): SchemaOrBoolean {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema, path }) => {
      const { def } = zodSchema._zod;
      // A coerced value may be given as JSON.
      const isMade = io === "input" && "coerce" in def && def.coerce === true;
      if (NOT_JSON.includes(def.type) && !isMade)
        throw wrong(
          `a ${def.type}${placeIn(path)} is no JSON: take a type of JSON, for example z.iso.datetime() for a time.`,
        );
      // A reader of the definition without its schemas leaves out the fields that they would fill in.
      if (def.type === "object" && jsonSchema.required !== undefined) {
        const { shape } = def as z.core.$ZodObjectDef;
        jsonSchema.required = jsonSchema.required.filter((name) => shape[name]?._zod.optin !== "optional");
      }
    },
  }) as SchemaOrBoolean;
}

const placeIn = (path: readonly (string | number)[]): string => (path.length === 0 ? "" : ` (${path.join(".")})`);
