import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createGroq } from "@ai-sdk/groq";
import { createMistral } from "@ai-sdk/mistral";
import { createOpenAI } from "@ai-sdk/openai";
import { isSameModel } from "../../src/models/resolver";

/** Two agents may each have made `groq("llama")`; a model of another account is another model. */

interface Given {
  apiKey: string;
  baseURL: string;
  headers: { [name: string]: string };
}
const given: Given = { apiKey: "key-1", baseURL: "https://one.example/v1", headers: { "x-tenant": "one" } };

test.each([
  ["groq", (how: Given) => createGroq(how)("m")],
  ["mistral", (how: Given) => createMistral(how)("m")],
  ["openai", (how: Given) => createOpenAI(how)("m")],
  ["openai chat", (how: Given) => createOpenAI(how).chat("m")],
  ["anthropic", (how: Given) => createAnthropic(how)("m")],
  ["google", (how: Given) => createGoogleGenerativeAI(how)("m")],
])("two objects of %s are one model if key, address and headers are the same", (_, make) => {
  expect(isSameModel(make(given), make({ ...given }))).toBe(true);
  expect(isSameModel(make(given), make({ ...given, apiKey: "key-2" }))).toBe(false);
  expect(isSameModel(make(given), make({ ...given, baseURL: "https://two.example/v1" }))).toBe(false);
  expect(isSameModel(make(given), make({ ...given, headers: { "x-tenant": "two" } }))).toBe(false);
});

/** A model with its account in a place of one's choice. */
class Visible {
  constructor(readonly config: unknown) {}
}
class Private {
  readonly modelId = "m";
  readonly #key: string;
  constructor(key: string) {
    this.#key = key;
  }
  async complete() {
    return this.#key;
  }
}
const KEYS = new WeakMap<object, string>();
class Outside {
  readonly modelId = "m";
  constructor(key: string) {
    KEYS.set(this, key);
  }
}
const around = (inner: unknown) => {
  const model: { config: unknown; self?: unknown } = { config: inner };
  model.self = model;
  return new Visible(model);
};
const hidden = (key: string) => Object.defineProperty({ modelId: "m" }, "key", { value: key, enumerable: false });
const later = (key: string) => new Visible({ headers: async () => ({ key }) });

test.each([
  ["a URL", (key: string) => new Visible(new URL(`https://${key}.example`)), true],
  ["headers", (key: string) => new Visible(new Headers({ key })), true],
  ["an object that contains itself", around, true],
  ["a list", (key: string) => new Visible([{ key }]), true],
  ["a property that is not listed", hidden, true],
  ["a symbol", (key: string) => ({ [Symbol.for("key")]: key }), true],
  ["a map, into which nobody looks", (key: string) => new Visible(new Map([["key", key]])), false],
  ["a private member", (key: string) => new Private(key), false],
  ["a private member of a class above", (key: string) => new (class extends Private {})(key), false],
  ["a map of all models outside", (key: string) => new Outside(key), false],
  ["a function", (key: string) => new Visible({ complete: () => key }), false],
  ["a promise", later, false],
])("an account in %s is not overlooked", (_, make, seen) => {
  expect(isSameModel(make("one"), make("two"))).toBe(false);
  expect(isSameModel(make("one"), make("one"))).toBe(seen);
});
