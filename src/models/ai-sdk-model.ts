import type { LanguageModel } from "ai";

/** The parts of the interface that the AI SDK's provider packages share. */
export type ProviderModel = Extract<LanguageModel, { specificationVersion: "v3" }>;
/** A model object of AI SDK 5, which AI SDK 6 takes as well. */
export type FormerProviderModel = Extract<LanguageModel, { specificationVersion: "v2" }>;
export type ProviderCall = Parameters<ProviderModel["doGenerate"]>[0];
export type ProviderMessage = ProviderCall["prompt"][number];
export type ProviderAnswer = Awaited<ReturnType<ProviderModel["doGenerate"]>>;
export type ProviderStream = Awaited<ReturnType<ProviderModel["doStream"]>>;
export type ProviderPart = ProviderStream["stream"] extends ReadableStream<infer Part> ? Part : never;
export type ProviderOptions = NonNullable<ProviderCall["providerOptions"]>;
type AssistantMessage = Extract<ProviderMessage, { role: "assistant" }>;
export type AssistantPart = AssistantMessage["content"][number];
export type ToolMessage = Extract<ProviderMessage, { role: "tool" }>;
