import { defined } from "../../base/defined";
import type { JsonObject } from "../../base/json";
import { parseSignature } from "../../signature/parse";
import { renderFields } from "../../signature/render";
import { type AskedCall, type AskedTool, callKind, REJECT, shownJson, termsOfTool } from "./about-call";
import type { ReviewKind } from "./review-kind";
import { type SealedCall, validFor } from "./sealed-call";

/** The choice that lets a call be made. */
export const APPROVE = "approve";

/** A tool call that a person must approve before it happens (engine reference, section 5). People may change its arguments. */
export const approvalKind: ReviewKind<{
  tool: AskedTool;
  call: AskedCall & { call: number };
  /** What the seal covers besides the call itself; `generation` is the key of the effect that the call matches. */
  seal: Pick<SealedCall, "tool_version" | "mission" | "generation" | "shared" | "terms">;
}> = {
  ...callKind,
  ask({ tool, call, seal }) {
    const terms = termsOfTool(tool);
    const parameters = tool.signature === undefined ? "" : renderFields(parseSignature(tool.signature).parameters);
    const place = call.task === undefined ? `turn ${call.turn}` : `task ${call.task}`;
    return {
      ...terms,
      about: tool.name,
      title: `Call ${tool.name}?`,
      body: [tool.description ?? "", shownJson(call.args), `Effect: ${tool.effect}. Asked in ${place}.`]
        .filter((part) => part !== "")
        .join("\n\n"),
      data: {
        tool: tool.name,
        args: call.args,
        effect: tool.effect,
        turn: call.turn,
        ...defined({ task: call.task }),
      },
      choices: [APPROVE, REJECT],
      on_timeout: terms.on_timeout ?? REJECT,
      editable: { choice: APPROVE, parameters },
      sealed: { ...seal, place: `${call.turn}.${call.call}`, valid_for_ms: validFor(terms) },
    };
  },
  drawing: {
    label: "approval",
    form: {
      value: "edit",
      given: ({ args }) => (args ?? {}) as JsonObject,
      about: "Arguments to change",
    },
  },
};
