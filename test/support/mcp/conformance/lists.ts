import {
  acceptedContent,
  completable,
  inputRequired,
  type McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { ProtocolEra } from "../../../../src/mcp/context/request";
import { form, PNG } from "./material";

/** The resources and prompts that the suite asks for. */
export function registerLists(server: McpServer, era: ProtocolEra): void {
  registerTexts(server);
  if (era === "2025-11-25") {
    server.server.registerCapabilities({ resources: { subscribe: true } });
    for (const method of ["resources/subscribe", "resources/unsubscribe"] as const)
      server.server.setRequestHandler(method, () => ({}));
  }
  const user = (text: string) => ({ role: "user" as const, content: { type: "text" as const, text } });
  server.registerPrompt("test_simple_prompt", { description: "A text" }, () => ({
    messages: [user("This is a simple prompt for testing.")],
  }));
  const word = () =>
    completable(z.string().describe("A word"), (typed) => ["paris", "park"].filter((w) => w.startsWith(typed)));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "Two words", argsSchema: z.object({ arg1: word(), arg2: word() }) },
    ({ arg1, arg2 }) => ({ messages: [user(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "A resource", argsSchema: z.object({ resourceUri: z.string().describe("Its address") }) },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
          },
        },
        user("Please process the embedded resource above."),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "An image" }, () => ({
    messages: [
      { role: "user", content: { type: "image", data: PNG, mimeType: "image/png" } },
      user("Please analyze the image above."),
    ],
  }));
  server.registerPrompt("test_input_required_result_prompt", { description: "It asks first" }, (ctx) => {
    const given = acceptedContent<{ context: string }>(ctx.mcpReq.inputResponses, "user_context");
    if (given !== undefined) return { messages: [user(`Context: ${given.context}`)] };
    const question = inputRequired.elicit(form("What context should the prompt use?", "context"));
    return inputRequired({ inputRequests: { user_context: question } });
  });
}

function registerTexts(server: McpServer): void {
  const text = (uri: string, said: string, mimeType = "text/plain") => ({ contents: [{ uri, mimeType, text: said }] });
  for (const [name, said] of [
    ["static-text", "This is the content of the static text resource."],
    ["watched-resource", "It stays the same."],
  ] as const)
    server.registerResource(name, `test://${name}`, { description: "A text", mimeType: "text/plain" }, ({ href }) =>
      text(href, said),
    );
  const image = { description: "An image", mimeType: "image/png" };
  server.registerResource("static-binary", "test://static-binary", image, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "image/png", blob: PNG }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  const about = { description: "One of many", mimeType: "application/json" };
  server.registerResource("template", template, about, ({ href }, { id }) =>
    text(href, JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }), "application/json"),
  );
}
