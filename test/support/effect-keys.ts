import type { JsonObject } from "../../src/core/base/json";
import type { ToolSpec } from "../../src/core/calls/tool";
import { effectId } from "../../src/core/effects/effect-id";
import { effectKey } from "../../src/core/effects/effect-key";

/** The idempotency key of a call of a tool with effects. By default the first of its kind in a run that a user started. */
export const keyOf = (
  mission: string,
  tool: Pick<ToolSpec, "name"> & Partial<ToolSpec>,
  args: JsonObject,
  { lane = "", n = 1 } = {},
): string => effectKey({ mission, id: effectId({ effect: "write", ...tool }, args), lane, n });
