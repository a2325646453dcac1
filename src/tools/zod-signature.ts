import { z } from "zod";
import { schemaSignature } from "../core/signature/json-schema/read-signature";
import { type SchemaOrBoolean, SchemaReader } from "../core/signature/json-schema/schema-reader";

/** The signature that a prompt shows for a tool with zod schemas; the schemas themselves check what is passed. */
export function zodSignature(input: z.ZodType | undefined, output: z.ZodType | undefined): string {
  const [taken, given] = [zodJson(input, "input"), zodJson(output, "output")];
  return schemaSignature({
    input: taken,
    output: given,
    inputReader: new SchemaReader(taken),
    outputReader: new SchemaReader(given),
    rename: false,
  });
}

function zodJson(schema: z.ZodType | undefined, io: "input" | "output"): SchemaOrBoolean | undefined {
  return schema && (z.toJSONSchema(schema, { unrepresentable: "any", io }) as SchemaOrBoolean);
}
