import type { z } from "zod";
import { withoutUndefined } from "../../base/defined";
import { type Failure, failed, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { jsonFault } from "../../base/json/json-problem";
import { thrownText } from "../../base/navigator-error";
import type { Step } from "../result/step";
import type { AgentDefinition } from "./definition";

/**
 * Under this key an agent has the schemas that it was defined with. They stay in this process: a run gets the signature. A
 * copy (`{ ...agent, model }`) keeps them, and JSON has no symbols.
 */
const AGENT_SCHEMAS: unique symbol = Symbol.for("navigator.agent-schemas") as never;

/** The schemas of an agent: what its context is read from, and what its return is read to. */
export interface AgentSchemas<Context, Return> {
  readonly input?: z.ZodType<unknown, Context> | undefined;
  readonly output?: z.ZodType<Return> | undefined;
}

/** An agent whose context and return have types (agent reference, section 2). */
export interface TypedAgent<Context, Return> extends AgentDefinition {
  readonly [AGENT_SCHEMAS]: AgentSchemas<Context, Return>;
}

/** An agent, typed or not, or the prompt of one. */
export type AnyAgent = AgentDefinition | string;

/** The type of an agent's context. */
export type ContextOf<A extends AnyAgent> =
  A extends TypedAgent<infer Context, infer _> ? (unknown extends Context ? JsonObject : Context) : JsonObject;

/** The type of an agent's return. */
export type ReturnOf<A extends AnyAgent> =
  A extends TypedAgent<infer _, infer Return> ? (unknown extends Return ? Json : Return) : Json;

/** A Step whose return has a type, once it is known that the run did not fail: `step.fail === null`. */
export type StepOf<Return> = Json extends Return
  ? Step
  : Omit<Step, "return" | "fail"> & ({ return: Return; fail: null } | { return: Json; fail: Failure });

/** The agent with its schemas. */
export const withSchemas = <C, R>(agent: AgentDefinition, schemas: AgentSchemas<C, R>): TypedAgent<C, R> => ({
  ...agent,
  [AGENT_SCHEMAS]: schemas,
});

/** The agent with the schemas of what it was read from, if that had any. */
export const withSchemasOf = (source: object, agent: AgentDefinition): AgentDefinition =>
  AGENT_SCHEMAS in source ? withSchemas(agent, source[AGENT_SCHEMAS] as AgentSchemas<unknown, unknown>) : agent;

const schemasOf = (agent: AnyAgent): AgentSchemas<unknown, unknown> =>
  (typeof agent === "string" ? undefined : (agent as Partial<TypedAgent<unknown, unknown>>)[AGENT_SCHEMAS]) ?? {};

/**
 * The context as the agent's schema reads it, with its defaults; as it is for an agent without one.
 *
 * @param known data that the run will have besides: the schema may name it
 */
export function contextBySchema(agent: AnyAgent, context: JsonObject, known: JsonObject = {}): Result<JsonObject> {
  const { input } = schemasOf(agent);
  if (input === undefined) return ok(withoutUndefined(context, 1) as JsonObject);
  const read = attempt(() => input.safeParse({ ...context, ...known }));
  if (read instanceof Error) return thrown("The context", read);
  if (!read.success) return mismatch("The context", read.error);
  const added = Object.keys(known).filter((name) => !Object.hasOwn(context, name));
  const isJson = jsonFault(read.data, { omitUndefined: true }) === undefined;
  const data = (isJson ? withoutUndefined(read.data) : read.data) as JsonObject;
  return ok(Object.fromEntries(Object.entries(data).filter(([name]) => !added.includes(name))));
}

/** A Step whose return is as the agent's schema reads it; a failed Step stays as it is. */
export async function stepBySchema<A extends AnyAgent>(agent: A, step: Step): Promise<Result<StepOf<ReturnOf<A>>>> {
  const { output } = schemasOf(agent);
  if (output === undefined || step.fail !== null) return ok(step as StepOf<ReturnOf<A>>);
  try {
    const read = await output.safeParseAsync(step.return);
    return read.success
      ? ok({ ...step, return: read.data } as StepOf<ReturnOf<A>>)
      : mismatch("The return", read.error);
  } catch (error) {
    return thrown("The return", asError(error));
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(thrownText(error)));

function attempt<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    return asError(error);
  }
}

/** The schema itself broke off: its code threw, or an input's is asynchronous, which workflows cannot wait for. */
const thrown = (what: string, error: Error): { ok: false; fail: Failure } =>
  failed("validation_error", `${what} cannot be read with the agent's schema: ${error.message}`);

function mismatch(what: string, { issues }: z.ZodError): { ok: false; fail: Failure } {
  const found = issues.map(({ path, message }) => ({ path: path.map(String).join("."), message }));
  const list = found.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  return failed("validation_error", `${what} does not fit the agent's schema: ${list}`, { issues: found });
}
