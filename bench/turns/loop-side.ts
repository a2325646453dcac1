import { replyTo } from "./compile-program";
import { asText } from "./compile-turn";
import type { Conversation, GoldCall, SuiteTool } from "./suite";
import { TokenMeter, type TokenTotals } from "./token-meter";

/**
 * The other side: a loop that makes one tool call for each model call, and one more model call to answer the user. Its prompts are what
 * the tool calling of providers sends: the schemas of all tools, and the whole conversation with calls and answers.
 */

/** Model calls of the loop: one for each tool call, and the answer that ends each turn of the user. */
export const loopCalls = ({ turns }: Conversation): number =>
  turns.reduce((sum, { calls }) => sum + calls.length + 1, 0);

/** @param withResults the schemas say what tools answer, as the suite's own handlers write them for most providers */
export function loopTokens(
  { tools, turns }: Conversation,
  known: ReadonlyMap<string, SuiteTool>,
  withResults: boolean,
): TokenTotals {
  const meter = new TokenMeter();
  const messages: string[] = [];
  let names = [...tools];
  for (const { says, calls, adds } of turns) {
    names = [...names, ...adds];
    const schemas = names.map((name) => schemaText(known.get(name) as SuiteTool, withResults)).join("\n");
    messages.push(says);
    for (const call of calls) {
      const said = callText(call);
      meter.add([schemas, ...messages], said);
      messages.push(said, asText(call.answer));
    }
    const reply = replyTo(calls.length);
    meter.add([schemas, ...messages], reply);
    messages.push(reply);
  }
  return meter.totals;
}

const callText = ({ tool, args }: GoldCall): string => JSON.stringify({ name: tool, input: args });

function schemaText({ name, description, input, output }: SuiteTool, withResults: boolean): string {
  const results =
    withResults && output !== undefined
      ? ` The response field has the following schema: ${JSON.stringify(output)}`
      : "";
  return JSON.stringify({ name, description: `${description}${results}`, input_schema: input });
}
