import { acceptedContent, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import { NavigatorError } from "../../../../src/core/base/navigator-error";
import type { StateSeal } from "../../../../src/mcp/context/sealed-state";
import type { ServedTool, ToolCallRequest } from "../../../../src/mcp/context/served-tool";
import { fixture, form, said } from "./material";

/** Calls that end with a question and come again (2026-07-28). Their states are signed as Navigator's own. */

const sampling = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens });
const name = inputRequired.elicit(form("What is your name?", "name"));

const textOf = ({ inputResponses }: ToolCallRequest, key: string, field: string): string | undefined => {
  const value = acceptedContent(inputResponses, key)?.[field];
  return typeof value === "string" ? value : undefined;
};

export function questionTools(seal: StateSeal): ServedTool[] {
  const stateOf = ({ requestState }: ToolCallRequest): { [field: string]: unknown } | undefined =>
    requestState === undefined ? undefined : (seal.open(requestState) as { [field: string]: unknown });
  const confirming = (tool: string) =>
    fixture(tool, (request) => {
      const state = stateOf(request);
      if (state?.tool === tool && acceptedContent(request.inputResponses, "confirm")?.ok === true)
        return said("state-ok");
      if (state !== undefined && state.tool !== tool)
        throw new NavigatorError("invalid_input", "The state belongs to another tool.", {
          details: { path: "requestState" },
        });
      return inputRequired({
        inputRequests: { confirm: inputRequired.elicit(form("Please confirm", "ok", "boolean")) },
        requestState: seal.seal({ tool }),
      });
    });
  return [
    fixture("test_input_required_result_elicitation", (request) => {
      const given = textOf(request, "user_name", "name");
      return given === undefined ? inputRequired({ inputRequests: { user_name: name } }) : said(`Hello, ${given}!`);
    }),
    fixture("test_streaming_elicitation", (request) => {
      const given = textOf(request, "user_name", "name");
      return given === undefined ? inputRequired({ inputRequests: { user_name: name } }) : said(`Hello, ${given}!`);
    }),
    fixture("test_input_required_result_sampling", ({ inputResponses }) => {
      const answer = inputResponse(inputResponses, "capital_question");
      if (answer.kind === "sampling") return said(JSON.stringify(answer.result.content));
      return inputRequired({ inputRequests: { capital_question: sampling("What is the capital of France?", 100) } });
    }),
    fixture("test_input_required_result_list_roots", ({ inputResponses }) => {
      const answer = inputResponse(inputResponses, "client_roots");
      if (answer.kind === "roots") return said(answer.roots.map(({ uri }) => uri).join(", "));
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
    }),
    confirming("test_input_required_result_request_state"),
    confirming("test_input_required_result_tampered_state"),
    fixture("test_input_required_result_multiple_inputs", (request) => {
      const { inputResponses } = request;
      const given = textOf(request, "user_name", "name");
      const greeting = inputResponse(inputResponses, "greeting");
      const roots = inputResponse(inputResponses, "client_roots");
      if (stateOf(request) !== undefined && given && greeting.kind === "sampling" && roots.kind === "roots")
        return said(`${JSON.stringify(greeting.result.content)} ${given}: ${roots.roots.length} roots`);
      return inputRequired({
        inputRequests: {
          user_name: name,
          greeting: sampling("Generate a greeting", 50),
          client_roots: inputRequired.listRoots(),
        },
        requestState: seal.seal({ round: 1 }),
      });
    }),
    fixture("test_input_required_result_multi_round", (request) => {
      const state = stateOf(request);
      const given = (state?.name as string | undefined) ?? textOf(request, "step1", "name");
      const color = textOf(request, "step2", "color");
      if (state === undefined || given === undefined)
        return inputRequired({
          inputRequests: { step1: inputRequired.elicit(form("Step 1: What is your name?", "name")) },
          requestState: seal.seal({ round: 1 }),
        });
      if (color === undefined)
        return inputRequired({
          inputRequests: { step2: inputRequired.elicit(form("Step 2: What is your favorite color?", "color")) },
          requestState: seal.seal({ round: 2, name: given }),
        });
      return said(`${given} likes ${color}.`);
    }),
    fixture("test_input_required_result_capabilities", ({ extra: { client } }) => {
      const { sampling: samples, elicitation } = client.capabilities;
      const inputRequests = {
        ...(samples === undefined ? {} : { question: sampling("What is the capital of France?", 100) }),
        ...(elicitation === undefined ? {} : { user_name: name }),
      };
      return Object.keys(inputRequests).length === 0 ? said("Nothing can be asked.") : inputRequired({ inputRequests });
    }),
  ];
}
