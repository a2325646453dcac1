import { setTimeout as pause } from "node:timers/promises";
import { type McpServer, MissingRequiredClientCapabilityError } from "@modelcontextprotocol/server";
import type { ServedTool } from "../../../../src/mcp/context/served-tool";
import { fixture, PNG, said, WAV } from "./material";

/** The tools that the suite calls in both eras, and those that ask while a call is open (2025-11-25). */

const image = { type: "image" as const, data: PNG, mimeType: "image/png" };

/** What the suite wants to find unchanged in a list. */
const SCHEMA_2020_12 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

export const callTools = (): ServedTool[] => [
  fixture("test_simple_text", () => said("This is a simple text response for testing.")),
  fixture("test_image_content", () => ({ content: [image] })),
  fixture("test_audio_content", () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] })),
  fixture("test_embedded_resource", () => ({
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  })),
  fixture("test_multiple_content_types", () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      },
    ],
  })),
  fixture("test_error_handling", () => ({
    ...said("This tool intentionally returns an error for testing"),
    isError: true,
  })),
  fixture("test_tool_with_logging", async ({ extra }) => {
    for (const event of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await extra.log("info", event, "conformance");
      await pause(50);
    }
    return said("Done.");
  }),
  fixture("test_logging_tool", async ({ extra }) => {
    await extra.log("info", "A message for those who asked for it", "conformance");
    return said("Done.");
  }),
  fixture("test_tool_with_progress", async ({ extra }) => {
    const progressToken = extra._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress, total: 100 },
      });
      await pause(50);
    }
    return said("Done.");
  }),
  fixture("test_reconnection", async ({ extra }) => {
    extra.closeStream?.();
    await pause(100);
    return said("The client came back for the answer.");
  }),
  fixture("test_missing_capability", ({ extra }) => {
    if (extra.client.capabilities.sampling === undefined)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    return said("Done.");
  }),
  fixture("json_schema_2020_12_tool", () => said("Done."), { schema: SCHEMA_2020_12 }),
  fixture("test_custom_headers", ({ args }) => said(JSON.stringify(args)), {
    schema: {
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        query: { type: "string" },
      },
    },
  }),
];

/** A form with a default for each primitive type. */
const DEFAULTS = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};

const three = (value: string, title: string) =>
  ["First", "Second", "Third"].map((word, i) => ({ const: `${value}${i + 1}`, title: `${word} ${title}` }));
/** A form with each way to write a choice. */
const CHOICES = {
  untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
  titledSingle: { type: "string", oneOf: three("value", "Option") },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
  titledMulti: { type: "array", items: { anyOf: three("value", "Choice") } },
};

/** The server asks the client while a call is open. */
export function askingTools(server: () => McpServer): ServedTool[] {
  const asks = (name: string, answered: string, properties: object, required: string[] = []) =>
    fixture(name, async ({ args, extra }) => {
      const message = typeof args.message === "string" ? args.message : "Please fill in";
      const requestedSchema = { type: "object", properties, required } as never;
      const options = { relatedRequestId: extra.requestId };
      const { action, content } = await server().server.elicitInput(
        { mode: "form", message, requestedSchema },
        options,
      );
      return said(`${answered}: action=${action}, content=${JSON.stringify(content ?? {})}`);
    });
  const user = { username: { type: "string" }, email: { type: "string" } };
  return [
    asks("test_elicitation", "User response", user, ["username", "email"]),
    asks("test_elicitation_sep1034_defaults", "Elicitation completed", DEFAULTS),
    asks("test_elicitation_sep1330_enums", "Elicitation completed", CHOICES),
    fixture("test_sampling", async ({ args, extra }) => {
      const content = { type: "text" as const, text: String(args.prompt) };
      const params = { messages: [{ role: "user" as const, content }], maxTokens: 100 };
      const answer = await server().server.createMessage(params, { relatedRequestId: extra.requestId });
      return said(`LLM response: ${(answer.content as { text?: string }).text}`);
    }),
  ];
}
