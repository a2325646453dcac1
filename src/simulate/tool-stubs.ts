import { z } from "zod";
import { failed, ok, type Result } from "../core/base/failure";
import { Json, type JsonObject } from "../core/base/json";

/** Milliseconds before the answer. */
const delay_ms = z.int().min(0).max(600_000).optional();

/** A tool that answers by rule instead of working (engine reference, section 11.3). */
export const TOOL_STUB = z.discriminatedUnion("kind", [
  /** Always the same answer. */
  z.strictObject({ kind: z.literal("const"), value: Json, delay_ms }),
  /** Answers its arguments. */
  z.strictObject({ kind: z.literal("echo"), delay_ms }),
  /** Always fails. */
  z.strictObject({ kind: z.literal("error"), message: z.string(), delay_ms }),
  /** One answer for each call, in order. */
  z.strictObject({ kind: z.literal("sequence"), values: z.array(Json), delay_ms }),
]);
/**
 * A tool that answers by rule instead of working: `const`, `echo`, `error` or `sequence` (engine reference, section
 * 11.3).
 */
export type ToolStub = z.infer<typeof TOOL_STUB>;

/**
 * The tool that a stub describes. A `sequence` remembers how often it was called; past its end it fails with
 * `tool_error`.
 */
export function makeStub(name: string, spec: ToolStub): (args: JsonObject) => Result<Json> {
  let calls = 0;
  // As a worker reports it.
  const refused = (message: string) => failed("tool_error", message, { tool: name, code: "tool_error" });
  switch (spec.kind) {
    case "const":
      return () => ok(spec.value as Json);
    case "echo":
      return (args) => ok(args);
    case "error":
      return () => refused(spec.message);
    case "sequence":
      return () => {
        calls += 1;
        const value = spec.values[calls - 1];
        if (value !== undefined) return ok(value as Json);
        return refused(`the sequence has ${spec.values.length} value(s), this is call ${calls}`);
      };
  }
}
