import { z } from "zod";
import { schemaSignature } from "../../core/signature/json-schema/read-signature";
import { type SchemaOrBoolean, SchemaReader } from "../../core/signature/json-schema/schema-reader";

/**
 * The signature of an agent with schemas (agent reference, section 2.2). A run gets what reading the given context gives, and its
 * return is read after its end. So parameters have the types that come out of `input`, and the return those that go into `output`.
 *
 * @param wrong makes the error for a type that JSON does not have
 */
export function signatureOfSchemas(
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
      // What is coerced may be given as JSON.
      const isMade = io === "input" && "coerce" in def && def.coerce === true;
      if (NOT_JSON.includes(def.type) && !isMade)
        throw wrong(
          `a ${def.type}${placeIn(path)} is no JSON: take a type of JSON, for example z.iso.datetime() for a time.`,
        );
      // Whoever has the definition without its schemas leaves out what they would fill in.
      if (def.type === "object" && jsonSchema.required !== undefined) {
        const { shape } = def as z.core.$ZodObjectDef;
        jsonSchema.required = jsonSchema.required.filter((name) => shape[name]?._zod.optin !== "optional");
      }
    },
  }) as SchemaOrBoolean;
}

const placeIn = (path: readonly (string | number)[]): string => (path.length === 0 ? "" : ` (${path.join(".")})`);
